/** The five designs that Footnote began with, as data: what each says, where, and which part of Footnote is to do it. */

/** The parts in which Footnote is built; `later` has no part of its own yet. */
export type Part = 3 | 4 | 5 | 6 | 7 | 'later';

/** One thing that a design says: a rule, number, formula, default, field, step of a diagram, example or plan. */
export interface Statement {
  /** `S0` to `S4` is the design, the rest a name that stays. A test of the behaviour cites it. */
  readonly id: string;
  /** Counted from 1, in the file of the design. */
  readonly line: number;
  /** Words of that line, exactly. */
  readonly quote: string;
  /** In our words. */
  readonly says: string;
  /** The part that builds it. */
  readonly issue: Part;
  /** Where Footnote differs, and why: the design's own numbers contradict each other, or something better is at hand. */
  readonly deviation?: string;
  /** What a reader of the design may want to know, where Footnote does as it says. */
  readonly note?: string;
  /** A reason or a comparison: nothing to build, no test. */
  readonly kind?: 'claim';
}

/** Statements that belong together, in the order of the design. */
export interface Topic {
  readonly topic: string;
  readonly statements: readonly Statement[];
}

export interface Design {
  /** The preset that is made of it. */
  readonly preset: 'product-docs' | 'papers' | 'notes' | 'support-desk' | 'website';
  /** How the file of the design begins: `000_`. */
  readonly seed: string;
  /** How the ids of its statements begin: `S0-`. */
  readonly prefix: string;
  readonly program: string;
  /** A sentence that says what it is. */
  readonly about: string;
  readonly topics: readonly Topic[];
}
