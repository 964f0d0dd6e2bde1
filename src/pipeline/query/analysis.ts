/** What is understood of a question without a model. */

export type Intent = 'how-to' | 'conceptual' | 'troubleshooting' | 'reference' | 'comparison';

/** A value of the declared vocabulary that the question is about. */
export interface Topic {
  readonly field: string;
  readonly value: string;
  readonly label: string;
  /** The question names it, its words hint at it, or the passages that it finds are about it. */
  readonly by: 'name' | 'hint' | 'evidence';
}

export interface QuestionAnalysis {
  /** null where nothing tells. */
  readonly intent: Intent | null;
  readonly topics: readonly Topic[];
  /** The question names several values of one field. */
  readonly comparison: boolean;
  /** It asks for a version, a release or what has changed: then changelogs count in full. */
  readonly asksForChange: boolean;
}
