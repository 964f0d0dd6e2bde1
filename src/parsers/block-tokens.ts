/**
 * Block structure of Markdown: markdown-it's block rules only. Inline rules never run, so that time stays linear, and
 * every token's `map` counts lines as `src/text/lines.ts` does.
 */
import MarkdownParser, { type Env, type MarkdownIt, type StateBlock, type Token } from 'markdown-it';
import { addMdxRules } from './markdown-mdx.ts';

export interface BlockTokens {
  readonly tokens: readonly Token[];
  /** Whether a label has a link definition. */
  readonly isReference: (label: string) => boolean;
  /** 0-based lines of JSX or ESM that does not end and was read as Markdown. */
  readonly unreadable: readonly number[];
}

/** Deeper nesting is not taken apart: the text there becomes blocks of kind `other`. */
const MAX_NESTING = 60;

/** Thrown when quotes make markdown-it read the same lines again and again; the document is then plain text. */
export class TooMuchNesting extends Error {}

/** @throws TooMuchNesting */
export function blockTokens(text: string, mdx: boolean): BlockTokens {
  const markdown = mdx ? mdxRules : markdownRules;
  const source = text.replace(/\r\n?/gu, '\n').replaceAll('\0', '\ufffd');
  const env: BlockEnv = { unreadable: [], budget: 4 * source.length + 100_000, quotedLines: 0, maxQuotedLines: 0 };
  env.maxQuotedLines = 8 * lineCount(source) + 10_000;
  const tokens: Token[] = [];
  markdown.block.parse(source, markdown, env, tokens);
  const { references } = env;
  const isReference = (label: string): boolean =>
    references !== undefined && Object.hasOwn(references, markdown.utils.normalizeReference(label));
  return { tokens, isReference, unreadable: env.unreadable };
}

/** What the rules share during one parse. */
export interface BlockEnv extends Env {
  readonly unreadable: number[];
  /** Characters that look-aheads for the end of JSX and ESM may still read in vain. */
  budget: number;
  quotedLines: number;
  maxQuotedLines: number;
}

const markdownRules = blockRules(false);
const mdxRules = blockRules(true);

function blockRules(mdx: boolean): MarkdownIt {
  const markdown = new MarkdownParser({ html: true, maxNesting: MAX_NESTING });
  // Targets of link definitions are not used: leave them alone, whatever their scheme.
  markdown.normalizeLink = (url) => url;
  markdown.validateLink = () => true;
  boundQuotes(markdown);
  keepFootnotes(markdown);
  addMdxRules(markdown, mdx);
  return markdown;
}

/**
 * A quote is read to its end before its inside is, and an inside that ends early (a fence before a lazy line) leaves
 * the rest to be read again by the next quote: quadratic, if a document is made for it.
 */
function boundQuotes(markdown: MarkdownIt): void {
  const { block } = markdown;
  const tokenize = block.tokenize.bind(block);
  block.tokenize = (state: StateBlock, startLine: number, endLine: number): void => {
    const env = state.env as BlockEnv;
    if (state.parentType === 'blockquote') env.quotedLines += endLine - startLine;
    if (env.quotedLines > env.maxQuotedLines) throw new TooMuchNesting('quotes are nested too deeply');
    tokenize(state, startLine, endLine);
  };
}

/** `[^1]: word` is a footnote, not the definition of a link. */
function keepFootnotes(markdown: MarkdownIt): void {
  markdown.block.ruler.before(
    'reference',
    'footnote',
    (state, startLine, endLine, silent) => {
      const at = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
      if (silent || !state.src.startsWith('[^', at)) return false;
      const paragraph = state.md.block.ruler.getRules('').at(-1);
      return paragraph !== undefined && paragraph(state, startLine, endLine, silent);
    },
    { alt: [] },
  );
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
