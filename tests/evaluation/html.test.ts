/** The page of `eval --html`: made from real searches, read back as HTML. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preparePage } from '../../src/cli/evaluation-page.ts';
import { prepareFile } from '../../src/cli/prepare-file.ts';
import { evaluatePresets } from '../../src/evaluate-presets.ts';
import type { Evaluation } from '../../src/evaluation/evaluate.ts';
import type { PageInput } from '../../src/evaluation/html/input.ts';
import { html } from '../../src/evaluation/html/markup.ts';
import { evaluationPage } from '../../src/evaluation/html/page.ts';
import { linearScale, logScale, symmetricScale } from '../../src/evaluation/html/plot.ts';
import { EXPLANATION_CHARS, MOST_QUESTIONS } from '../../src/evaluation/html/questions.ts';
import { sightingOf, type Sighting } from '../../src/evaluation/html/sighting.ts';
import { wilson } from '../../src/evaluation/html/outcomes.ts';
import { createEngine, parseSource, presetSettings } from '../../src/index.ts';
import { elementsOf, type Element } from './html-elements.ts';

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror=alert(2)> "quoted" 'single' & \u202Ereversed`;

const PAGES: Readonly<Record<string, string>> = {
  'ports.md': '# Ports\n\nThe gateway listens on port 8787. Set `GATEWAY_PORT` to change it.\n',
  'logs.md': '# Logs\n\nThe gateway writes its log to the console, and to a file when it is told to.\n',
  'a<b>&"c.md': '# Odd names\n\nThe lantern of the keeper is lit at dusk.\n',
};

const QUERIES = [
  { query: 'Which port does the gateway listen on?', kind: 'how-to', relevant_docs: ['ports.md'] },
  { query: 'Where does the log of the gateway go?', kind: 'how-to', relevant_docs: ['logs.md', 'gone.md'] },
  { query: `When is the lantern lit? ${HOSTILE}`, kind: HOSTILE, relevant_docs: ['a<b>&"c.md'] },
  { query: 'Who won the chess olympiad of 1972?', kind: 'unanswerable', relevant_docs: [] },
];

let root = '';
let target = '';
let index = '';
let page = '';
let elements: readonly Element[] = [];
let evaluation: Evaluation;
const presets = ['default', 'keyword'].map((name) => ({ name, settings: presetSettings(name) }));

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'footnote-html-'));
  target = join(root, 'questions.json');
  index = join(root, 'index');
  for (const [path, text] of Object.entries(PAGES)) {
    await mkdir(dirname(join(root, 'docs', path)), { recursive: true });
    await writeFile(join(root, 'docs', path), text);
  }
  await writeFile(target, JSON.stringify({ queries: QUERIES }));
  const engine = await createEngine({ folder: index, settings: presetSettings('default') });
  await engine.ingest({ sources: [parseSource('docs', { cwd: root })] });
  await engine.close();
  const file = join(root, 'page.html');
  const writer = await preparePage(file, target, { presets, varied: [] }, { preset: 'default,keyword' });
  evaluation = await evaluatePresets({ target, folder: index, presets, ...writer });
  await writer.write(evaluation);
  page = await readFile(file, 'utf8');
  elements = elementsOf(page);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const attributes = (name: string): string[] => elements.flatMap((element) => element.attributes.get(name) ?? []);

describe('what documents and questions say is data', () => {
  test('no element, attribute or address of theirs', () => {
    expect(elements.filter(({ name }) => name === 'script')).toHaveLength(1);
    expect(elements.filter(({ name }) => ['img', 'link', 'iframe', 'object', 'base', 'form'].includes(name))).toEqual([
      expect.objectContaining({ name: 'form' }),
    ]);
    const names = new Set(elements.flatMap((element) => [...element.attributes.keys()]));
    expect(
      [...names].filter((name) => name.startsWith('on') || ['style', 'src', 'srcset', 'action'].includes(name)),
    ).toEqual([]);
    expect(attributes('href').filter((href) => !/^#[\w-]+$/.test(href))).toEqual([]);
  });

  test('they are there as text, with what reorders text made visible', () => {
    expect(page).toContain(
      '&lt;img src=x onerror=alert(2)&gt; &quot;quoted&quot; &#39;single&#39; &amp; \\u202ereversed',
    );
    expect(page).not.toContain('\u202E');
    expect(page).toContain('a&lt;b&gt;&amp;&quot;c.md');
  });

  test('the policy names the page’s own script and style, by their bytes, and nothing else', () => {
    const policy = elements.find(
      ({ name, attributes: own }) => name === 'meta' && own.get('content')?.includes('default-src'),
    );
    const sources = (element: string): string => {
      const body = new RegExp(`<${element}>([^]*?)</${element}>`).exec(page)?.[1] ?? '';
      return `${element}-src 'sha256-${createHash('sha256').update(body).digest('base64')}'`;
    };
    expect(policy?.attributes.get('content')?.replaceAll('&#39;', "'")).toBe(
      `default-src 'none'; ${sources('style')}; ${sources('script')}; base-uri 'none'; form-action 'none'`,
    );
  });
});

describe('the page', () => {
  test('is well-formed, and every link leads to a place on it', () => {
    const ids = attributes('id');
    expect(new Set(ids).size).toBe(ids.length);
    expect(attributes('href').filter((href) => !ids.includes(href.slice(1)))).toEqual([]);
    expect(ids).toEqual(
      expect.arrayContaining(['retrieval', 'differences', 'kinds', 'latency', 'pairs', 'q0', 'q0-0', 'q3-1']),
    );
  });

  test('says the figures of the report', () => {
    const value = evaluation.report.presets['keyword']?.retrieval['ndcg@10'] ?? Number.NaN;
    expect(page).toContain(value.toFixed(3));
    expect(page).toContain('default</bdi> against <bdi>keyword');
    expect(page).toContain('No indexed document matches the label gone.md');
    expect(page.match(/not indexed/g)?.length).toBe(1);
  });

  test('shows how each answer was found, and the command that shows it again', () => {
    const explained = page.match(/<details class="explanation">/g)?.length;
    expect(explained).toBe(QUERIES.length * presets.length);
    expect(page).toMatch(/footnote search --index \S+ --preset keyword --explain -- &#39;Which port does/);
    expect(page).toContain('lantern lit? &lt;/script&gt;');
    // A quote mark of the question is closed, escaped and opened again for the shell.
    expect(page).toContain('&#39;\\&#39;&#39;single&#39;\\&#39;&#39;');
  });

  test('same input, same bytes; and a preset that was left out is not missed', () => {
    const input: PageInput = {
      target,
      date: new Date(0),
      version: '1',
      evaluation,
      presets: presets.map((preset) => ({ ...preset, index: null, command: (query: string) => query })),
      sightings: new Map(presets.map(({ name }) => [name, evaluation.results.get(name)?.map(() => EMPTY) ?? []])),
    };
    expect(evaluationPage(input)).toBe(evaluationPage(input));
    const one = { ...input, presets: input.presets.slice(0, 1) };
    expect(elementsOf(evaluationPage(one)).flatMap((element) => element.attributes.get('id') ?? [])).toContain('q0-0');
  });

  test('stays small: sections and explanations are limited, and what is left out is said', () => {
    const [result] = evaluation.results.get('default') ?? [];
    if (result === undefined) throw new Error('nothing was measured');
    const many = Array.from({ length: MOST_QUESTIONS + 100 }, (_, i) => ({
      ...result,
      id: `#${i}`,
      query: `Question ${i}?`,
    }));
    const large: Sighting = {
      ...EMPTY,
      stages: [{ stage: 'plan', milliseconds: 0, detail: 'x'.repeat(260) }],
      ranking: ['dense'],
      candidates: Array.from({ length: 40 }, () => ({
        name: 'n'.repeat(100),
        section: 's'.repeat(100),
        relevant: false,
        reasons: [],
        ranks: [[1, 0.5] as const],
      })),
    };
    const text = evaluationPage({
      target,
      date: new Date(0),
      version: '1',
      evaluation: { report: evaluation.report, results: new Map([['default', many]]) },
      presets: presets.slice(0, 1).map((preset) => ({ ...preset, index: null, command: (query) => query })),
      sightings: new Map([['default', many.map(() => large)]]),
    });
    expect(text).toContain(`${MOST_QUESTIONS} of ${MOST_QUESTIONS + 100} questions have a section`);
    expect(text).toMatch(/\d+ explanations are left out/);
    expect(text.length).toBeLessThan(EXPLANATION_CHARS + 1_500_000);
  });
});

const EMPTY: Sighting = {
  labels: [],
  quotes: [],
  firstRelevant: null,
  documents: [],
  answer: null,
  stages: [],
  ranking: [],
  candidates: [],
};

test('a stage that changed nothing has no column of its own; candidates keep rank and score of each stage', async () => {
  const engine = await createEngine({ folder: index, settings: presetSettings('default') });
  const found = await engine.search({ query: 'gateway port', distinctDocuments: 30, explain: true });
  await engine.close();
  const relevant = new Map(
    found.hits.filter(({ chunk }) => chunk.path === 'ports.md').map(({ chunk }) => [chunk.uri, 1]),
  );
  const result = evaluation.results.get('default')?.[0];
  if (result === undefined) throw new Error('nothing was measured');
  const sighting = sightingOf({
    question: {
      ...{ id: '#1', query: 'gateway port', kind: null, protocol: null, quotes: [], keywords: [] },
      judgments: { by: 'label', labels: ['ports.md'], equivalents: [] },
    },
    relevant: { grades: relevant, ideal: [1], unmatched: [] },
    found,
    answer: null,
    result,
  });
  expect(sighting.firstRelevant).toBe(1);
  expect(sighting.documents[0]).toEqual({ name: 'ports.md', relevant: true });
  const ranked = found.explanation?.stages.filter(({ candidates }) => candidates.length > 0).map(({ stage }) => stage);
  expect(ranked?.at(-1)).toBe('diversify');
  expect(sighting.ranking).toEqual(ranked?.slice(0, ranked.indexOf('fuse') + 1));
  const [first] = sighting.candidates;
  const scores = found.hits[0]?.scores ?? [];
  expect(first).toMatchObject({ name: 'ports.md', relevant: true });
  for (const stage of ['dense', 'keyword']) {
    const { rank, score } = scores.find((own) => own.stage === stage) ?? { rank: 0, score: 0 };
    expect(first?.ranks[sighting.ranking.indexOf(stage)]).toEqual([rank, score]);
  }
  expect(sighting.stages.map(({ stage }) => stage)).toEqual(found.explanation?.stages.map(({ stage }) => stage));
});

test('html`` escapes all but markup, and its own white space is one space', () => {
  expect(html`a b ${'<b>\n'} ${html`<i>${'&'}</i>`}${null}${['"', 2]}`.markup).toBe(
    'a b &lt;b&gt;\n <i>&amp;</i>&quot;2',
  );
});

test('axes hold all values at round ticks', () => {
  const scale = linearScale([0.733, 0.812], { atLeast: 0.2, within: [0, 1] });
  expect(scale.ticks.map(({ label }) => label)).toEqual(['0.65', '0.70', '0.75', '0.80', '0.85', '0.90']);
  expect(
    linearScale([1, 1], { atLeast: 0.2, within: [0, 1] })
      .ticks.map(({ label }) => label)
      .at(-1),
  ).toBe('1.00');
  expect(symmetricScale([-0.03, 0.01], 0.02).ticks.map(({ label }) => label)).toEqual([
    '−0.04',
    '−0.02',
    '0',
    '0.02',
    '0.04',
  ]);
  expect(symmetricScale([0, 0], 0.02).place(0)).toBe('50.00%');
  const times = logScale([7, 7]);
  expect(Number.parseFloat(times.place(7))).toBeGreaterThan(3);
  expect(Number.parseFloat(times.place(1e9))).toBeLessThan(97);
});

test('Wilson interval of 8 in 10', () => {
  const [lower, upper] = wilson(8, 10);
  // By hand, z = 1.96: (0.8 + 0.19208 ± 1.96 √(0.016 + 0.009604)) / 1.38416.
  expect(lower).toBeCloseTo(0.4902, 3);
  expect(upper).toBeCloseTo(0.9433, 3);
});

describe('the file', () => {
  test('what cannot be written is said before any work, and nothing is left behind', async () => {
    await expect(prepareFile(join(root, 'none', 'page.html'))).rejects.toMatchObject({
      code: 'storage-failed',
      message: expect.stringContaining('its folder does not exist'),
    });
    await expect(prepareFile(root)).rejects.toMatchObject({ message: expect.stringContaining('it is a folder') });
    await expect(prepareFile(join(target, 'page.html'))).rejects.toMatchObject({
      message: expect.stringContaining('a part of its path is a file'),
    });
  });

  test('an older one stays until the new one is whole', async () => {
    const folder = join(root, 'older');
    await mkdir(folder);
    await writeFile(join(folder, 'page.html'), 'old');
    const write = await prepareFile(join(folder, 'page.html'));
    expect(await readFile(join(folder, 'page.html'), 'utf8')).toBe('old');
    await write('new');
    expect(await readFile(join(folder, 'page.html'), 'utf8')).toBe('new');
    expect(await readdir(folder)).toEqual(['page.html']);
  });
});
