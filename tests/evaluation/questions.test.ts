import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { containsFolded } from '../../src/evaluation/fold.ts';
import { labelIndex, resolveJudgments } from '../../src/evaluation/labels.ts';
import { parseQuestions, readDataset } from '../../src/evaluation/questions.ts';

const minimal = { query: 'How?', relevant_docs: ['a.md'] };

describe('question files', () => {
  // [S0-queries-list]
  test('an object with queries, or the bare list', () => {
    const [fromObject, fromList] = [{ queries: [minimal], count: 1 }, [minimal]].map((value) =>
      parseQuestions(JSON.stringify(value), 'q.json'),
    );
    expect(fromObject).toEqual(fromList);
    expect(fromObject?.questions).toEqual([
      {
        id: '#1',
        query: 'How?',
        kind: null,
        protocol: null,
        judgments: { by: 'label', labels: ['a.md'], equivalents: [] },
        quotes: [],
        keywords: [],
      },
    ]);
  });

  // [S0-queries-query] [S0-queries-relevant] [S0-queries-keywords]
  test('everything that is read, and nothing else', () => {
    const full = {
      ...minimal,
      id: 7,
      kind: 'how-to',
      protocol: 'bisq_easy',
      equivalent_docs: ['b.md'],
      ideal_answer_keywords: ['x', ' '],
      answer_quote: 'One.',
      more_quotes: ['Two.'],
      chat_history: [{ role: 'user', content: 'Hi' }],
      note: 'ignored',
    };
    const { questions, warnings } = parseQuestions(`\uFEFF${JSON.stringify([full])}`, 'q.json');
    expect(questions).toEqual([
      {
        id: '7',
        query: 'How?',
        kind: 'how-to',
        protocol: 'bisq_easy',
        judgments: { by: 'label', labels: ['a.md'], equivalents: ['b.md'] },
        quotes: ['One.', 'Two.'],
        keywords: ['x'],
      },
    ]);
    expect(warnings.map((warning) => warning.code)).toEqual(['chat-history-unused']);
  });

  test.each([
    ['not JSON, with the line', '[\n  {"query": "a",}\n]', /q\.json is not JSON, line 2: /],
    ['not JSON, with the words around', '{"queries": oops}', /q\.json is not JSON.*oops/],
    ['no list of queries', '{"questions": []}', /queries: /],
    ['no list in a list', '"text"', /the file: /],
    ['a missing field', '[{"query": "a", "relevant_docs": []}, {"query": "b"}]', /queries\[1\]\.relevant_docs: /],
    ['a field of another type', '[{"query": "a", "relevant_docs": [3]}]', /queries\[0\]\.relevant_docs\[0\]: /],
    ['an empty question', '[{"query": " ", "relevant_docs": []}]', /queries\[0\]\.query: is empty/],
    ['many errors at once', JSON.stringify(new Array(9).fill({})), /; and 15 more\.$/],
    ['no questions', '[]', /has no questions/],
  ])('%s', (_, text, message) => {
    expect(() => parseQuestions(text, 'q.json')).toThrow(
      expect.objectContaining({ code: 'file-invalid', message: expect.stringMatching(message) }),
    );
  });

  describe('on disk', () => {
    let folder = '';
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'footnote-questions-'));
      await writeFile(join(folder, 'q.json'), JSON.stringify([minimal]));
    });
    afterAll(() => rm(folder, { recursive: true }));

    test('a file is read, and named in errors when it is missing', async () => {
      expect((await readDataset(join(folder, 'q.json'))).questions).toHaveLength(1);
      await expect(readDataset(join(folder, 'none.json'))).rejects.toMatchObject({
        code: 'file-invalid',
        message: expect.stringMatching(/none\.json/),
      });
    });

    test('a folder has to be a BEIR collection', async () => {
      await expect(readDataset(folder)).rejects.toMatchObject({
        code: 'file-invalid',
        message: expect.stringMatching(/corpus\.jsonl/),
      });
    });
  });
});

const shared = fileURLToPath(new URL('../../../shared/data', import.meta.url));

describe.skipIf(!existsSync(shared))('shared questions (needs ../shared)', () => {
  test('every question file is read in full', async () => {
    const files = (await readdir(join(shared, 'questions'))).filter((name) => name.endsWith('.json'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const path = join(shared, 'questions', file);
      const { questions } = await readDataset(path);
      expect(questions.every((question) => question.kind !== null)).toBe(true);
    }
  });

  test.each(['md-wavemaker', 'md-vite'])('every label of %s is a file of its corpus', async (corpus) => {
    const root = join(shared, 'corpora', corpus);
    const files = await readdir(join(root, 'docs'), { recursive: true });
    const index = labelIndex(files.map((file) => pathToFileURL(join(root, 'docs', file)).href));
    const { questions } = await readDataset(join(shared, 'questions', `${corpus}.json`));
    expect(questions.flatMap(({ judgments }) => resolveJudgments(judgments, index).unmatched)).toEqual([]);
    const ambiguous = questions.flatMap(({ judgments }) =>
      judgments.by === 'label' ? judgments.labels.filter((label) => index.match(label).length !== 1) : [],
    );
    expect(ambiguous).toEqual([]);
  });

  test.each(['md-wavemaker', 'md-vite'])(
    'every labelled quote of %s is, folded, in one of its documents',
    async (corpus) => {
      const { questions } = await readDataset(join(shared, 'questions', `${corpus}.json`));
      const missing = questions.flatMap(({ judgments, quotes }) => {
        if (judgments.by !== 'label' || judgments.labels.length === 0) return [];
        const files = [...judgments.labels, ...judgments.equivalents].map((label) =>
          join(shared, 'corpora', corpus, label),
        );
        const texts = files.map((file) => readFileSync(file, 'utf8'));
        return quotes.filter((quote) => !texts.some((text) => containsFolded(text, quote)));
      });
      expect(missing).toEqual([]);
    },
  );
});
