import type { Statement } from './statements.ts';

/** How a question was made. */
export type Rule =
  | 'faq'
  | 'heading'
  | 'identifier'
  | 'option'
  | 'default'
  | 'purpose'
  | 'means'
  | 'condition'
  | 'event'
  | 'ability'
  | 'definition'
  | 'reverse-definition'
  | 'state'
  | 'reason'
  | 'cloze';

/** A question that a rule would ask. */
export interface Candidate {
  readonly rule: Rule;
  /** As in labelled sets: the report has a line for each. */
  readonly kind: string;
  readonly query: string;
  /** The document's own words in the question, without those of the template: these decide whether it is clear. */
  readonly core: string;
  /** What answers it. */
  readonly statement: Statement;
  /** The answer in a word or two, where the rule knows it. */
  readonly answer?: string;
}

/** What the rules have to know of the documents' language. */
export interface Usage {
  /** A title as it is written inside of a sentence: `Concurrent Sessions` → `concurrent sessions`. */
  readonly spell: (title: string) => string;
  /** Whether a name is all over the documents, such as that of the product: it says nothing then. */
  readonly isEverywhere: (name: string) => boolean;
}
