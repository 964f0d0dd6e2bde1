/** Questions from single sentences, by their shape. Each hides a part of the sentence, which is then the answer. */
import type { Candidate, Rule, Usage } from './candidate.ts';
import { firstPerson, isIdentifier, isInfinitive, isVerb, upperFirst, wordCount } from './english.ts';
import type { Statement } from './statements.ts';

interface Shape {
  readonly rule: Rule;
  readonly kind: string;
  readonly pattern: RegExp;
  /** undefined where the sentence has the shape by accident. */
  readonly ask: (parts: readonly string[], usage: Usage) => Asked | undefined;
}

type Asked = readonly [query: string, core: string, answer?: string];

const INSTRUCTION = /^(?:you\b|please\b|make sure\b|consider\b|ensure\b)/i;
const PRONOUN =
  /^(?:where|when|if|while|because|since|for|in|on|at|with|by|as|to|and|but|or|also|so|thus|however|therefore|please|see|it|this|that|these|those|they|there|here|he|she|we|you|i|what|which|who|one|each|all|both|some|any|the (?:former|latter|above|following|result|reason|goal|idea|main|first|second|third|last|next|only|default))\b/i;

const isInstruction = (text: string): boolean => INSTRUCTION.test(text) || isVerb(/^\w+/.exec(text)?.[0] ?? '');

/** A thing that can be asked about by its name. */
const isName = (text: string): boolean =>
  wordCount(text) <= 5 && !PRONOUN.test(text) && !/[,;:]|\b(?:that|which|note|this|there)\b/i.test(text);

/** The first word as inside of a sentence. */
const inside = (text: string, { spell }: Usage): string => text.replace(/^[\p{L}'’]+(?![\w.])/u, spell);

const NO_DEFINITION =
  /^(?:same|only|case|most|default|recommended|reason|lot|bit|little|few|number|must|good|great|better|best)\b/;

const SHAPES: readonly Shape[] = [
  {
    // To change the port, set server.port.
    //    ^^^^^^^^^^^^^^^
    rule: 'purpose',
    kind: 'how-to',
    pattern: /^To ([a-z]\w* [^,;:]+), .+$/,
    ask: ([goal = '']) =>
      isInfinitive(goal.split(' ')[0] ?? '') ? [`How do I ${firstPerson(goal)}?`, goal] : undefined,
  },
  {
    // You can change the port by setting server.port.
    //         ^^^^^^^^^^^^^^^
    rule: 'means',
    kind: 'how-to',
    pattern:
      /^You (?:can|may) (?:also )?((?!not\b|be\b|see\b|find\b|refer\b|read\b|learn\b|use\b)[a-z]+ [^,;:]+?) (?:by \w+ing|using|via|with the help of|through) .+$/i,
    ask: ([goal = '']) => [`How can I ${firstPerson(goal)}?`, goal],
  },
  {
    // If you use a proxy, set server.origin.
    //    ^^^^^^^^^^^^^^^
    rule: 'condition',
    kind: 'conceptual',
    pattern: /^If (you(?:['’]re|['’]ve)? [^,;:]+), (.+)$/i,
    ask: ([clause = '', rest = '']) => {
      if (/^(?:then )?we\b/i.test(rest)) return undefined;
      // Being, having and wanting bring about nothing.
      const isState = /^you(?:['’](?:re|ve)| (?:are|have|want|need|like|prefer|would|do|don))\b/i.test(clause);
      const opening = isInstruction(rest) ? 'What should I do' : isState ? 'What' : 'What happens';
      return [`${opening} if ${firstPerson(clause)}?`, clause];
    },
  },
  {
    // When the file changes, the server restarts.
    //      ^^^^^^^^^^^^^^^^
    rule: 'event',
    kind: 'conceptual',
    pattern: /^(?:When|Whenever|Once) ([^,;:]+ [^,;:]+), (?:the|a|an|[A-Z]|all|every|[a-z]+s\b)(.+)$/,
    ask: ([clause = ''], usage) => {
      if (wordCount(clause) > 12) return undefined;
      if (PRONOUN.test(clause) && !/^you\b/i.test(clause)) return undefined;
      if (/^\w+(?:ing|ed)\b/.test(clause)) return undefined;
      return [`What happens when ${firstPerson(inside(clause, usage))}?`, clause];
    },
  },
  {
    // The proxy option allows you to forward requests.
    //                                ^^^^^^^^^^^^^^^^
    rule: 'ability',
    kind: 'conceptual',
    pattern:
      /^([^,;:]+?) (?:allows? (?:you|users|developers) to|enables? (?:you|users|developers) to|lets? you|(?:is|are|can be) used to|helps? you(?: to)?) ([a-z]+ [^,;:]+?)[.]$/i,
    ask: ([subject = '', goal = ''], usage) => {
      if (!isInfinitive(goal.split(' ')[0] ?? '') || !isName(subject)) return undefined;
      return usage.isEverywhere(subject)
        ? [`How can I ${firstPerson(goal)}?`, goal]
        : [`What can I use to ${firstPerson(goal)}?`, goal, subject];
    },
  },
  {
    // A manifest is a file that lists all assets.
    //   ^^^^^^^^
    rule: 'definition',
    kind: 'definition',
    pattern: /^((?:The|An?) )?([^,;:()]+?)(?: \([^)]+\))? (is|are) (?:an? |the )([^;:]+)\.$/,
    ask: ([determiner = '', name = '', verb = '', rest = '']) =>
      isName(name) && wordCount(rest) >= 5 && !NO_DEFINITION.test(rest)
        ? [`What ${verb} ${isIdentifier(name) ? '' : determiner.toLowerCase()}${name}?`, name]
        : undefined,
  },
  {
    // A manifest is a file that lists all assets.
    //               ^^^^^^^^^^^^^^^^^^^^^^^^^^^
    rule: 'reverse-definition',
    kind: 'reverse-definition',
    pattern:
      /^(?:(?:The|An?) )?([^,;:()]+?)(?: \([^)]+\))? is (an? )([^,;:]+? (?:that|which|where|used|for|designed) [^,;:]+)\.$/,
    ask: ([name = '', determiner = '', rest = '']) =>
      isName(name) && !rest.toLowerCase().includes(name.toLowerCase())
        ? [`What is the name of ${determiner}${firstPerson(rest)}?`, rest, name]
        : undefined,
  },
  {
    // The cache is enabled by default.
    // ^^^^^^^^^    ^^^^^^^^^^^^^^^^^^
    rule: 'state',
    kind: 'conceptual',
    pattern:
      /^([^,;:]+?) (is|are) (?:not |no longer |now |also )?((?:enabled|disabled|supported|required|optional|deprecated|removed|available|mandatory|allowed|experimental)\b(?: (?:by default|in|for|on|when|with|only|since|from)\b[^,;:]*)?)\.$/,
    ask: ([name = '', verb = '', state = ''], usage) =>
      isName(name) && wordCount(state) <= 8
        ? [`${upperFirst(verb)} ${inside(name, usage)} ${firstPerson(state)}?`, `${name} ${state}`]
        : undefined,
  },
  {
    // The first load is slow because modules are bundled on demand.
    // ^^^^^^^^^^^^^^    ^^^^
    rule: 'reason',
    kind: 'conceptual',
    pattern: /^([^,;:]+?) (is|are|was|were) ([^,;:]+?),? because (?:[^;:]+)\.$/,
    ask: ([name = '', verb = '', state = ''], usage) =>
      isName(name) && !PRONOUN.test(state)
        ? [`Why ${verb} ${inside(name, usage)} ${firstPerson(state)}?`, `${name} ${state}`]
        : undefined,
  },
  {
    // The port defaults to 5173.
    // ^^^^^^^^
    rule: 'default',
    kind: 'table-lookup',
    pattern: /^([^,;:]+?) defaults? to ([^;]+)\.$/,
    ask: ([name = '', value = ''], usage) =>
      isName(name) ? [`What does ${inside(name, usage)} default to?`, `${name} default`, value] : undefined,
  },
];

export function sentenceCandidates(statements: readonly Statement[], usage: Usage): Candidate[] {
  return statements.flatMap((statement) => {
    if (statement.kind === 'table-row' || wordCount(statement.plain) < 6) return [];
    const shaped = SHAPES.flatMap(({ rule, kind, pattern, ask }): Candidate[] => {
      const match = pattern.exec(statement.plain);
      const asked = match === null ? undefined : ask(match.slice(1), usage);
      if (asked === undefined) return [];
      const [query, core, answer] = asked;
      return [{ rule, kind, query, core, statement, ...(answer === undefined ? {} : { answer }) }];
    });
    return [...shaped, ...cloze(statement)];
  });
}

const CODE = /(?<!`)`([^`\n]{2,40})`(?!`)/g;

/** A sentence with its only code span left out. */
function cloze(statement: Statement): Candidate[] {
  const { kind, quote, plain } = statement;
  const spans = [...quote.matchAll(CODE)];
  const hidden = spans[0]?.[1] ?? '';
  if (
    kind !== 'sentence' ||
    spans.length !== 1 ||
    wordCount(plain) < 9 ||
    wordCount(plain) > 26 ||
    !plain.endsWith('.')
  )
    return [];
  if (plain.split(hidden).length !== 2 || plain.indexOf(hidden) < 12) return [];
  const [before = '', after = ''] = plain.split(hidden);
  return [
    {
      rule: 'cloze',
      kind: 'cloze',
      query: `What completes this sentence: “${before}…${after}”`,
      core: before + after,
      statement,
      answer: hidden,
    },
  ];
}
