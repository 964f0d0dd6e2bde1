/** `import` and `export` statements at the top level of MDX. Never evaluated: only their last line is found. */

export type StatementEnd =
  | { readonly kind: 'statement'; readonly at: number }
  /** Begins like one, but its brackets do not close; `at` tells how far the reading went. */
  | { readonly kind: 'unfinished'; readonly at: number }
  | { readonly kind: 'no-statement' };

const MAX_STATEMENT_CHARS = 50_000;
const STATEMENT_START =
  /^(?:import\s*(?:['"{*]|[\w$]+(?:\s*,\s*[{*]|\s+from\b)|type\s+[{\w])|export\s*(?:\{|\*\s|(?:const|let|var)\s+[\w${[]|(?:async\s+)?function\b|class\s|default\s+(?:async\b|function\b|class\b|[({[])))/u;

/** Where the statement that begins at `start` ends: a line's end with all brackets closed, before a blank line. */
export function moduleStatementEnd(text: string, start: number, limit: number): StatementEnd {
  if (!STATEMENT_START.test(text.slice(start, start + 500))) return { kind: 'no-statement' };
  const stop = Math.min(limit, start + MAX_STATEMENT_CHARS);
  const brackets: BracketState = { depth: 0, inside: '' };
  let line = start;
  while (line < stop) {
    const newline = text.indexOf('\n', line);
    const lineEnd = newline < 0 || newline > stop ? stop : newline;
    readBrackets(text, line, lineEnd, brackets);
    if (brackets.depth < 0) break;
    if (brackets.depth === 0 && brackets.inside === '' && endsHere(text, line, lineEnd, limit)) {
      return isImportWithoutModule(text, start, lineEnd)
        ? { kind: 'no-statement' }
        : { kind: 'statement', at: lineEnd };
    }
    line = lineEnd + 1;
  }
  return { kind: 'unfinished', at: Math.min(line, stop) };
}

/** With all brackets closed, a line goes on after an operator, or when the next one is indented or begins with one. */
function endsHere(text: string, start: number, lineEnd: number, limit: number): boolean {
  if (lineEnd >= limit) return true;
  if (/(?:[=,+&|?:(]|\bfrom|=>)\s*$/u.test(text.slice(Math.max(start, lineEnd - 100), lineEnd))) return false;
  return /^\n(?:[ \t]*(?:\n|$)|[^\s.?:|&+)])/u.test(text.slice(lineEnd, lineEnd + 200));
}

/** "import {…} and then" is prose: an import names a module in quotes. */
const isImportWithoutModule = (text: string, start: number, end: number): boolean =>
  text.startsWith('import', start) && !/^import\s*['"]|\bfrom\s*['"]/u.test(text.slice(start, end));

interface BracketState {
  depth: number;
  /** A template literal (`` ` ``) or block comment (`*`) that goes on in the next line. */
  inside: '' | '`' | '*';
}

function readBrackets(text: string, start: number, end: number, state: BracketState): void {
  let quote = '';
  for (let at = start; at < end; at++) {
    const c = text.charAt(at);
    if (state.inside === '*') {
      if (c === '*' && text.charAt(at + 1) === '/') state.inside = '';
    } else if (c === '\\') at++;
    else if (state.inside === '`') {
      if (c === '`') state.inside = '';
    } else if (quote !== '') {
      if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (c === '`') state.inside = '`';
    else if (c === '/' && text.charAt(at + 1) === '/') return;
    else if (c === '/' && text.charAt(at + 1) === '*') state.inside = '*';
    else if ('([{'.includes(c)) state.depth++;
    else if (')]}'.includes(c)) state.depth--;
  }
}
