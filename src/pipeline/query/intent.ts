/** What kind of question it is, by its words (planned by seed 000, "Query Understanding"). English; others have none. */
import type { Intent } from './analysis.ts';

/** In this order: "What is the difference …" compares, "Why does it fail?" is trouble before it is a concept. */
const RULES: readonly (readonly [Intent, RegExp])[] = [
  [
    'comparison',
    /\b(?:vs\.?|versus|compared? (?:to|with)|differen(?:ce|t) (?:between|from)|differs? from|better than)\b/u,
  ],
  [
    'troubleshooting',
    /\b(?:errors?|exceptions?|fail(?:s|ed|ing|ure)?|crash(?:es|ed|ing)?|stuck|broken|troubleshoot|not work(?:ing)?|won['’]t|doesn['’]t|didn['’]t|cannot|can['’]t|problems?|issues?|fix|wrong)\b/u,
  ],
  ['how-to', /\bhow (?:do|can|to|should|would|could)\b|^(?:can|could) (?:i|we|you)\b|\b(?:steps|way|ways) to\b/u],
  [
    'reference',
    /\b(?:defaults?|options?|parameters?|propert(?:y|ies)|attributes?|flags?|arguments?|syntax|signature|values?|ports?|limits?)\b|^(?:which|list)\b/u,
  ],
  ['conceptual', /^(?:what|why|when|who|where|explain|describe|is|are|does|do)\b|\bmeans?\b|\boverview\b/u],
];

export function intentOf(question: string): Intent | null {
  const folded = question.toLowerCase().trim();
  const found = RULES.find(([, pattern]) => pattern.test(folded));
  if (found !== undefined) return found[0];
  // One word that is written like a name of code is looked up.
  return /^\S+$/u.test(folded) && /[_.:()/-]|[a-z][A-Z]|^[A-Z0-9_]+$/u.test(question.trim()) ? 'reference' : null;
}

const CHANGE =
  /\b(?:release notes?|change ?logs?|what(?:['’]s| is| has| was)? (?:new|changed)|chang(?:ed|es) (?:in|since|between)|new in|since (?:version|v?\d)|version \d|v\d+(?:\.\d+)*|\d+\.\d+(?:\.\d+)*|deprecat\w+|removed in|breaking|upgrad\w+|migrat\w+|releases?)\b/iu;

/** Whether it asks for a version, a release or a change. */
export const asksForChange = (question: string): boolean => CHANGE.test(question);
