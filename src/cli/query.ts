/** What `search` and `ask` have in common: the question, and the filter. */
import { RagError } from '../core/errors.ts';
import { parseFilter, parseFilterExpression, type Filter } from '../core/filter.ts';

export interface FilterOptions {
  readonly filter?: readonly string[];
  readonly filterJson?: string;
}

/** @throws RagError `question-invalid` for one of white space only */
export function question(text: string): string {
  if (text.trim() !== '') return text;
  throw new RagError('question-invalid', 'the question is empty', { hint: 'footnote ask "How do I …?"' });
}

/** All conditions together. @throws RagError `filter-invalid` */
export function readFilter(options: FilterOptions): Filter | undefined {
  const parts = (options.filter ?? []).map(parseFilterExpression);
  if (options.filterJson !== undefined) parts.push(parseFilter(parseJson(options.filterJson)));
  return parts.length > 1 ? { and: parts } : parts[0];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RagError('filter-invalid', `--filter-json is not JSON: ${(error as Error).message}`, {
      hint: '--filter-json \'{"language": "en"}\'',
      cause: error,
    });
  }
}
