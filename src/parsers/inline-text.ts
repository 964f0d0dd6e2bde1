/**
 * Inline Markdown to the words that people read, in one pass: no tree, and linear time on any input.
 * Every look-ahead that finds nothing is charged to a budget; when that is spent, marks are taken literally.
 */
import MarkdownParser from 'markdown-it';
import { readTag } from './tags.ts';

export interface InlineOptions {
  /** Cell borders (`|`) become spaces. */
  readonly table?: boolean;
  /** Whether a label has a link definition: `[label]` is then a link, else it is text in brackets. */
  readonly isReference?: (label: string) => boolean;
}

export function inlineText(source: string, options: InlineOptions = {}): string {
  const out: string[] = [];
  const state: InlineState = {
    source,
    options,
    out,
    at: 0,
    brackets: [],
    runs: [],
    openRuns: new Map(),
    backticks: undefined,
    budget: 8 * source.length + 1000,
  };
  while (state.at < source.length) {
    SPECIAL.lastIndex = state.at;
    const next = SPECIAL.test(source) ? SPECIAL.lastIndex - 1 : source.length;
    if (next > state.at) out.push(source.slice(state.at, next));
    state.at = next;
    if (next < source.length) readMark(state);
  }
  for (const run of state.runs) out[run.piece] = run.mark.repeat(run.length);
  return out.join('');
}

interface InlineState {
  readonly source: string;
  readonly options: InlineOptions;
  /** The pieces of the result. An emphasis run has an empty place until it is known what is left of it. */
  readonly out: string[];
  at: number;
  readonly brackets: { readonly piece: number; readonly at: number }[];
  readonly runs: EmphasisRun[];
  /** Runs that may still find a partner, by their character. */
  readonly openRuns: Map<string, EmphasisRun[]>;
  /** Start of the last run of backticks of each length. */
  backticks: Map<number, number> | undefined;
  budget: number;
}

interface EmphasisRun {
  readonly piece: number;
  readonly mark: string;
  /** Marks without a partner so far: in the end, those that are text. */
  length: number;
}

const SPECIAL = /[\\`<&$[\]*_~|{]/gu;

function readMark(state: InlineState): void {
  const c = state.source.charAt(state.at);
  if (c === '\\') readEscape(state);
  else if (c === '`') readCode(state);
  else if (c === '<') readAngle(state);
  else if (c === '&') readEntity(state);
  else if (c === '$') readMath(state);
  else if (c === '[') openBracket(state);
  else if (c === ']') closeBracket(state);
  else if (c === '{') readBraceComment(state);
  else if (c === '|') emit(state, state.options.table === true ? ' ' : '|', 1);
  else readEmphasis(state, c);
}

function emit(state: InlineState, text: string, consumed: number): void {
  if (text !== '') state.out.push(text);
  state.at += consumed;
}

function readEscape(state: InlineState): void {
  const next = state.source.charAt(state.at + 1);
  if (next !== '' && ESCAPABLE.includes(next)) emit(state, next, 2);
  else emit(state, next === '\n' || next === '\r' ? '' : '\\', 1); // at the end of a line: a hard break
}

const ESCAPABLE = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

function readCode(state: InlineState): void {
  const { source, at } = state;
  const length = runLength(source, at);
  state.backticks ??= lastBackticks(source);
  if ((state.backticks.get(length) ?? -1) > at) {
    let close = at + length;
    for (;;) {
      close = source.indexOf('`', close);
      const found = runLength(source, close);
      if (found === length) break;
      close += found;
    }
    const code = source.slice(at + length, close);
    const padded = code.length > 2 && code.startsWith(' ') && code.endsWith(' ');
    emit(state, padded ? code.slice(1, -1) : code, close + length - at);
  } else emit(state, source.slice(at, at + length), length);
}

function lastBackticks(source: string): Map<number, number> {
  const last = new Map<number, number>();
  for (let at = source.indexOf('`'); at >= 0; ) {
    const length = runLength(source, at);
    last.set(length, at);
    at = source.indexOf('`', at + length);
  }
  return last;
}

function readAngle(state: InlineState): void {
  const { source, at } = state;
  if (source.startsWith('<!--', at)) {
    const end = state.budget > 0 ? source.indexOf('-->', at + 4) : -1;
    if (end >= 0) return emit(state, ' ', end + 3 - at);
    state.budget -= source.length - at;
    return emit(state, '<!--', 4);
  }
  AUTOLINK.lastIndex = at;
  const link = AUTOLINK.exec(source)?.[1];
  if (link !== undefined) return emit(state, link, link.length + 2);
  const tag = state.budget > 0 ? readTag(source, at, source.length, (stop) => (state.budget -= stop - at)) : undefined;
  if (tag === undefined) return emit(state, '<', 1);
  const spacing = PHRASING.has(tag.name.toLowerCase()) ? '' : ' ';
  emit(state, tag.words === '' ? spacing : ` ${tag.words} `, tag.end - at);
  const name = tag.name.toLowerCase();
  if ((name === 'script' || name === 'style') && !tag.closing && !tag.selfClosing) skipRawElement(state, name);
}

/** `<https://…>` and `<name@host>`. A failing match ends before the next `<`, so that all together are linear. */
const AUTOLINK = /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>/iuy;

/** Tags inside a word or a sentence; all others stand between words. */
const PHRASING: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u var wbr'.split(' '),
);

/** What is in `<script>` and `<style>` is not text; without an end they reach to the end, as browsers have it. */
function skipRawElement(state: InlineState, name: string): void {
  const end = new RegExp(`</${name}`, 'giu');
  end.lastIndex = state.at;
  state.at = end.test(state.source) ? end.lastIndex - name.length - 2 : state.source.length;
}

function readEntity(state: InlineState): void {
  ENTITY.lastIndex = state.at;
  const entity = ENTITY.exec(state.source)?.[0];
  if (entity === undefined) emit(state, '&', 1);
  else emit(state, decodeEntity(entity), entity.length);
}

const ENTITY = /&(?:#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,31});/iuy;
const { unescapeAll: decodeEntity } = new MarkdownParser().utils;

/** `$$…$$`, and `$…$` without spaces inside the marks: `$HOME and $PATH` is text. Math stays as it is. */
function readMath(state: InlineState): void {
  const { source, at } = state;
  const mark = source.startsWith('$$', at) ? '$$' : '$';
  const from = at + mark.length;
  if (state.budget <= 0 || (mark === '$' && isBlank(source.charAt(from)))) return emit(state, mark, mark.length);
  const close = source.indexOf(mark, from);
  const isMath =
    close > from && (mark === '$$' || (!isBlank(source.charAt(close - 1)) && !isDigit(source.charAt(close + 1))));
  if (isMath) return emit(state, source.slice(at, close + mark.length), close + mark.length - at);
  state.budget -= (close < 0 ? source.length : close) - at;
  emit(state, mark, mark.length);
}

function openBracket(state: InlineState): void {
  FOOTNOTE.lastIndex = state.at;
  const footnote = FOOTNOTE.exec(state.source)?.[0];
  if (footnote !== undefined) return emit(state, '', footnote.length);
  const last = state.out.at(-1) ?? '';
  const isImage = last.endsWith('!');
  if (isImage) state.out[state.out.length - 1] = last.slice(0, -1);
  state.brackets.push({ piece: state.out.length, at: state.at });
  emit(state, isImage ? '![' : '[', 1);
}

const FOOTNOTE = /\[\^[^\s[\]]+\]:?/uy;

function closeBracket(state: InlineState): void {
  const { source, at } = state;
  const open = state.brackets.pop();
  const target = open === undefined ? -1 : linkEnd(state, open.at);
  if (open === undefined || target < 0) return emit(state, ']', 1);
  state.out[open.piece] = '';
  state.at = at;
  emit(state, '', target - at);
}

/** Behind the link whose text ends at the current `]`, or -1 when the brackets are text. */
function linkEnd(state: InlineState, open: number): number {
  const { source, at, options } = state;
  const next = source.charAt(at + 1);
  if (next === '(') {
    const end = state.budget > 0 ? targetEnd(source, at + 2) : -1;
    if (end > 0) return end;
    state.budget += end;
  }
  const isReference = options.isReference;
  REFERENCE.lastIndex = at + 1;
  const label = REFERENCE.exec(source)?.[1];
  if (label !== undefined) {
    // `matrix[i][j]` is no link: without the definitions at hand, a word before the bracket decides
    const known = isReference?.(label === '' ? source.slice(open + 1, Math.min(at, open + 1000)) : label) ?? !/\w/u.test(source.charAt(open - 1));
    if (known) return at + 1 + label.length + 2;
  }
  return at - open < 1000 && isReference?.(source.slice(open + 1, at)) === true ? at + 1 : -1;
}

const REFERENCE = /\[([^[\]]*)\]/uy;

/** Behind the `)` of a link target that begins at `start`; minus the number of characters read when there is none. */
function targetEnd(source: string, start: number): number {
  let at = skipWhiteSpace(source, start);
  if (source.charAt(at) === '<') {
    while (at < source.length && !'>\n'.includes(source.charAt(at))) at++;
    at++;
  } else {
    let depth = 0;
    for (; at < source.length; at++) {
      const c = source.charCodeAt(at);
      if (c <= 32) break;
      if (c === 92) at++;
      else if (c === 40 && ++depth > 32) break;
      else if (c === 41 && --depth < 0) break;
    }
  }
  at = skipWhiteSpace(source, at);
  const quote = source.charAt(at);
  if (quote === '"' || quote === "'" || quote === '(') {
    const close = quote === '(' ? ')' : quote;
    at++;
    while (at < source.length && source.charAt(at) !== close) at += source.charAt(at) === '\\' ? 2 : 1;
    at = skipWhiteSpace(source, at + 1);
  }
  return source.charAt(at) === ')' ? at + 1 : start - Math.max(at, start + 1);
}

/** An MDX comment between braces; any other `{` is text. */
function readBraceComment(state: InlineState): void {
  const { source, at } = state;
  const end = source.startsWith('{/*', at) && state.budget > 0 ? source.indexOf('*/}', at + 3) : -1;
  if (end >= 0) return emit(state, ' ', end + 3 - at);
  if (source.startsWith('{/*', at)) state.budget -= source.length - at;
  emit(state, '{', 1);
}

/**
 * Emphasis marks go when they have a partner: CommonMark's flanking rules, without its rule of three.
 *
 *     **bold** snake_case 2 * 3
 *     ^^    ^^                     out; the others are text
 */
function readEmphasis(state: InlineState, mark: string): void {
  const { source, at } = state;
  const run: EmphasisRun = { piece: state.out.length, mark, length: runLength(source, at) };
  state.at += run.length;
  state.out.push('');
  state.runs.push(run);
  if (mark === '~' && run.length > 2) return;
  const before = source.charAt(at - 1) || ' ';
  const after = source.charAt(state.at) || ' ';
  const left = !isBlank(after) && (!isPunctuation(after) || isBlank(before) || isPunctuation(before));
  const right = !isBlank(before) && (!isPunctuation(before) || isBlank(after) || isPunctuation(after));
  const open = state.openRuns.get(mark) ?? [];
  state.openRuns.set(mark, open);
  if (right && (mark !== '_' || !left || isPunctuation(after))) matchRuns(open, run);
  if (run.length > 0 && left && (mark !== '_' || !right || isPunctuation(before))) open.push(run);
}

function matchRuns(open: EmphasisRun[], closing: EmphasisRun): void {
  for (let partner = open.at(-1); partner !== undefined && closing.length > 0; partner = open.at(-1)) {
    const matched = Math.min(partner.length, closing.length);
    partner.length -= matched;
    closing.length -= matched;
    if (partner.length === 0) open.pop();
  }
}

const isDigit = (c: string): boolean => c >= '0' && c <= '9';
const isBlank = (c: string): boolean => /\s/u.test(c);
const isPunctuation = (c: string): boolean => /[\p{P}\p{S}]/u.test(c);

function runLength(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source.charCodeAt(at) === source.charCodeAt(start)) at++;
  return at - start;
}

function skipWhiteSpace(source: string, start: number): number {
  let at = start;
  while (at < source.length && source.charCodeAt(at) <= 32) at++;
  return at;
}
