/**
 * What of a piece of Markdown is embedded and searched: the words people read, in their order. Marks, link targets,
 * tags, comments and encoded files go; code and math stay as they are; nothing is added. Linear in the length.
 */
import { splitCustomId } from './anchors.ts';
import { closesFence, fenceWords, openingFence, type Fence } from './fence.ts';
import { inlineText } from './inline-text.ts';
import { endTag, readTag } from './tags.ts';

/** @param startsInCode The slice begins in the middle of a fence (with three backticks) or is indented code. */
export function searchableText(slice: string, startsInCode = false): string {
  const out: string[] = [];
  let prose: string[] = [];
  let table = false;
  let quoted = false;
  let fence: Fence | undefined = startsInCode ? { mark: '`', length: 3, info: '' } : undefined;
  const tags = tagReader(slice);
  const flush = (): void => {
    if (prose.length > 0) out.push(joinWords(inlineText(prose.join('\n'), { table })));
    prose = [];
    table = false;
  };
  for (let start = 0, end = 0; start <= slice.length; start = behindLineEnd(slice, end)) {
    end = lineEnd(slice, start);
    const line = slice.slice(start, end);
    if (fence !== undefined) {
      const code = quoted ? stripQuoteMarks(line) : line;
      if (closesFence(code, fence)) fence = undefined;
      else out.push(code.trimEnd());
      continue;
    }
    const content = stripContainers(line);
    fence = openingFence(content);
    if (fence !== undefined) {
      flush();
      quoted = line.trimStart().startsWith('>');
      out.push(fenceWords(fence.info));
    } else if (content === '' || isHeading(content)) {
      flush();
      out.push(headingWords(content));
    } else if (content.startsWith('<')) {
      end = tags.end(start + line.indexOf('<'), end);
      prose.push(slice.slice(start, end).trim());
    } else {
      table ||= content.startsWith('|') || (content.includes('|') && isRule(content));
      if (!isRule(content) && !isModuleImport(content)) prose.push(proseLine(content));
    }
  }
  flush();
  return dropBlobs(out.join('\n'))
    .replace(/\n{3,}/gu, '\n\n')
    .replace(/^\n+|\n+$/gu, '');
}

function lineEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 10 || c === 13) return at;
  }
  return text.length;
}

/** Past the end of the text behind the last line. */
const behindLineEnd = (text: string, end: number): number => end + (text.startsWith('\r\n', end) ? 2 : 1);

const MAX_TAG_CHARS = 20_000;

/** Finds where a line of tags, comments and scripts that go on in further lines ends; linear for the whole text. */
function tagReader(text: string): { end(start: number, lineEnd: number): number } {
  let budget = 4 * text.length + 1000;
  const elementEnd = (start: number): number => {
    const close = text.startsWith('<!--', start) ? '-->' : RAW_ELEMENT.exec(text.slice(start, start + 8))?.[1];
    if (close !== undefined) {
      const end = close === '-->' ? text.indexOf(close, start) : endTag(text, close, start);
      if (end < 0) budget -= text.length - start;
      return end;
    }
    const limit = Math.min(text.length, start + MAX_TAG_CHARS);
    const tag = readTag(text, start, limit);
    if (typeof tag !== 'number') return tag.end;
    budget -= tag - start;
    return -1;
  };
  return {
    end(start, firstLineEnd) {
      let stop = firstLineEnd;
      for (let at = start; at >= 0 && at < stop && budget > 0;) {
        const end = elementEnd(at);
        if (end > stop) stop = lineEnd(text, end);
        at = text.indexOf('<', Math.max(at + 1, end));
      }
      return stop;
    },
  };
}

const RAW_ELEMENT = /^<(script|style)(?![a-z])/iu;

/** One space between words, none at the ends of lines. */
const joinWords = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/[ \t]{2,}/gu, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');

/** Without indentation, and the marks of quotes, lists and tasks, in any nesting. */
function stripContainers(line: string): string {
  let at = 0;
  for (let next = 0; next >= 0; next = containerMarkEnd(line, at)) at = skipBlanks(line, next);
  return line.slice(at).trimEnd();
}

/** Behind the `>`, `-`, `1.` or `[x]` at an offset, or -1. */
function containerMarkEnd(line: string, at: number): number {
  const c = line.charAt(at);
  if (c === '>') return at + 1;
  if (c !== '[' && c !== '-' && c !== '*' && c !== '+' && !(c >= '0' && c <= '9')) return -1;
  const mark = /^(?:[-*+]|\d{1,2}[.)]|\[[ xX]\])[ \t]/u.exec(line.slice(at, at + 4));
  return mark === null ? -1 : at + mark[0].length;
}

function stripQuoteMarks(line: string): string {
  let at = 0;
  for (let next = skipBlanks(line, 0); line.charAt(next) === '>'; next = skipBlanks(line, at)) {
    at = line.charAt(next + 1) === ' ' ? next + 2 : next + 1;
  }
  return line.slice(at);
}

function skipBlanks(line: string, start: number): number {
  let at = start;
  while (line.charAt(at) === ' ' || line.charAt(at) === '\t') at++;
  return at;
}

const isHeading = (content: string): boolean => /^#{1,6}(?:[ \t]|$)/u.test(content);

function headingWords(content: string): string {
  const title = content.replace(/^#{1,6}/u, '').trim();
  const closing = /(?:^|[ \t])#+$/u.exec(title.slice(-100));
  return inlineText(splitCustomId(closing === null ? title : title.slice(0, -closing[0].length)).text);
}

/** Thematic breaks, setext underlines, and the line under the head of a table. */
const isRule = (content: string): boolean => /^[|:=*_ \t-]+$/u.test(content);

const isModuleImport = (content: string): boolean => /^import\s[^'"]*['"][^'"]+['"];?$/u.test(content);

function proseLine(content: string): string {
  if (content.startsWith(':::')) return containerTitle(content);
  if (content.startsWith('[!')) return content.replace(/^\[![A-Za-z]{1,20}\][+-]?/u, '').trim();
  const definition = content.startsWith('[') ? LINK_DEFINITION.exec(content) : null;
  if (definition !== null) return `${definition[1]} ${definition[2] ?? ''}`;
  return content.endsWith('}') ? splitCustomId(content).text : content; // a setext heading's id
}

/** `[label]: target "title"` */
const LINK_DEFINITION = /^\[([^\][^]+)\]:[ \t]*(?:<[^<>]*>|\S+)(?:[ \t]+["'(](.*)["')])?$/u;

/** What readers see of `:::note Title`, `:::note[Title]` and `::: details Title`: the title. */
export function containerTitle(line: string): string {
  const rest = line
    .replace(/^:+[ \t]*/u, '')
    .replace(/^[A-Za-z][\w-]*/u, '')
    .trim();
  const title = rest.startsWith('[') && rest.endsWith(']') ? rest.slice(1, -1) : rest;
  return title.startsWith('{') && title.endsWith('}') ? '' : title;
}

/** Encoded files: `data:` addresses, and more than 200 characters of base64 in a row. */
function dropBlobs(text: string): string {
  const kept: string[] = [];
  let from = 0;
  let run = 0;
  for (let at = 0; at <= text.length; at++) {
    if (isBase64(text.charCodeAt(at))) run++;
    else {
      if (run > MAX_BASE64_RUN) {
        kept.push(text.slice(from, at - run).replace(DATA_PREFIX, ''));
        from = at;
      }
      run = 0;
    }
  }
  kept.push(text.slice(from));
  return kept.join('').replace(DATA_ADDRESS, '');
}

const MAX_BASE64_RUN = 200;
const DATA_ADDRESS = /\bdata:[a-z]+\/[\w.+-]+[;,][^\s"'()<>]*/giu;
const DATA_PREFIX = /data:[\w.+/-]+(?:;[\w=-]+)*,$/iu;

/** Letters, digits, `+`, `/`, `=` and the two of the URL-safe form. */
function isBase64(c: number): boolean {
  return (
    (c >= 47 && c <= 57) ||
    (c >= 65 && c <= 90) ||
    (c >= 97 && c <= 122) ||
    c === 43 ||
    c === 45 ||
    c === 61 ||
    c === 95
  );
}
