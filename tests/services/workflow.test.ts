/** Model services as users meet them: the commands, as processes, against a server that counts what reaches it. */
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { project, type Json, type Project } from '../cli/footnote.ts';
import { openaiAnswer, replay, type Asked, type Replay } from './replay.ts';

const PAGES = {
  'docs/ports.md': '# Ports\n\nThe gateway listens on port 8787.\n\n## Change\n\nSet `GATEWAY_PORT`.\n',
  'docs/logs.md': '# Logs\n\nThe gateway writes its log to the console.\n',
};

let server: Replay;
let rerank: (asked: Asked) => Json = () => ({ status: 500, json: { detail: 'down' } });
beforeAll(async () => {
  server = await replay((asked) => (asked.path.endsWith('/rerank') ? rerank(asked) : openaiAnswer(asked, 48)));
});
afterAll(() => server.close());
beforeEach(() => void server.asked.splice(0));

/** Texts that the server embedded. */
const embedded = (): string[] => server.asked.flatMap(({ body }) => (body['input'] as string[] | undefined) ?? []);
const settings = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  FOOTNOTE_EMBED__USE: 'openai',
  FOOTNOTE_EMBED__MODEL: 'own',
  FOOTNOTE_EMBED__DIMENSIONS: '48',
  FOOTNOTE_EMBED__BASE_URL: `${server.url}/v1`,
  ...more,
});
async function json(here: Project, args: readonly string[], env = {}, code = 0): Promise<Json> {
  const result = await here.run([...args, '--json'], env);
  if (result.code !== code) throw new Error(`exit ${result.code}: ${result.stderr}`);
  return JSON.parse(result.stdout);
}

describe('the embedding cache', () => {
  test('a rebuild embeds nothing, a changed page what is new, a search its question once', async () => {
    const here = await project(PAGES);
    const first = await json(here, ['ingest', 'docs'], settings());
    const texts = embedded();
    expect(texts.length).toBeGreaterThan(2);
    expect(new Set(texts).size).toBe(texts.length);
    expect(first.embeddings).toEqual({ computed: texts.length, kept: expect.any(Number) });

    server.asked.splice(0);
    const again = await json(here, ['ingest', '--rebuild'], settings());
    expect(embedded()).toEqual([]);
    expect(again.embeddings).toEqual({ computed: 0, kept: texts.length + first.embeddings.kept });

    await here.write({ 'docs/logs.md': '# Logs\n\nThe gateway writes its log to a file.\n' });
    expect((await here.run(['ingest'], settings())).stdout).toContain('1 text embedded, 1 from the cache');
    expect(embedded()).toEqual([expect.stringContaining('writes its log to a file')]);

    server.asked.splice(0);
    await json(here, ['search', 'which port']);
    await json(here, ['search', 'which port']);
    expect(embedded()).toEqual(['which port']);
  });

  test('it may be deleted, switched off, or damaged', async () => {
    const here = await project(PAGES);
    await json(here, ['ingest', 'docs'], settings());
    const all = embedded().length;
    const cache = join(here.folder, '.footnote', 'cache.sqlite');
    for (const suffix of ['', '-wal', '-shm']) await rm(cache + suffix, { force: true });

    server.asked.splice(0);
    await json(here, ['ingest', '--rebuild'], settings());
    expect(embedded()).toHaveLength(all);

    server.asked.splice(0);
    for (const suffix of ['-wal', '-shm']) await rm(cache + suffix, { force: true });
    await writeFile(cache, 'nonsense '.repeat(1000));
    const report = await json(here, ['ingest', '--rebuild'], settings());
    expect(embedded()).toHaveLength(all);
    expect(report.warnings.map(({ code }: Json) => code)).toEqual(['embedding-cache-damaged']);

    server.asked.splice(0);
    await rm(cache, { force: true });
    const off = await project(PAGES);
    for (const args of [['docs'], ['--rebuild']])
      await json(off, ['ingest', ...args], settings({ FOOTNOTE_CACHE__EMBEDDINGS: 'none' }));
    expect(embedded()).toHaveLength(2 * all);
    expect(await readdir(join(off.folder, '.footnote'))).not.toContain('cache.sqlite');
  });

  test('an interrupted first run may leave it: the folder is an index all the same', async () => {
    const here = await project({ ...PAGES, '.footnote/cache.sqlite': '', '.footnote/cache.sqlite-wal': '' });
    await json(here, ['ingest', 'docs'], settings());
  });

  test('the indexes of an evaluation share it', async () => {
    const here = await project({
      ...PAGES,
      'questions.json': JSON.stringify({ queries: [{ query: 'which port', relevant_docs: ['ports.md'] }] }),
    });
    await json(here, ['ingest', 'docs'], settings());
    const chunks = embedded();
    server.asked.splice(0);
    const other = settings({ FOOTNOTE_ANALYZE__STEM: 'false' });
    await json(here, ['eval', 'questions.json', '--preset', 'default'], other);
    // The question, and the sentences that an extractive answer chooses from: no chunk.
    expect(embedded()).toContain('which port');
    expect(embedded().filter((text) => chunks.includes(text))).toEqual([]);
    expect(await readdir(join(here.folder, '.footnote', 'eval'))).toHaveLength(1);
  });

  test('the built-in model has none', async () => {
    const here = await project(PAGES);
    expect(await json(here, ['ingest', 'docs'])).not.toHaveProperty('embeddings');
    expect(await readdir(join(here.folder, '.footnote'))).not.toContain('cache.sqlite');
  });
});

describe('what is sent', () => {
  test('a key in the environment is not sent where nobody named it', async () => {
    const here = await project(PAGES);
    await json(here, ['ingest', 'docs'], settings({ OPENAI_API_KEY: 'sk-secret' }));
    expect(server.asked.map(({ headers }) => headers.authorization)).not.toContain('Bearer sk-secret');
    const named = await project(PAGES);
    const more = { OTHER: 'a-key', FOOTNOTE_EMBED__KEY_VARIABLE: 'OTHER' };
    server.asked.splice(0);
    await json(named, ['ingest', 'docs'], settings(more));
    expect(new Set(server.asked.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer a-key']));
    expect(await here.shell(`grep -rl "sk-secret\\|a-key" .footnote ${named.folder}/.footnote`)).toMatchObject({
      stdout: '',
    });
  });

  test('a search by words sends nothing', async () => {
    const here = await project(PAGES);
    await json(here, ['ingest', 'docs'], settings());
    server.asked.splice(0);
    expect((await json(here, ['search', 'GATEWAY_PORT', '--mode', 'keyword'])).hits[0].path).toBe('ports.md');
    expect(server.asked).toHaveLength(0);
  });

  test('without the key that is needed, nothing is sent, and the variable is named', async () => {
    const here = await project(PAGES);
    const { code, stderr } = await here.run(['ingest', 'docs'], { FOOTNOTE_EMBED__USE: 'openai' });
    expect(code).toBe(2);
    expect(stderr).toContain('OpenAI needs a key, and OPENAI_API_KEY is not set');
    expect(stderr).toContain('export OPENAI_API_KEY=');
  });

  test('what listens on the machine changes nothing: a key and a server are a hint, not a wish', async () => {
    const here = await project(PAGES);
    const env = { OPENAI_API_KEY: 'sk-secret', OPENAI_BASE_URL: server.url, OLLAMA_HOST: server.url };
    await json(here, ['ingest', 'docs'], env);
    expect((await json(here, ['status'], env)).model).toContain('static-docs-384');
    expect(server.asked).toHaveLength(0);
  });
});

describe('a reranker', () => {
  const env = (): Record<string, string> => ({ FOOTNOTE_RERANK__USE: 'jina', FOOTNOTE_RERANK__BASE_URL: server.url });

  test('orders the hits', async () => {
    const here = await project(PAGES);
    await json(here, ['ingest', 'docs']);
    rerank = ({ body }) => {
      const documents = body['documents'] as string[];
      const results = documents.map((text, index) => ({
        index,
        relevance_score: text.includes('console') ? 0.9 : 0.1,
      }));
      return { json: { model: body['model'], results, usage: { total_tokens: 1 } } };
    };
    const { hits, warnings } = await json(here, ['search', 'which port does the gateway listen on'], env());
    expect(hits[0].path).toBe('logs.md');
    expect(warnings).toEqual([]);
    expect(server.asked).toHaveLength(1);
  });

  test('one that fails leaves the order, and says so', async () => {
    const here = await project(PAGES);
    await json(here, ['ingest', 'docs']);
    const paths = ({ hits }: Json): string[] => hits.map(({ path }: Json) => path);
    const plain = await json(here, ['search', 'which port']);
    rerank = () => ({ status: 401, json: { detail: 'Invalid API key' } });
    const failed = await json(here, ['search', 'which port'], env());
    expect(paths(failed)).toEqual(paths(plain));
    expect(failed.warnings).toMatchObject([
      { code: 'rerank-failed', message: expect.stringContaining('Invalid API key') },
    ]);
  });
});

describe('trust', () => {
  test('a found file chooses no address for any command, until it is trusted', async () => {
    const here = await project(PAGES);
    await json(here, ['ingest', 'docs']);
    await here.write({ 'footnote.yaml': `rerank: { use: jina, baseUrl: "${server.url}", keyVariable: HOME }` });
    for (const args of [['ingest'], ['ingest', 'docs'], ['search', 'port'], ['ask', 'which port?'], ['status']]) {
      const { code, stderr } = await here.run(args);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toContain(`footnote.yaml was found here, and sets rerank.baseUrl: ${server.url}`);
      expect(stderr).toContain('footnote trust');
    }
    expect((await here.run(['doctor'])).stdout).toContain('sets rerank.baseUrl');
    expect(server.asked).toHaveLength(0);
    expect((await here.run(['trust'])).stdout).toContain(`  rerank.baseUrl: ${server.url}\n  rerank.keyVariable: HOME`);
    await json(here, ['search', 'port']);
    expect(server.asked.length).toBeGreaterThan(0);
  });

  test('named or trusted, it may; what is as by default needs no trust', async () => {
    const embed = `embed: { use: openai, model: own, dimensions: 48, baseUrl: "${server.url}/v1" }`;
    const here = await project({ ...PAGES, 'footnote.yaml': embed });
    await json(here, ['ingest', 'docs', '--config', 'footnote.yaml']);
    expect(embedded().length).toBeGreaterThan(0);
    const usual = await project({
      ...PAGES,
      'footnote.yaml': 'embed: { baseUrl: null, keyVariable: null }\nmodels: { hub: "https://huggingface.co" }',
    });
    await json(usual, ['ingest', 'docs']);
  });

  test('a found index may not either, unless this user built it', async () => {
    const here = await project(PAGES);
    await json(here, ['ingest', 'docs'], settings());
    server.asked.splice(0);
    await json(here, ['search', 'port']);
    expect(embedded()).toEqual(['port']);

    server.asked.splice(0);
    const other = await project();
    await cp(join(here.folder, '.footnote'), join(other.folder, '.footnote'), { recursive: true });
    for (const args of [['search', 'another'], ['ask', 'another?'], ['status'], ['ingest']]) {
      const { code, stderr } = await other.run(args, { OPENAI_API_KEY: 'sk-secret' });
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toContain('was found here, and sets embed.baseUrl');
      expect(stderr).toContain('--index');
    }
    expect(server.asked).toHaveLength(0);
    await json(other, ['search', 'another', '--index', '.footnote']);
    await json(other, ['search', 'one more'], { FOOTNOTE_EMBED__BASE_URL: `${server.url}/v1` });
    expect(embedded()).toEqual(['another', 'one more']);
  });
});
