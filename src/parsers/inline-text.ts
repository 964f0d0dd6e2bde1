/**
 * Inline Markdown to the words that people read, in one pass: no tree, and linear time on any input.
 * Every look-ahead that finds nothing is charged to a budget; when that is spent, marks are taken literally.
 */
import MarkdownParser from 'markdown-it';
import { emphasisMatcher, type EmphasisMatcher, type EmphasisRun } from './emphasis.ts';
import { linkTargetEnd } from './link-target.ts';
import { endTag, readTag } from './tags.ts';

export interface InlineOptions {
  /** Cell borders (`|`) become spaces. */
  readonly table?: boolean;
  /** Whether a label has a link definition: `[label]` is then a link, else it is text in brackets. */
  readonly isReference?: (label: string) => boolean;
}

export function inlineText(source: string, options: InlineOptions = {}): string {
  const runs: EmphasisRun[] = [];
  const state: InlineState = {
    source,
    options,
    out: [],
    brackets: [],
    runs,
    emphasis: emphasisMatcher(),
    backticks: undefined,
    budget: 8 * source.length + 1000,
  };
  for (let at = 0; at < source.length;) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.test(source) ? SPECIAL.lastIndex - 1 : source.length;
    if (next > at) state.out.push(source.slice(at, next));
    at = next < source.length ? readMark(state, next) : next;
  }
  for (const run of runs) state.out[run.piece] = run.mark.repeat(run.length);
  return state.out.join('');
}

interface InlineState {
  readonly source: string;
  readonly options: InlineOptions;
  /** The pieces of the result. An emphasis run has an empty place until it is known what is left of it. */
  readonly out: string[];
  /** Opening brackets without a partner yet: their place in the result and in the source. */
  readonly brackets: { readonly piece: number; readonly at: number }[];
  readonly runs: EmphasisRun[];
  readonly emphasis: EmphasisMatcher;
  /** Start of the last run of backticks of each length. */
  backticks: Map<number, number> | undefined;
  budget: number;
}

const SPECIAL = /[\\`<&$[\]*_~|{]/gu;

/** Reads what begins at `at`, adds what people read of it to the result, and returns where to go on. */
function readMark(state: InlineState, at: number): number {
  const c = state.source.charAt(at);
  if (c === '\\') return readEscape(state, at);
  if (c === '`') return readCode(state, at);
  if (c === '<') return readAngle(state, at);
  if (c === '&') return readEntity(state, at);
  if (c === '$') return readMath(state, at);
  if (c === '[') return openBracket(state, at);
  if (c === ']') return closeBracket(state, at);
  if (c === '{') return readBrace(state, at);
  if (c === '|') return emit(state, state.options.table === true ? ' ' : '|', at + 1);
  return readEmphasis(state, at, c);
}

function emit(state: InlineState, text: string, end: number): number {
  if (text !== '') state.out.push(text);
  return end;
}

function readEscape(state: InlineState, at: number): number {
  const next = state.source.charAt(at + 1);
  if (next !== '' && ESCAPABLE.includes(next)) return emit(state, next, at + 2);
  return emit(state, next === '\n' || next === '\r' ? '' : '\\', at + 1); // at the end of a line: a hard break
}

const ESCAPABLE = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

function readCode(state: InlineState, at: number): number {
  const { source } = state;
  const length = runLength(source, at);
  state.backticks ??= lastBackticks(source);
  if ((state.backticks.get(length) ?? -1) <= at) return emit(state, source.slice(at, at + length), at + length);
  let close = source.indexOf('`', at + length);
  for (let found = runLength(source, close); found !== length; found = runLength(source, close)) {
    close = source.indexOf('`', close + found);
  }
  const code = source.slice(at + length, close);
  const padded = code.length > 2 && code.startsWith(' ') && code.endsWith(' ');
  return emit(state, padded ? code.slice(1, -1) : code, close + length);
}

function lastBackticks(source: string): Map<number, number> {
  const last = new Map<number, number>();
  for (let at = source.indexOf('`'); at >= 0;) {
    const length = runLength(source, at);
    last.set(length, at);
    at = source.indexOf('`', at + length);
  }
  return last;
}

function readAngle(state: InlineState, at: number): number {
  const { source } = state;
  if (state.budget <= 0) return emit(state, '<', at + 1);
  if (source.startsWith('<!--', at)) {
    const end = source.indexOf('-->', at + 4);
    if (end >= 0) return emit(state, ' ', end + 3);
    state.budget -= source.length - at;
    return emit(state, '<!--', at + 4);
  }
  AUTOLINK.lastIndex = at;
  const link = AUTOLINK.exec(source)?.[1];
  if (link !== undefined) return emit(state, link, at + link.length + 2);
  const tag = readTag(source, at, source.length);
  if (typeof tag === 'number') {
    state.budget -= tag - at;
    return emit(state, '<', at + 1);
  }
  const name = tag.name.toLowerCase();
  if (tag.words !== '') state.out.push(` ${tag.words} `);
  else if (!PHRASING.has(name)) state.out.push(' ');
  const isRaw = (name === 'script' || name === 'style') && !tag.closing && !tag.selfClosing;
  if (!isRaw) return tag.end;
  // Scripts and styles are not text; without an end they reach to the end, as browsers have it.
  const end = endTag(source, name, tag.end);
  return end < 0 ? source.length : end;
}

/** `<https://…>` and `<name@host>`. A failing match ends before the next `<`, so that all together are linear. */
const AUTOLINK = /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>/iuy;

/** Tags inside a word or a sentence; all others stand between words. */
const PHRASING: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u var wbr'.split(
    ' ',
  ),
);

function readEntity(state: InlineState, at: number): number {
  ENTITY.lastIndex = at;
  const entity = ENTITY.exec(state.source)?.[0];
  return entity === undefined ? emit(state, '&', at + 1) : emit(state, decodeEntity(entity), at + entity.length);
}

const ENTITY = /&(?:#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,31});/iuy;
const { unescapeAll: decodeEntity } = new MarkdownParser().utils;

/** `$$…$$`, and `$…$` without spaces inside the marks: `$HOME and $PATH` is text. Math stays as it is. */
function readMath(state: InlineState, at: number): number {
  const { source } = state;
  const mark = source.startsWith('$$', at) ? '$$' : '$';
  const from = at + mark.length;
  if (state.budget <= 0 || (mark === '$' && isBlank(source.charAt(from)))) return emit(state, mark, from);
  const close = source.indexOf(mark, from);
  const isMath =
    close > from && (mark === '$$' || (!isBlank(source.charAt(close - 1)) && !isDigit(source.charAt(close + 1))));
  if (isMath) return emit(state, source.slice(at, close + mark.length), close + mark.length);
  state.budget -= (close < 0 ? source.length : close) - at;
  return emit(state, mark, from);
}

const isBlank = (c: string): boolean => /\s/u.test(c);
const isDigit = (c: string): boolean => c >= '0' && c <= '9';

function openBracket(state: InlineState, at: number): number {
  FOOTNOTE.lastIndex = at;
  const footnote = FOOTNOTE.exec(state.source)?.[0];
  if (footnote !== undefined) return at + footnote.length;
  const last = state.out.at(-1) ?? '';
  const isImage = last.endsWith('!');
  if (isImage) state.out[state.out.length - 1] = last.slice(0, -1);
  state.brackets.push({ piece: state.out.length, at });
  return emit(state, isImage ? '![' : '[', at + 1);
}

const FOOTNOTE = /\[\^[^\s[\]]+\]:?/uy;

function closeBracket(state: InlineState, at: number): number {
  const open = state.brackets.pop();
  const end = open === undefined ? -1 : linkEnd(state, open.at, at);
  if (open === undefined || end < 0) return emit(state, ']', at + 1);
  state.out[open.piece] = '';
  return end;
}

const MAX_LABEL_CHARS = 999;

/** Behind the link whose text stands in the brackets at `open` and `close`, or -1 when they are text. */
function linkEnd(state: InlineState, open: number, close: number): number {
  const { source, budget } = state;
  const { isReference } = state.options;
  if (source.charAt(close + 1) === '(' && budget > 0) {
    const target = linkTargetEnd(source, close + 2);
    if (target.found) return target.at;
    state.budget -= target.at - close;
  }
  const text = close - open > MAX_LABEL_CHARS ? '' : source.slice(open + 1, close);
  REFERENCE.lastIndex = close + 1;
  const label = REFERENCE.exec(source)?.[1];
  if (label !== undefined) {
    // `matrix[i][j]` is no link: without the definitions at hand, a word before the bracket decides
    const known = isReference?.(label === '' ? text : label) ?? !/\w/u.test(source.charAt(open - 1));
    if (known) return close + label.length + 3;
  }
  return isReference?.(text) === true ? close + 1 : -1;
}

const REFERENCE = /\[([^[\]]*)\]/uy;

/** An MDX comment between braces goes; any other `{` is text. */
function readBrace(state: InlineState, at: number): number {
  const { source } = state;
  if (!source.startsWith('{/*', at) || state.budget <= 0) return emit(state, '{', at + 1);
  const end = source.indexOf('*/}', at + 3);
  if (end >= 0) return emit(state, ' ', end + 3);
  state.budget -= source.length - at;
  return emit(state, '{', at + 1);
}

function readEmphasis(state: InlineState, at: number, mark: string): number {
  const { source } = state;
  const run = { piece: state.out.length, mark, length: runLength(source, at) };
  const end = at + run.length;
  state.out.push('');
  state.runs.push(run);
  state.emphasis.add(run, source.charAt(at - 1), source.charAt(end));
  return end;
}

function runLength(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source.charCodeAt(at) === source.charCodeAt(start)) at++;
  return at - start;
}
