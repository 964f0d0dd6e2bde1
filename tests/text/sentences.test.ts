import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sentences } from '../../src/text/sentences.ts';

const cut = (text: string): readonly string[] => sentences(text).map(({ start, end }) => text.slice(start, end));

test.each([
  ['two sentences', 'One. Two.', ['One.', 'Two.']],
  ['questions and exclamations', 'Why? Because! Really?! Yes.', ['Why?', 'Because!', 'Really?!', 'Yes.']],
  ['a line end is no sentence end', 'One\nline. Two\r\nlines.', ['One\nline.', 'Two\r\nlines.']],
  ['a sentence without an end', 'One. Two', ['One.', 'Two']],
  ['abbreviations', 'See e.g. Alpha, i.e. Beta, etc. Done. Next.', ['See e.g. Alpha, i.e. Beta, etc. Done.', 'Next.']],
  ['a figure', 'See Fig. 3 and Sec. 4 for it. Done.', ['See Fig. 3 and Sec. 4 for it.', 'Done.']],
  ['initials', 'J. R. Smith wrote it. Yes.', ['J. R. Smith wrote it.', 'Yes.']],
  ['versions', 'Use v5.4.1 now. Then 5.4. Done.', ['Use v5.4.1 now.', 'Then 5.4.', 'Done.']],
  ['a number that ends a sentence', 'The port is 80. The host is not.', ['The port is 80.', 'The host is not.']],
  ['numbers of list items', '1. Open it.\n2. Close it.', ['1. Open it.', '2. Close it.']],
  ['of indented ones', '   10. Open it.\n  > 2. Close it.', ['10. Open it.', '> 2. Close it.']],
  ['addresses', 'See https://example.org/a.b/c.html. Next.', ['See https://example.org/a.b/c.html.', 'Next.']],
  ['a small letter goes on', 'Edit config. json now. Done.', ['Edit config. json now.', 'Done.']],
  ['dots', 'Wait... what? Wait... No.', ['Wait... what?', 'Wait...', 'No.']],
  ['quotes and brackets', 'He said “Yes.” She (too.) Then.', ['He said “Yes.”', 'She (too.)', 'Then.']],
  ['Markdown marks', '**Bold.** _Slanted._ Plain.', ['**Bold.**', '_Slanted._', 'Plain.']],
  [
    'a code span is never cut',
    'Run `git. Then` now. Use ``a ` b. C`` too.',
    ['Run `git. Then` now.', 'Use ``a ` b. C`` too.'],
  ],
  ['nor ends a sentence inside', 'Use `foo.` Then go. Yes.', ['Use `foo.` Then go.', 'Yes.']],
  ['a lone backtick is no code', 'A ` stray. And on. Yes.', ['A ` stray.', 'And on.', 'Yes.']],
  ['Chinese and Japanese', '数据库。端口！好？「終わり。」次', ['数据库。', '端口！', '好？', '「終わり。」', '次']],
  ['white space only', ' \n\t\u3000\u00a0', []],
  ['nothing', '', []],
])('%s', (_, text, expected) => {
  expect(cut(text)).toEqual(expected);
});

describe('places', () => {
  const piece = fc.constantFrom(
    'One',
    'two',
    '.',
    '. ',
    '! ',
    '…',
    '`',
    '``',
    ' ',
    '\n',
    '。',
    '5.4',
    '1. ',
    'e.g. ',
    '**',
    '😀',
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.lorem({ mode: 'sentences' }),
  );

  test('are in order, do not overlap, and hold everything but white space', () => {
    fc.assert(
      fc.property(text, (written) => {
        let last = 0;
        for (const { start, end } of sentences(written)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(written.slice(last, start).trim()).toBe('');
          expect(written.slice(start, end)).not.toMatch(/^[ \t\n\r]|[ \t\n\r]$/u);
          last = end;
        }
        expect(written.slice(last).trim()).toBe('');
      }),
    );
  });

  test('are those of each sentence alone', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('One two.', 'Is it?', 'Set `a. b` now!', 'Done “so.”')), (parts) => {
        expect(cut(parts.join(' '))).toEqual(parts);
      }),
    );
  });
});

// A linear run takes milliseconds; the quadratic ones that these texts were found with took minutes.
test.each([
  ['dots', `${'.'.repeat(300_000)}x`],
  ['dots and quotes', `.${'"'.repeat(300_000)}x`],
  ['numbers', '1. '.repeat(100_000)],
  ['backticks', '`'.repeat(300_000)],
  ['growing runs of backticks', Array.from({ length: 700 }, (_, i) => '`'.repeat(i)).join(' ')],
  ['code spans', '`a. b` '.repeat(50_000)],
  ['abbreviations', 'e.g. '.repeat(60_000)],
  ['spaces', `.${' '.repeat(300_000)}.`],
])('hostile: %s, in linear time', (_, text) => {
  const started = performance.now();
  sentences(text);
  expect(performance.now() - started).toBeLessThan(5000);
});
