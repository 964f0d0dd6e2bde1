/** Questions from headings: `How to X`, `Configuring X`, `Configure X`, `What is X?`, `server.host`. */
import type { Section } from '../../core/types.ts';
import type { Candidate, Usage } from './candidate.ts';
import { firstPerson, isIdentifier, isVerb, lowerFirst, verbOfGerund, wordCount } from './english.ts';
import { plainText, type Statement } from './statements.ts';

export function headingCandidates(
  sections: readonly Section[],
  statements: readonly Statement[],
  { spell }: Usage,
): Candidate[] {
  return sections.flatMap((section) => {
    const own = statements.filter((statement) => statement.section === section);
    const answer = own.find(isAnswer);
    const title = plainText(section.title).replace(/^(?:\d+(?:\.\d+)*[.)]?|step \d+[:.]?)\s+/i, '');
    return answer === undefined ? [] : toCandidates(title, answer, spell);
  });
}

/** A sentence that stands for itself: the first of a section often only leads over to a list. */
const isAnswer = ({ kind, plain }: Statement): boolean =>
  kind === 'sentence' &&
  wordCount(plain) >= 6 &&
  /[.!]["')\]]*$/.test(plain) &&
  !/^(?:for example|e\.g|note)\b/i.test(plain);

function toCandidates(title: string, statement: Statement, spell: Usage['spell']): Candidate[] {
  const make = (rule: Candidate['rule'], kind: string, query: string, core = title): Candidate[] => [
    { rule, kind, query, core, statement },
  ];
  if (title.endsWith('?')) return wordCount(title) >= 4 ? make('faq', 'faq', title) : [];
  if (isIdentifier(title)) return make('identifier', 'exact-identifier', `What does ${title} do?`);
  const [first = '', second = ''] = title.split(' ');
  const rest = title.slice(first.length + 1);
  const words = wordCount(title);
  if (words < 2 || words > 12) return [];
  const howTo = /^how to (.+)$/i.exec(title)?.[1];
  if (howTo !== undefined) return make('heading', 'how-to', `How do I ${firstPerson(spell(howTo))}?`, howTo);
  const verb = verbOfGerund(first);
  if (verb !== undefined && !isVerb(second))
    return make('heading', 'how-to', `How do I ${verb} ${firstPerson(spell(rest))}?`);
  // `Test Cases` and `Build Options` begin with verbs too: what follows has to look like an object.
  if (isVerb(first) && /^(?:an?|the|your|multiple|all|new|custom|existing)\b/i.test(rest)) {
    return make('heading', 'how-to', `How do I ${lowerFirst(first)} ${firstPerson(spell(rest))}?`);
  }
  return [];
}
