/**
 * Answers without a language model: the sentences, steps, table rows or code that answer, verbatim, each with its
 * place. Deterministic: the same passages give the same bytes.
 */
import type { Embedder, Generator, GenerateRequest, QuotedSpan } from '../../core/contracts.ts';
import type { Document, Span } from '../../core/types.ts';
import type { Analyzer } from '../../text/analyze.ts';
import { displayText } from './display.ts';
import { scoreUnits } from './score.ts';
import { selectStatements } from './select.ts';
import { unitsOf } from './units.ts';

export interface ExtractiveOptions {
  readonly maxWords: number;
  readonly analyzer: Analyzer;
  readonly embedder: Embedder | undefined;
  /** The words of a piece of Markdown, without marks and link targets. */
  readonly searchable: (slice: string) => string;
}

export default function extractiveGenerator(options: ExtractiveOptions): Generator {
  return {
    model: 'extractive',
    async *generate({ question, passages, documents, terms }: GenerateRequest) {
      // A picture alone says nothing.
      const units = unitsOf(passages, documents).filter((unit) => displayText(unit.document.text, [unit.span]) !== '');
      const scored = await scoreUnits(units, { text: question, terms }, options);
      for (const { label, document, spans } of selectStatements(scored, options.maxWords)) {
        const quotes: QuotedSpan[] = spans.map((span) => ({ label, span }));
        yield { type: 'quoted-statement', text: displayText(document.text, spans, verbatim(document)), quotes };
      }
    },
  };
}

/** Blocks of code; all of a text that is no Markdown. */
const verbatim = ({ blocks, text, type }: Document): readonly Span[] =>
  type === 'text'
    ? [{ start: 0, end: text.length }]
    : blocks.filter(({ kind }) => kind === 'code').map(({ span }) => span);
