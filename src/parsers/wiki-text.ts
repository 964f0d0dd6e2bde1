/**
 * What of a piece of MediaWiki text is embedded and searched: the words people read, in their order. Marks, addresses
 * behind labels, options of images and tables, and the names of templates go. Linear in the length.
 */
import { closesFence, fenceWords, openingFence, type Fence } from './fence.ts';
import { inlineText } from './inline-text.ts';
import { imageCaption, isMagicWord, isRule, isTornMark, listMarks } from './wiki-lines.ts';

export function wikiText(slice: string): string {
  const out: string[] = [];
  let fence: Fence | undefined;
  let prose: string[] = [];
  const flush = (): void => {
    const text = withoutTemplates(withoutComments(prose.join('\n')));
    out.push(words(text.split('\n').map(lineText).join('\n')));
    prose = [];
  };
  for (const line of slice.split(/\r\n|\r|\n/u)) {
    if (fence !== undefined) {
      if (closesFence(line, fence)) fence = undefined;
      else out.push(line.trimEnd());
      continue;
    }
    fence = openingFence(line.trimStart());
    if (fence === undefined) prose.push(line);
    else {
      flush();
      out.push(fenceWords(fence.info));
    }
  }
  flush();
  return out.filter((part) => part !== '').join('\n');
}

/** One line without inline marks: of headings and titles. */
export const wikiWords = (source: string): string =>
  words(withoutTemplates(withoutComments(source)))
    .replace(/\s+/gu, ' ')
    .trim();

function words(text: string): string {
  return inlineText(withoutWikiMarks(text))
    .split('\n')
    .map((line) => line.replace(/[ \t]{2,}/gu, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Without the marks at its beginning and end. */
function lineText(line: string): string {
  const text = line.trim();
  if (isMagicWord(text) || isRule(text) || isTornMark(text)) return '';
  if (/^\{\||^\|[}-]/u.test(text)) return '';
  if (text.startsWith('|') || text.startsWith('!')) return cells(text);
  const caption = imageCaption(text);
  if (caption !== undefined) return text.slice(caption.start, caption.end);
  if (text.startsWith('=')) return text.replace(/^=+|=+$/gu, '');
  const rest = text.slice(listMarks(text));
  return text.startsWith('##') ? rest.replace(/^\s*=+/u, '') : rest;
}

/** `| style="…" | 25 || Late payment` → `25 Late payment` */
const cells = (row: string): string =>
  row
    .replace(/^(?:\|\+?|!)/u, '')
    .split(/\|\||!!/u)
    .map((cell) => cell.replace(/^\s*[\w-]{1,30}\s*=\s*(?:"[^"|]{0,300}"|'[^'|]{0,300}'|\w{1,50})[^|]{0,300}\|/u, ''))
    .join(' ');

function withoutComments(text: string): string {
  const out: string[] = [];
  let from = 0;
  for (let open = text.indexOf('<!--'); open >= 0; open = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', open);
    if (end < 0) break;
    out.push(text.slice(from, open));
    from = end + 3;
  }
  out.push(text.slice(from));
  return out.join('');
}

function withoutWikiMarks(text: string): string {
  return text
    .replace(/\[\[(?:File|Image):[^\][]{0,500}\|([^\][|]{0,300})\]\]/giu, '$1')
    .replace(/\[\[:?([^\][|]{1,300})\]\]/gu, '$1')
    .replace(/\[\[[^\][|]{1,300}\|([^\][]{0,500})\]\]/gu, '$1')
    .replace(/\[(?:https?:|ftp:|mailto:)?\/?\/?[^\s\][]{1,2000}[ \t]([^\][\n]{1,500})\]/gu, externalLabel)
    .replace(/\[((?:https?|ftp):\/\/[^\s\][]{1,2000})\]/gu, '$1')
    .replace(/\[\[|\]\]|''+/gu, '');
}

/** `[https://… label]`; other brackets hold words. */
const externalLabel = (link: string, label: string): string =>
  /^\[(?:(?:https?|ftp):\/\/|\/\/|mailto:)/u.test(link) ? label : link;

/** `{{note|Take care}}` → `Take care`, `{{ifc|name=Wallet}}` → `Wallet`: the values that a template is given. */
function withoutTemplates(text: string): string {
  if (!text.includes('{{')) return text;
  const out: string[] = [];
  // For each open template, where its text begins in `out`.
  const open: number[] = [];
  let from = 0;
  for (const { 0: mark, index } of text.matchAll(/\{\{|\}\}/gu)) {
    out.push(text.slice(from, index));
    from = index + mark.length;
    const start = mark === '{{' ? undefined : open.pop();
    if (mark === '{{') open.push(out.length);
    else if (start !== undefined) out.push(templateWords(out.splice(start).join('')));
  }
  out.push(text.slice(from));
  return out.join('');
}

const templateWords = (inside: string): string =>
  inside
    .split('|')
    .slice(1)
    .map((part) => part.replace(/^\s*[\w -]{1,50}=/u, '').trim())
    .filter((part) => part !== '')
    .join(' ');
