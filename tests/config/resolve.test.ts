import { mkdtemp, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { resolveSettings, type RememberedSettings, type SettingsRequest } from '../../src/config/resolve.ts';
import { flatten } from '../../src/config/flat.ts';
import { trust, trustIndex } from '../../src/config/trust.ts';
import { findConfigFile } from '../../src/config/file.ts';
import { defaultPreset } from '../../src/presets/default.ts';

let folder: string;
let home: string;

beforeEach(async () => {
  const root = await mkdtemp(join(tmpdir(), 'footnote-config-'));
  folder = join(root, 'project');
  home = join(root, 'home');
  await mkdir(folder);
  return () => rm(root, { recursive: true });
});

const write = (text: string, name = 'footnote.yaml'): Promise<void> => writeFile(join(folder, name), text);
const resolved = (request: Partial<SettingsRequest> = {}) =>
  resolveSettings({ cwd: folder, flags: {}, ...request, env: { HOME: home, ...request.env } });
const refused = (request: Partial<SettingsRequest> = {}): Promise<{ code: string; message: string; hint: string }> =>
  resolved(request).then(
    () => Promise.reject(new Error('was accepted')),
    (error: unknown) => error as never,
  );

const remembered = (changes: Partial<RememberedSettings['settings']> = {}): RememberedSettings => {
  const { parse, chunk, embed, analyze, store } = defaultPreset;
  return { active: 'a', preset: 'default', settings: { parse, chunk, embed, analyze, store, ...changes } };
};

describe('precedence', () => {
  test('the default preset holds where nothing is said', async () => {
    const { settings, explicit, configFile } = await resolved();
    const { name, description, larger, ...values } = defaultPreset;
    expect(settings).toEqual({ preset: 'default', sources: [], ...values });
    expect(explicit.size).toBe(0);
    expect(configFile).toBeUndefined();
  });

  test('preset < file < environment < flags', async () => {
    await write('preset: keyword\nretrieve: { topK: 4, depth: 40, mode: dense }\nfuse: { k: 10 }');
    const { settings } = await resolved({
      env: { FOOTNOTE_RETRIEVE__TOP_K: '5', FOOTNOTE_RETRIEVE__DEPTH: '50' },
      flags: { settings: { 'retrieve.depth': 60 } },
    });
    expect(settings.preset).toBe('keyword');
    expect(settings.retrieve).toMatchObject({ topK: 5, depth: 60, mode: 'dense' });
    expect(settings.fuse.k).toBe(10);
    expect(settings.context).toEqual(defaultPreset.context);
  });

  test('the name of the preset: flag, environment, file, index', async () => {
    const manifest = { ...remembered(), preset: 'keyword' };
    expect((await resolved({ manifest })).settings.preset).toBe('keyword');
    await write('preset: default');
    expect((await resolved({ manifest })).settings.preset).toBe('default');
    expect((await resolved({ env: { FOOTNOTE_PRESET: 'keyword' } })).settings.preset).toBe('keyword');
    const both = { env: { FOOTNOTE_PRESET: 'keyword' }, flags: { preset: 'default' } };
    expect((await resolved(both)).settings.preset).toBe('default');
  });

  test.each([
    ['footnote.yaml', 'retrieve:\n  topK: 3\n'],
    ['footnote.yml', 'retrieve:\n  topK: 3\n'],
    ['footnote.json', '{\n\t"retrieve": {\n\t\t"topK": 3\n\t}\n}'],
  ])('%s is found', async (name, text) => {
    await write(text, name);
    expect((await resolved()).settings.retrieve.topK).toBe(3);
  });

  test('a file is named by flag or environment, which the found one then is not read for', async () => {
    await write('not: valid');
    await write('retrieve: { topK: 3 }', 'other.yaml');
    expect((await resolved({ flags: { config: 'other.yaml' } })).settings.retrieve.topK).toBe(3);
    expect((await resolved({ env: { FOOTNOTE_CONFIG: 'other.yaml' } })).settings.retrieve.topK).toBe(3);
    expect(await refused({ flags: { config: 'missing.yaml' } })).toMatchObject({ code: 'file-invalid' });
  });

  test('an empty file and one of comments only say nothing', async () => {
    await write('# nothing\n');
    expect((await resolved()).explicit.size).toBe(0);
  });
});

describe('refusals', () => {
  test('unknown keys, with place and nearest name', async () => {
    await write('retrieve:\n  depth: 30\n  topk: 5\n');
    expect(await refused()).toMatchObject({
      code: 'setting-invalid',
      message: 'footnote.yaml:3: there is no setting retrieve.topk',
      hint: 'did you mean retrieve.topK?',
    });
  });

  test('a key of another section', async () => {
    await write('maxTokens: 5');
    expect((await refused()).hint).toBe('did you mean chunk.maxTokens?');
    await write('sources:\n  - from: .\n    excludes: [a]\n');
    expect(await refused()).toMatchObject({
      message: 'footnote.yaml:3: there is no setting sources.0.excludes',
      hint: 'did you mean sources.0.exclude?',
    });
  });

  test.each([
    ['retrieve: { topK: 0 }', 'retrieve.topK must be a whole number from 1 to 1000, not 0'],
    ['retrieve: { topK: "5" }', 'retrieve.topK must be a whole number from 1 to 1000, not "5"'],
    ['retrieve: { mode: hybird }', 'retrieve.mode must be one of dense, keyword, hybrid, not "hybird"'],
    ['retrieve:', 'retrieve must be a section, not null'],
    ['analyze: { language: english }', 'analyze.language must be auto or a code of two letters, not "english"'],
    ['sources: [{ as: x }]', 'sources.0.from is missing'],
    ['sources: [{ from: x, include: [1] }]', 'sources.0.include must be a list of texts, not 1'],
    ['sources: [{ from: x, baseUrl: "javascript:x" }]', 'sources.0.baseUrl must be an http(s) address'],
    ['- a', 'the configuration must be a section, not ["a"]'],
    ['__proto__: { topK: 5 }', 'there is no setting __proto__'],
    ['constructor: 1', 'there is no setting constructor'],
  ])('%s', async (text, message) => {
    await write(text);
    const error = await refused();
    expect(error.code).toBe('setting-invalid');
    expect(error.message).toContain(message);
  });

  test('values that do not go together, wherever they came from', async () => {
    const error = await refused({ env: { FOOTNOTE_CHUNK__MAX_TOKENS: '200' } });
    expect(error.message).toBe('chunk.targetTokens must not be greater than chunk.maxTokens');
  });

  test.each(['apiKey', 'token', 'accessToken', 'openai_api_key', 'password', 'clientSecret'])(
    'the secret %s',
    async (key) => {
      await write(`generate:\n  ${key}: sk-123456\n`);
      const error = await refused();
      expect(error).toMatchObject({ code: 'setting-invalid' });
      expect(error.hint).toContain('environment variable');
      expect(error.message).toContain(`footnote.yaml:2: generate.${key}`);
      expect(error.message).not.toContain('sk-123456');
    },
  );

  test.each([
    ['tags', 'retrieve: !!js/function "x"'],
    ['unclosed', 'retrieve: [1'],
    ['duplicate keys', 'fuse: { k: 1 }\nfuse: { k: 2 }'],
    [
      'an explosion of aliases',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[i]}`)}]`).join('\n')}`,
    ],
    ['depth', '['.repeat(20_000)],
  ])('YAML: %s', async (_, text) => {
    await write(text);
    const error = await refused();
    expect(error.code).toBe('file-invalid');
    expect(error.message).not.toContain('\n');
  });

  test('a file that is too large, or none', async () => {
    await write(`# ${'x'.repeat(1_000_000)}`);
    expect(await refused()).toMatchObject({ code: 'file-invalid' });
    expect(await refused({ flags: { config: '.' } })).toMatchObject({ code: 'file-invalid' });
  });

  test('an unknown preset', async () => {
    expect(await refused({ flags: { preset: 'keywords' } })).toMatchObject({ hint: 'did you mean keyword?' });
  });
});

describe('environment', () => {
  test('values have the type of the setting', async () => {
    const { settings, explicit } = await resolved({
      env: {
        FOOTNOTE_RETRIEVE__BM25__K1: '1.5',
        FOOTNOTE_ANALYZE__STEM: 'false',
        FOOTNOTE_FUSE__ALPHA: '0.5',
        FOOTNOTE_FUSE__K: '',
      },
    });
    expect(settings.retrieve.bm25.k1).toBe(1.5);
    expect(settings.analyze.stem).toBe(false);
    expect(settings.fuse).toMatchObject({ alpha: 0.5, k: 60 });
    expect([...explicit].toSorted()).toEqual(['analyze.stem', 'fuse.alpha', 'retrieve.bm25.k1']);
    expect((await resolved({ env: { FOOTNOTE_FUSE__ALPHA: 'null' } })).settings.fuse.alpha).toBeNull();
  });

  test('a wrong value is refused, an unknown variable is a warning', async () => {
    expect(await refused({ env: { FOOTNOTE_RETRIEVE__TOP_K: 'many' } })).toMatchObject({
      code: 'setting-invalid',
      message: 'FOOTNOTE_RETRIEVE__TOP_K: retrieve.topK must be a whole number from 1 to 1000, not "many"',
    });
    const { warnings } = await resolved({ env: { FOOTNOTE_RETRIEVE__TOPK: '5', FOOTNOTE_INDEX: 'x', PATH: '/bin' } });
    expect(warnings).toEqual([
      {
        code: 'unknown-variable',
        message: 'FOOTNOTE_RETRIEVE__TOPK is not a setting, and was ignored',
        hint: 'did you mean FOOTNOTE_RETRIEVE__TOP_K?',
      },
    ]);
  });
});

describe('an index that exists', () => {
  const small = { chunk: { ...defaultPreset.chunk, maxTokens: 400 } };

  test('its index settings hold where nothing is said', async () => {
    expect((await resolved({ manifest: remembered(small) })).settings.chunk.maxTokens).toBe(400);
  });

  test('saying the same is no mismatch', async () => {
    const env = { FOOTNOTE_CHUNK__MAX_TOKENS: '400' };
    expect((await resolved({ manifest: remembered(small), env })).settings.chunk.maxTokens).toBe(400);
  });

  test('other index settings are refused, each named with both values', async () => {
    const env = { FOOTNOTE_CHUNK__MAX_TOKENS: '500', FOOTNOTE_ANALYZE__LANGUAGE: 'de', FOOTNOTE_RETRIEVE__TOP_K: '3' };
    const error = await refused({ manifest: remembered(small), env });
    expect(error.code).toBe('index-mismatch');
    expect(error.message).toContain('chunk.maxTokens is 400 there, 500 here');
    expect(error.message).toContain('analyze.language is auto there, de here');
    expect(error.message).not.toContain('topK');
    expect(error.hint).toContain('footnote ingest --rebuild');
  });

  test('a preset that was named is said in full', async () => {
    expect(await refused({ manifest: remembered(small), flags: { preset: 'default' } })).toMatchObject({
      code: 'index-mismatch',
    });
  });

  test('a rebuild accepts them, and keeps what was not said', async () => {
    const manifest = remembered({ ...small, analyze: { ...defaultPreset.analyze, language: 'de' } });
    const { settings } = await resolved({
      manifest,
      flags: { rebuild: true },
      env: { FOOTNOTE_CHUNK__MAX_TOKENS: '500' },
    });
    expect(settings.chunk.maxTokens).toBe(500);
    expect(settings.analyze.language).toBe('de');
  });

  test.each([
    [{ chunk: { ...defaultPreset.chunk, maxTokens: '512' } }, 'chunk.maxTokens must be a whole number'],
    [{ chunk: { ...defaultPreset.chunk, size: 3 } }, 'there is no setting chunk.size'],
  ])('what it remembers is checked where it has another shape than a preset', async (changes, message) => {
    const error = await refused({ manifest: remembered(changes as never) });
    expect(error).toMatchObject({ code: 'setting-invalid' });
    expect(error.message).toContain(message);
  });

  test('nothing is built yet: anything goes', async () => {
    const manifest = { ...remembered(small), active: null };
    const { settings } = await resolved({ manifest, env: { FOOTNOTE_CHUNK__MAX_TOKENS: '500' } });
    expect(settings.chunk.maxTokens).toBe(500);
  });
});

describe('trust in a file that was only found', () => {
  const environment = () => ({ HOME: home });

  test.each([
    '..',
    '/etc',
    'docs/../../x',
    'git:https://example.org/x.git',
    'git:../x',
    'git:host:x',
    'git:me@host:x',
    'github:a/b',
    'https://example.org/',
  ])('a source outside is refused: %s', async (from) => {
    await write(`sources: [{ from: "${from}" }]`);
    const error = await refused();
    expect(error).toMatchObject({ code: 'not-trusted' });
    expect(error.message).toContain(from);
    expect(error.hint).toContain('footnote trust');
  });

  test.each(['.', 'docs', './docs/a.md', 'git:.', 'git:./sub#main:docs', '..docs'])(
    'one inside is not: %s',
    async (from) => {
      await write(`sources: [{ from: "${from}" }]`);
      expect((await resolved()).settings.sources).toEqual([{ from }]);
    },
  );

  test('a symbolic link that leads outside is outside', async () => {
    await symlink('/etc', join(folder, 'docs'));
    await write('sources: [{ from: docs }]');
    expect(await refused()).toMatchObject({ code: 'not-trusted' });
  });

  test('naming the file, or not reading its sources, is no question of trust', async () => {
    await write('sources: [{ from: .. }]');
    await resolved({ flags: { config: 'footnote.yaml' } });
    await resolved({ env: { FOOTNOTE_CONFIG: 'footnote.yaml' } });
    await resolved({ addsSources: false });
  });

  const ALSO = 'name: x, use: openai, model: m, dimensions: 4';
  test.each([
    ['embed.baseUrl', 'embed: { use: openai, baseUrl: "https://evil.example/v1" }'],
    ['embed.keyVariable', 'embed: { use: openai, keyVariable: AWS_SECRET_ACCESS_KEY }'],
    [
      'embed.also.1.baseUrl',
      `embed: { also: [{ ${ALSO}, baseUrl: null, keyVariable: null }, { ${ALSO}, baseUrl: "http://evil.example", keyVariable: null }] }`,
    ],
    ['embed.also.0.keyVariable', `embed: { also: [{ ${ALSO}, baseUrl: null, keyVariable: HOME }] }`],
    ['rerank.baseUrl', 'rerank: { use: jina, baseUrl: "http://evil.example" }'],
    ['rerank.keyVariable', 'rerank: { use: jina, keyVariable: HOME }'],
    ['models.hub', 'models: { hub: "https://evil.example" }'],
  ])('an address or a key is refused, whatever the command: %s', async (key, text) => {
    await write(text);
    for (const addsSources of [true, false]) {
      const error = await refused({ addsSources });
      expect(error).toMatchObject({ code: 'not-trusted' });
      expect(error.message).toContain(`footnote.yaml was found here, and sets ${key}: `);
      expect(error.hint).toContain('footnote trust');
    }
    await trust(
      (await findConfigFile(folder)) as NonNullable<Awaited<ReturnType<typeof findConfigFile>>>,
      environment(),
    );
    expect(await refused({ env: { XDG_CONFIG_HOME: folder } })).toMatchObject({ code: 'not-trusted' });
  });

  test('what is as by default is no address', async () => {
    await write('embed: { baseUrl: null, keyVariable: null }\nmodels: { hub: "https://huggingface.co" }');
    await resolved();
  });

  describe('an index that was only found', () => {
    const embed = { ...defaultPreset.embed, use: 'openai' as const, baseUrl: 'http://server.example/v1', model: 'm' };
    const foundIndex = '/somewhere/.footnote';
    const manifest = remembered({ embed });

    test('chooses no address', async () => {
      const error = await refused({ manifest, foundIndex });
      expect(error).toMatchObject({ code: 'not-trusted' });
      expect(error.message).toContain('sets embed.baseUrl: http://server.example/v1');
      expect(error.hint).toContain(`--index ${foundIndex}`);
    });

    test('but the one that is said now, or was said when this user built it', async () => {
      await resolved({ manifest });
      await resolved({ manifest, foundIndex, env: { FOOTNOTE_EMBED__BASE_URL: embed.baseUrl } });
      await trustIndex(foundIndex, flatten({ embed }), environment());
      await resolved({ manifest, foundIndex });
      const other = remembered({ embed: { ...embed, baseUrl: 'http://evil.example' } });
      expect(await refused({ manifest: other, foundIndex })).toMatchObject({ code: 'not-trusted' });
      expect(await refused({ manifest, foundIndex: '/elsewhere/.footnote' })).toMatchObject({ code: 'not-trusted' });
    });

    test('trust of files and of indexes is kept side by side', async () => {
      await write('sources: [{ from: .. }]');
      await trust((await findConfigFile(folder)) as never, environment());
      await trustIndex(foundIndex, flatten({ embed }), environment());
      await resolved();
      await resolved({ manifest, foundIndex });
    });

    test('one without addresses needs no trust, and leaves no trace', async () => {
      await resolved({ manifest: remembered(), foundIndex });
      await trustIndex(foundIndex, flatten(remembered().settings), environment());
      await expect(stat(join(home, '.config'))).rejects.toThrow('ENOENT');
    });
  });

  test('trusted until it changes, only there, and privately remembered', async () => {
    await write('sources: [{ from: .. }]');
    const file = await findConfigFile(folder);
    await trust(file as NonNullable<typeof file>, environment());
    await resolved();
    const list = join(home, '.config', 'footnote', 'trusted.json');
    expect((await stat(list)).mode & 0o777).toBe(0o600);
    await write('sources: [{ from: ../.. }]');
    expect(await refused()).toMatchObject({ code: 'not-trusted' });
    await writeFile(list, 'damaged');
    await write('sources: [{ from: .. }]');
    expect(await refused()).toMatchObject({ code: 'not-trusted' });
  });

  test('XDG_CONFIG_HOME is where it is remembered', async () => {
    await write('sources: [{ from: .. }]');
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'xdg') };
    const file = await findConfigFile(folder);
    await trust(file as NonNullable<typeof file>, env);
    await resolved({ env });
    expect(await refused()).toMatchObject({ code: 'not-trusted' });
  });
});
