/**
 * Whole answers without a model: tests/golden/answers/CASE has the document, the question, and the answer that is
 * expected. After a change that is meant: `npx vitest run golden -u`, and read what has changed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { library } from '../pipeline/library.ts';

const folder = fileURLToPath(new URL('./answers/', import.meta.url));

// [S1-tests-integration]
test.each(readdirSync(folder))('%s', async (name) => {
  const read = (file: string): string => readFileSync(join(folder, name, file), 'utf8');
  const docs = await library({ 'document.md': read('document.md') });
  const { answer } = await docs.ask(read('question.txt').trim());
  const expected = {
    outcome: answer.outcome,
    text: answer.text,
    citations: answer.citations.map(({ label, answerSpan, headingPath, lines, span, quote, support }) => ({
      label,
      statement: answer.text.slice(answerSpan.start, answerSpan.end).split(/\r?\n/u, 1)[0],
      headingPath,
      lines,
      span,
      quote,
      support,
    })),
  };
  await expect(`${JSON.stringify(expected, null, 2)}\n`).toMatchFileSnapshot(join(folder, name, 'expected.json'));
  const text = read('document.md');
  for (const { span, quote } of answer.citations) expect(text.slice(span.start, span.end)).toBe(quote);
});
