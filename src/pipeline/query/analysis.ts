/** What is understood of a question without a model. */

export type Intent = 'how-to' | 'conceptual' | 'troubleshooting' | 'reference' | 'comparison';

/** A value of the declared vocabulary that the question is about. */
export interface Topic {
  readonly field: string;
  readonly value: string;
  readonly label: string;
  /** `name`: the question names it; `hint`: its words hint at it. */
  readonly by: 'name' | 'hint';
}

export interface QuestionAnalysis {
  /** null where nothing tells. */
  readonly intent: Intent | null;
  readonly topics: readonly Topic[];
  /** It names several values of one field, or asks for the difference of two things. */
  readonly comparison: boolean;
  /** It asks for a version, a release or what has changed: then changelogs count in full. */
  readonly asksForChange: boolean;
}
