/** The `target "title")` of an inline link. */

export interface LinkTargetEnd {
  readonly found: boolean;
  /** Behind the closing parenthesis, or how far the reading went. */
  readonly at: number;
}

/** CommonMark leaves the depth of nested parentheses to the program. */
const MAX_PARENTHESES = 32;

/** @param start Behind the opening parenthesis. */
export function linkTargetEnd(source: string, start: number): LinkTargetEnd {
  const target = skipWhiteSpace(source, start);
  const targetEnd = source.charAt(target) === '<' ? angleEnd(source, target) : bareEnd(source, target);
  const title = skipWhiteSpace(source, targetEnd);
  const at = skipWhiteSpace(source, titleEnd(source, title));
  return source.charAt(at) === ')' ? { found: true, at: at + 1 } : { found: false, at };
}

function angleEnd(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source.charAt(at) !== '>' && source.charAt(at) !== '\n') at++;
  return at + 1;
}

function bareEnd(source: string, start: number): number {
  let depth = 0;
  let at = start;
  for (; at < source.length; at++) {
    const c = source.charAt(at);
    if (c <= ' ') return at;
    if (c === '\\') at++;
    else if (c === '(' && ++depth > MAX_PARENTHESES) return at;
    else if (c === ')' && --depth < 0) return at;
  }
  return at;
}

function titleEnd(source: string, start: number): number {
  const quote = source.charAt(start);
  if (quote !== '"' && quote !== "'" && quote !== '(') return start;
  const close = quote === '(' ? ')' : quote;
  let at = start + 1;
  while (at < source.length && source.charAt(at) !== close) at += source.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

function skipWhiteSpace(source: string, start: number): number {
  let at = start;
  while (at < source.length && source.charCodeAt(at) <= 32) at++;
  return at;
}
