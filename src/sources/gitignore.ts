/**
 * The rules of the `.gitignore` files of a folder and of those above it, up to the source's root. Rules from above
 * the root do not count: who names a folder wants it, also where the project around it ignores it.
 */
import ignore, { type Ignore } from 'ignore';

/** Beyond this a pattern's regular expression can take minutes on one name; no rule in earnest comes near. */
const MAX_STARS_IN_PART = 4;
const MAX_DOUBLE_STARS = 3;

export interface IgnoreRules {
  /** @param path relative to the source's root; a folder's ends with `/`. */
  ignores(path: string): boolean;
  /** The rules in a subfolder that has a `.gitignore` of its own. */
  within(folder: string, text: string): IgnoreRules;
  /** Lines of `.gitignore` that are not applied, because matching them could take for ever. */
  readonly refused: readonly string[];
}

export const noIgnoreRules = (): IgnoreRules => rulesOf(ignore({ ignorecase: false }), []);

function rulesOf(rules: Ignore, refused: readonly string[]): IgnoreRules {
  return {
    refused,
    ignores: (path) => rules.ignores(path),
    within(folder, text) {
      const lines = text
        .replace(/^\uFEFF/u, '')
        .split(/\r?\n/u)
        .filter(isPattern);
      const accepted = lines.filter((line) => !isCostly(line));
      const below = ignore({ ignorecase: false }).add(rules);
      return rulesOf(below.add(accepted.map((line) => rebase(line, folder))), lines.filter(isCostly));
    },
  };
}

const isPattern = (line: string): boolean => line.trim() !== '' && !line.startsWith('#');

function isCostly(pattern: string): boolean {
  const parts = pattern.split('/');
  return (
    parts.filter((part) => part.includes('**')).length > MAX_DOUBLE_STARS ||
    parts.some((part) => part.split('*').length - 1 > MAX_STARS_IN_PART)
  );
}

// Rewrites a pattern of a subfolder's file for the root, so that one list, in git's order, decides. In folder a:
//   foo    ->  /a/**/foo        a name at any depth below it
//   /foo   ->  /a/foo           a slash before the last character binds a pattern to its folder
//   x/foo  ->  /a/x/foo
function rebase(line: string, folder: string): string {
  if (folder === '') return line;
  const negated = line.startsWith('!');
  const pattern = negated ? line.slice(1) : line;
  const bound = pattern.replace(/\/\s*$/u, '').includes('/');
  // "\!" and "\#" need their backslash at the start of a line only; elsewhere it changes nothing.
  const prefix = `/${folder.replace(/[\\*?[\]! ]/gu, '\\$&')}/${bound ? '' : '**/'}`;
  return `${negated ? '!' : ''}${prefix}${pattern.replace(/^\//u, '')}`;
}
