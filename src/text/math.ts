/**
 * Notation as it is written (seed 001, "Query Processing"): a formula is one term, whatever its spaces, and so is each
 * command in it. Letter case stays, since `\Delta` is not `\delta`.
 *
 *     The energy $E = mc^2$, where \alpha is …
 *                ^^^^^^^^^^        ^^^^^^
 */

/** Longer ones are found by the commands and words in them. */
const LONGEST = 200;

/**
 * `$$…$$`, `\[…\]`, `\(…\)` and `$…$`. As in Pandoc, a dollar with a space inside of it or a digit behind it is money:
 * "from $5 to $10" holds no formula.
 */
const FORMULA = new RegExp(
  [
    String.raw`\$\$([^$]{1,${LONGEST}})\$\$`,
    String.raw`\\\[([^$]{1,${LONGEST}}?)\\\]`,
    String.raw`\\\(([^$]{1,${LONGEST}}?)\\\)`,
    String.raw`(?<![\\$])\$([^\s$](?:[^$]{0,${LONGEST}}[^\s$\\])?)\$(?![\d$])`,
  ].join('|'),
  'gu',
);
const COMMAND = /\\[A-Za-z]+/g;

/** Formulas and commands of a text, with repetitions. */
export function mathTerms(text: string): string[] {
  if (!text.includes('$') && !text.includes('\\')) return [];
  const formulas = [...text.matchAll(FORMULA)].flatMap(([, ...found]) => {
    // One of the alternatives has matched.
    const inner = found.join('');
    return /\n\s*\n/u.test(inner) ? [] : [`$${inner.replace(/\s+/gu, '').normalize('NFC')}$`];
  });
  return [...formulas, ...(text.match(COMMAND) ?? [])];
}
