import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold, spellings, stripAccents, words } from '../../src/text/words.ts';

const texts = (text: string): readonly string[] => words(text).map((word) => word.text);
const partsOf = (text: string): readonly string[] => words(text)[0]?.parts ?? [];

describe('identifiers', () => {
  test.each([
    ['DB_HOST', ['db', 'host']],
    ['wm_active_users', ['wm', 'active', 'users']],
    ['createServer', ['create', 'server']],
    ['HTTPServer2', ['http', 'server', '2']],
    ['utf8', ['utf', '8']],
    ['x86_64', ['x', '86', '64']],
    ['v1', ['v', '1']],
    ['__init__', ['init']],
    ['größe_max', ['größe', 'max']],
    ['caféHostName', ['café', 'host', 'name']],
    ['서버_이름', ['서버', '이름']],
  ])('%s is one word, made of %j', (written, parts) => {
    expect(texts(written)).toEqual([fold(written)]);
    expect(partsOf(written)).toEqual(parts);
  });

  test.each(['host', 'Host', 'HOST', 'user', "user's", 'München', '数据库'])('%s has no parts', (word) => {
    expect(words(word).flatMap(({ parts }) => parts)).toEqual([]);
  });

  test('letters and digits of an identifier are all in its parts', () => {
    const part = fc.oneof(fc.constantFrom('a', 'B', '1', '_', 'é', 'Ü', 'ß', '서', '²'), fc.constantFrom('host', 'DB'));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (pieces) => {
        const [word, ...more] = words(pieces.join(''));
        expect(more).toEqual([]);
        if (word !== undefined && word.parts.length > 0)
          expect(word.parts.join('')).toBe(word.text.replaceAll('_', ''));
      }),
    );
  });
});

describe('versions', () => {
  test.each([
    ['5.4.1', []],
    ['10.0.0.1', []],
    ['v5.4.1', ['v', '5.4.1']],
  ])('%s is one word', (version, parts) => {
    expect(words(`Since ${version}.`).map((word) => word.text)).toEqual(['since', version]);
    expect(partsOf(version)).toEqual(parts);
  });
});

describe('apostrophes', () => {
  test.each([
    ["don't", ["don't"]],
    ['don’t', ["don't"]],
    ["the user's 'quoted' word", ['the', "user's", 'quoted', 'word']],
    ["l'eau d’un lac", ['l', 'eau', "d'un", 'lac']],
    ["rock'n'roll", ["rock'n", 'roll']],
  ])('%s', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });
});

describe('one spelling for what looks the same', () => {
  test.each([
    ['composed and decomposed', 'Größe café Ångström', 'Größe café Ångström'.normalize('NFD')],
    ['composed and decomposed identifiers', 'caféHost größe_max', 'caféHost größe_max'.normalize('NFD')],
    ['composed and decomposed kana', 'データがあります', 'データがあります'.normalize('NFD')],
    ['composed and decomposed Hangul', '서버 이름', '서버 이름'.normalize('NFD')],
    ['full-width letters', 'DB_HOST createServer utf8', 'ＤＢ＿ＨＯＳＴ　ｃｒｅａｔｅＳｅｒｖｅｒ　ｕｔｆ８'],
    ['half-width katakana', 'データベース', 'ﾃﾞｰﾀﾍﾞｰｽ'],
    ['straight and curly apostrophes', "don't", 'don’t'],
    ['small and capital letters', 'ÜBERSICHT', 'übersicht'],
  ])('%s', (_, one, other) => {
    const plain = (text: string): unknown => words(text).map(({ text, parts }) => [text, parts]);
    expect(JSON.stringify(plain(one)).toLowerCase()).toBe(JSON.stringify(plain(other)).toLowerCase());
  });

  test('NFC and NFD of any text give the same words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(words(text.normalize('NFD'))).toEqual(words(text.normalize('NFC')));
      }),
    );
  });
});

describe('scripts without spaces', () => {
  // Where the dictionary cuts depends on the platform's version of it.
  test.each(['数据库端口', 'タイムアウトを設定する', 'ภาษาไทยง่ายนิดเดียว', 'ການຕັ້ງຄ່າເຄືອຂ່າຍ'])(
    '%s is cut into words',
    (text) => {
      expect(texts(text).length).toBeGreaterThan(1);
      expect(texts(text).join('')).toBe(text);
      expect(words(text).every(({ unspaced, parts }) => unspaced && parts.length === 0)).toBe(true);
    },
  );

  test('among words with spaces, in their order', () => {
    const found = words('Set DB_HOST 数据库端口 to 8080。');
    expect(found.map(({ text }) => text).join(' ')).toMatch(/^set db_host 数据 ?库 ?端 ?口 to 8080$/u);
    expect(
      found
        .filter(({ unspaced }) => unspaced)
        .map(({ text }) => text)
        .join(''),
    ).toBe('数据库端口');
  });
});

test('signs alone are no words', () => {
  expect(texts('— … “” () [] {} 😀 🇩🇪 👨‍👩‍👧 → ✓ \u0000\u0007')).toEqual([]);
  expect(texts('')).toEqual([]);
});

test('spellings are the words before folding, where no dictionary is needed', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string(), fc.lorem({ mode: 'sentences' })), (text) => {
      const written = spellings(text);
      if (written !== undefined) expect(written.map(fold)).toEqual(texts(text));
    }),
  );
  expect(spellings('数据库')).toBeUndefined();
});

test('accents go without touching other letters', () => {
  expect(stripAccents('münchen')).toBe('munchen');
  expect(stripAccents('ёлка')).toBe('елка');
  expect(stripAccents('größe')).toBe('große');
  expect(stripAccents('データ')).toBe('データ');
  expect(stripAccents('서버')).toBe('서버');
});

// A linear run takes some milliseconds each; one that is quadratic takes minutes.
test.each([
  ['one word', 'a'.repeat(1_000_000)],
  ['underscores', '_'.repeat(1_000_000)],
  ['apostrophes', "a'".repeat(300_000)],
  ['humps', 'aB'.repeat(300_000)],
  ['dots and digits', '1.'.repeat(300_000)],
  ['combining marks', `a${'\u0301'.repeat(300_000)}`],
  ['a dictionary', '数据库端口'.repeat(40_000)],
  ['changing scripts', 'a数'.repeat(60_000)],
])('hostile: %s, in linear time', (_, text) => {
  const started = performance.now();
  words(text);
  expect(performance.now() - started).toBeLessThan(5000);
});
