/**
 * What Docusaurus, VitePress and MDX add to Markdown, as block rules for markdown-it: each makes leaf tokens of its
 * lines, and what stands between them is parsed as ordinary blocks.
 */
import type { MarkdownIt, StateBlock } from 'markdown-it';
import type { BlockEnv } from './block-tokens.ts';
import { closesFence, openingFence, type Fence } from './fence.ts';
import { moduleStatementEnd } from './module-statements.ts';
import { isComponent, readTag } from './tags.ts';

/** Types of the tokens that the rules below make: each has a `map` and nothing else. */
export type MdxToken = 'container_marker' | 'component_tags' | 'module_statement' | 'mdx_comment';

type BlockRule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;

/** @param mdx The file says that it is MDX: tags are JSX whatever their case, and there is no indented code. */
export function addMdxRules(markdown: MarkdownIt, mdx: boolean): void {
  const { ruler } = markdown.block;
  const everywhere = { alt: ['paragraph', 'reference', 'blockquote', 'list'] };
  const first = 'table';
  ruler.before(first, 'container_marker', containerMarker, everywhere);
  ruler.before(first, 'mdx_comment', mdxComment, everywhere);
  ruler.before(first, 'component_tags', componentTags(mdx), everywhere);
  ruler.before(first, 'module_statement', moduleStatement, { alt: [] });
  if (mdx) {
    ruler.disable('code');
    ruler.before('container_marker', 'mdx_indentation', mdxIndentation, { alt: [] });
  }
}

/** How far a paragraph is searched for an indented fence that ends it. */
const MAX_PARAGRAPH_LINES = 50;

/**
 * In MDX blocks may be indented at will, and a fence opens and closes at any column. Makes nothing: takes the columns
 * off before the other rules look.
 */
const mdxIndentation: BlockRule = (state, startLine, endLine, silent) => {
  if (silent) return false;
  dedent(state, startLine, endLine);
  const first = lineAt(state, startLine);
  const fence = openingFence(first);
  if (fence !== undefined) dedentClosingFence(state, startLine, endLine, fence);
  if (fence !== undefined || /^(?:[-*+]|\d+[.)])(?:\s|$)/u.test(first)) return false; // an item's inside has its own columns
  const last = Math.min(endLine, startLine + MAX_PARAGRAPH_LINES);
  for (let line = startLine + 1; line < last && !state.isEmpty(line); line++) {
    if (indentation(state, line) < 4 || openingFence(lineAt(state, line)) === undefined) continue;
    dedent(state, line, endLine);
    break;
  }
  return false;
};

function dedentClosingFence(state: StateBlock, startLine: number, endLine: number, fence: Fence): void {
  for (let line = startLine + 1; line < endLine; line++) {
    if (!state.isEmpty(line) && indentation(state, line) < 0) return;
    if (!closesFence(lineAt(state, line), fence)) continue;
    state.sCount[line] = Math.min(state.sCount[line] ?? 0, state.blkIndent + 3);
    return;
  }
}

/** `:::note Title`, `::: details`, `:::`. Both ends are lines of their own; the body is not touched. */
const containerMarker: BlockRule = (state, startLine, endLine, silent) => {
  const line = lineAt(state, startLine);
  if (indentation(state, startLine) >= 4 || !/^:{3,}[ \t]*(?:$|[A-Za-z])/u.test(line)) return false;
  if (silent) return true;
  pushLines(state, 'container_marker', startLine, startLine + 1);
  if (startLine + 1 < endLine && !state.isEmpty(startLine + 1)) dedent(state, startLine + 1, endLine);
  return true;
};

/** A brace comment on lines of its own. */
const mdxComment: BlockRule = (state, startLine, endLine, silent) => {
  const start = lineStart(state, startLine);
  if (!state.src.startsWith('{/*', start) || indentation(state, startLine) >= 4 || !hasBudget(state)) return false;
  const limit = state.eMarks[endLine - 1] ?? state.src.length;
  const close = state.src.indexOf('*/}', start);
  if (close < 0 || close >= limit) {
    charge(state, startLine, (close < 0 ? state.src.length : close) - start);
    return false;
  }
  const nextLine = lineBehind(state, startLine, close + 3);
  if (state.src.slice(close + 3, state.eMarks[nextLine - 1]).trim() !== '') return false;
  if (!silent) pushLines(state, 'mdx_comment', startLine, nextLine);
  return true;
};

/** Tags of one line may continue on the next ones; a longer tag is taken for text. */
const MAX_TAG_CHARS = 20_000;
/** HTML whose inside is never Markdown. */
const RAW_ELEMENTS: ReadonlySet<string> = new Set(['script', 'style', 'pre', 'textarea']);

/**
 * Lines that hold nothing but component tags. HTML's own rule would take all lines up to the next blank one.
 *
 *     <Tabs>
 *       <TabItem value="npm" label="npm">
 */
const componentTags =
  (mdx: boolean): BlockRule =>
  (state, startLine, endLine, silent) => {
    let at = lineStart(state, startLine);
    if (state.src.charCodeAt(at) !== LESS || !hasBudget(state)) return false;
    if (!mdx && indentation(state, startLine) >= 4) return false;
    const lastLine = silent ? startLine : endLine - 1;
    const limit = Math.min(state.eMarks[lastLine] ?? state.src.length, at + MAX_TAG_CHARS);
    let opens = 0;
    let nextLine = startLine + 1;
    do {
      if (state.src.charCodeAt(at) !== LESS) return false;
      const tag = readTag(state.src, at, limit);
      if (typeof tag === 'number') {
        if (!silent) charge(state, startLine, tag - at, mdx);
        return false;
      }
      if (RAW_ELEMENTS.has(tag.name) || !(mdx || isComponent(tag.name))) return false;
      if (!tag.selfClosing) opens += tag.closing ? -1 : 1;
      nextLine = lineBehind(state, nextLine - 1, tag.end);
      at = state.skipSpaces(tag.end);
    } while (at < (state.eMarks[nextLine - 1] ?? 0));
    if (silent) return true;
    pushLines(state, 'component_tags', startLine, nextLine);
    if (opens > 0) dedent(state, nextLine, endLine);
    return true;
  };

/**
 * Right inside a component or container, four columns of indentation are no code: takes them off the lines that
 * follow. Each line is visited at most once for every four columns that it is indented by.
 */
function dedent(state: StateBlock, startLine: number, endLine: number): void {
  const first = state.skipEmptyLines(startLine);
  const indent = first < endLine ? indentation(state, first) : 0;
  if (indent < 4) return;
  for (let line = first; line < endLine; line++) {
    if (state.isEmpty(line)) continue;
    if (indentation(state, line) < indent) return;
    state.sCount[line] = (state.sCount[line] ?? 0) - indent;
  }
}

/** `import … from '…'` and `export …` at the left margin. */
const moduleStatement: BlockRule = (state, startLine, endLine, silent) => {
  if (silent || state.level > 0 || indentation(state, startLine) > 0 || !hasBudget(state)) return false;
  const start = lineStart(state, startLine);
  if (!state.src.startsWith('import', start) && !state.src.startsWith('export', start)) return false;
  const limit = state.eMarks[endLine - 1] ?? state.src.length;
  const end = moduleStatementEnd(state.src, start, limit);
  if (end.kind === 'no-statement') return false;
  if (end.kind === 'unfinished') {
    charge(state, startLine, end.at - start);
    return false;
  }
  pushLines(state, 'module_statement', startLine, lineBehind(state, startLine, end.at));
  return true;
};

const LESS = 60;

const lineStart = (state: StateBlock, line: number): number => (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
const lineAt = (state: StateBlock, line: number): string => state.src.slice(lineStart(state, line), state.eMarks[line]);
const indentation = (state: StateBlock, line: number): number => (state.sCount[line] ?? 0) - state.blkIndent;

/** The first line that begins at or behind `end`. */
function lineBehind(state: StateBlock, startLine: number, end: number): number {
  let line = startLine;
  while (line < state.lineMax && (state.eMarks[line] ?? end) < end) line++;
  return line + 1;
}

function pushLines(state: StateBlock, type: MdxToken, startLine: number, nextLine: number): void {
  state.line = nextLine;
  state.push(type, '', 0).map = [startLine, nextLine];
}

const hasBudget = (state: StateBlock): boolean => (state.env as BlockEnv).budget > 0;

/** Notes a look-ahead that found no end. */
function charge(state: StateBlock, line: number, characters: number, report = true): void {
  const env = state.env as BlockEnv;
  env.budget -= characters;
  if (report && characters > 0) env.unreadable.push(line);
}
