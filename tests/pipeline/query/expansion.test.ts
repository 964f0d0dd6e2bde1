import { beforeAll, describe, expect, test } from 'vitest';
import type { Generator, WriteRequest } from '../../../src/core/contracts.ts';
import { RagError } from '../../../src/core/errors.ts';
import type { QuerySettings } from '../../../src/core/settings.ts';
import type { SearchParts } from '../../../src/pipeline/parts.ts';
import { search } from '../../../src/pipeline/search.ts';
import { presetSettings } from '../../../src/presets/preset-settings.ts';
import { library, type Library } from '../library.ts';

let docs: Library;
beforeAll(async () => {
  docs = await library({
    'install.md': '# Installation\n\nRun the installer, then restart the computer.\n',
    'memory.md': '# Memory\n\nReduce the memory that the application uses by editing its options file.\n',
    'cats.md': '# Cats\n\nCats sleep most of the day.\n',
  });
});

/** A model that writes what it is told to, a few characters at a time. */
function scripted(answer: (request: WriteRequest) => string): {
  readonly writer: Generator;
  readonly asked: WriteRequest[];
} {
  const asked: WriteRequest[] = [];
  const writer: Generator = {
    model: 'scripted',
    generate: () => {
      throw new Error('no answer was asked for');
    },
    async *write(request) {
      asked.push(request);
      for (const text of answer(request).match(/[^]{1,7}/gu) ?? []) yield { type: 'text-delta', text };
      yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 1, costUsd: null } };
    },
  };
  return { writer, asked };
}

const partsWith = (query: Partial<QuerySettings>, writer?: Generator): SearchParts => ({
  ...docs.parts,
  settings: { ...docs.parts.settings, query: { ...presetSettings('default').query, ...query } },
  writer: async () => writer,
});
const run = (parts: SearchParts, query: string): ReturnType<typeof search> => search({ query, explain: true }, parts);
const legsOf = async (parts: SearchParts, query: string): Promise<string[]> =>
  ((await run(parts, query)).explanation?.stages ?? []).map(({ stage }) => stage).filter((name) => name.includes('('));

// [S2-future-hyde] [S2-missing-hyde]
test('an imagined answer is searched by its vectors, beside the question', async () => {
  const { writer, asked } = scripted(() => 'Cats sleep most of the day.');
  const parts = partsWith({ expand: 'hyde', expansionWeight: 1 }, writer);
  const question = 'Which pets rest a lot?';
  const { hits, explanation } = await run(parts, question);
  expect(asked).toMatchObject([{ input: question }]);
  expect(asked[0]?.instructions).not.toContain('pets');
  expect(hits[0]?.chunk.path).toBe('cats.md');
  const [leg] = explanation?.stages.filter(({ stage }) => stage === 'dense (hyde)') ?? [];
  expect(leg?.candidates[0]?.path).toBe('cats.md');
  expect(leg?.candidates[0]?.score).toBeGreaterThan(0.5);
});

// [S3-limit-expansion] [S2-missing-expansion]
test('other questions are searched by all legs, without doubles and without the question itself', async () => {
  const question = 'Which pets rest a lot?';
  const { writer } = scripted(() => `1. Do cats sleep?\n- ${question}\n\n* Do cats sleep?\n2) Feline rest\nToo many`);
  const parts = partsWith({ expand: 'queries', expansions: 2 }, writer);
  const { explanation } = await run(parts, question);
  expect(explanation?.stages[0]?.detail['expansions']).toEqual([
    { by: 'queries', text: 'Do cats sleep?', legs: ['keyword', 'dense'] },
    { by: 'queries', text: 'Feline rest', legs: ['keyword', 'dense'] },
  ]);
  expect(await legsOf(parts, question)).toEqual([
    'keyword (queries)', 'keyword (queries)', 'dense (queries)', 'dense (queries)',
  ]); // prettier-ignore
});

// [S0-future-synonyms]
test('synonyms come from the passages that are near, and need no model', async () => {
  const parts = partsWith({ expand: 'synonyms', expansions: 3 });
  const { explanation } = await run(parts, 'How can I save RAM?');
  const [expansion] = explanation?.stages[0]?.detail['expansions'] as { by: string; text: string }[];
  expect(expansion?.by).toBe('synonyms');
  expect(expansion?.text.split(' ')).toContain('memory');
  expect(expansion?.text).not.toMatch(/\b(?:ram|save)\b/u);
  expect(await legsOf(parts, 'How can I save RAM?')).toEqual(['keyword (synonyms)']);
});

describe('what fails', () => {
  const question = 'Which pets rest a lot?';

  test.each(['queries', 'hyde'] as const)('%s without a language model is a warning', async (expand) => {
    const { hits, warnings } = await run(partsWith({ expand }), question);
    expect(warnings).toMatchObject([{ code: 'expansion-failed', hint: 'query.expand: synonyms needs none' }]);
    expect(hits.map(({ chunk }) => chunk.id)).toEqual(
      (await run(docs.parts, question)).hits.map(({ chunk }) => chunk.id),
    );
  });

  test('a model that breaks off is a warning; one that says nothing adds nothing', async () => {
    const broken: Generator = {
      ...scripted(() => '').writer,
      async *write() {
        yield { type: 'text-delta', text: 'Cats' };
        throw new RagError('driver-unavailable', 'the stream broke off');
      },
    };
    expect((await run(partsWith({ expand: 'hyde' }, broken), question)).warnings).toMatchObject([
      { code: 'expansion-failed', message: expect.stringContaining('the stream broke off') as string },
    ]);
    const { warnings, explanation } = await run(partsWith({ expand: 'hyde' }, scripted(() => ' \n').writer), question);
    expect(warnings).toEqual([]);
    expect(explanation?.stages[0]?.detail['expansions']).toEqual([]);
  });
});
