import { describe, expect, test } from 'vitest';
import { detectLanguage, stemmerOf, stopWordsOf } from '../../src/text/languages.ts';

describe('detection', () => {
  test.each([
    ['en', 'The server listens on the port that you set in the configuration file, and it logs to the console.'],
    [
      'de',
      'Der Server lauscht auf dem Port, der in der Konfiguration steht, und schreibt ein Protokoll auf die Konsole.',
    ],
    ['fr', 'Le serveur écoute sur le port que vous avez choisi dans la configuration et écrit un journal.'],
    ['es', 'El servidor escucha en el puerto que se define en la configuración y escribe un registro.'],
    ['nl', 'De server luistert naar de poort die in het bestand staat en schrijft een logboek van wat er gebeurt.'],
    ['ru', 'Сервер слушает тот порт, который указан в файле настроек, и пишет журнал на экран, если он есть у вас.'],
    ['ja', 'サーバーは設定ファイルのポートで待ち受けます。'],
    ['zh', '服务器监听配置文件中的端口并写入日志。'],
    ['th', 'เซิร์ฟเวอร์รับฟังพอร์ตที่กำหนดไว้ในไฟล์การตั้งค่า'],
  ])('%s', (language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });

  test('programs are English', () => {
    expect(detectLanguage('for (let i = 0; i < n; i++) {\n  const de = la[i];\n  el.push(de);\n}\n'.repeat(5))).toBe(
      'en',
    );
    expect(detectLanguage('const port = Number(process.env.PORT ?? 8080);\nserver.listen(port);\n'.repeat(4))).toBe(
      'en',
    );
  });

  test.each(['', 'Port', 'port 8080', '???', '12 34 56 78', 'ok ok'])('%j is too short to tell', (text) => {
    expect(detectLanguage(text)).toBe('');
  });

  test('German prose with English names is German', () => {
    const text =
      'Die Datei vite.config.ts wird mit defineConfig() erzeugt. Der Wert von server.port ist die Nummer des Ports.';
    expect(detectLanguage(text)).toBe('de');
  });

  test('looks at the beginning only', () => {
    const started = performance.now();
    detectLanguage('wort '.repeat(2_000_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('stemmers and stop lists', () => {
  test('a language without a stemmer has none, one without a list has an empty list', () => {
    expect(stemmerOf('zh')).toBeUndefined();
    expect(stemmerOf('')).toBeUndefined();
    expect(stopWordsOf('zh').size).toBe(0);
    expect(stopWordsOf('').size).toBe(0);
  });

  test.each(['ar', 'ca', 'cs', 'da', 'de', 'en', 'es', 'eu', 'fi', 'fr', 'ga', 'hu', 'hy', 'it', 'nl', 'no', 'pt'])(
    '%s stems',
    (language) => {
      expect(typeof stemmerOf(language)?.('internationalisation')).toBe('string');
    },
  );

  test.each(['ro', 'ru', 'sl', 'sv', 'ta', 'tr'])('%s stems', (language) => {
    expect(typeof stemmerOf(language)?.('internationalisation')).toBe('string');
  });

  test('stop words are folded, as words are', () => {
    for (const language of ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'ru', 'sv', 'pl', 'tr']) {
      const list = [...stopWordsOf(language)];
      expect(list.length).toBeGreaterThan(30);
      expect(list.filter((word) => word !== word.toLowerCase())).toEqual([]);
    }
  });
});
