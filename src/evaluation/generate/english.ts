/** The little English that turns a heading or a sentence into a question: verbs, gerunds, and who is speaking. */

/** Verbs that headings of documentation begin with. */
const VERBS =
  'access add adjust allow apply approve ask assign attach authenticate avoid bind block build bundle cache call cancel capture change check choose clean clear clone close collect combine compare compile compress configure connect consult contact control convert copy create customise customize debug declare define delete deliver deploy design detect develop disable discover display download edit embed enable enforce ensure establish exclude execute expand export expose extend extract fetch filter find fix follow format generate get group handle hide host identify ignore implement import improve include increase initialize insert inspect install integrate invoke isolate join keep launch limit link list load localize log maintain make manage map measure merge migrate minify modify monitor move navigate open optimize order organize override overwrite parse pass pay perform persist play prepare preserve prevent preview process profile protect provide publish pull push query read rebuild receive record recover redirect reduce refer refresh register release reload remember remove rename render rent repair replace report request require reserve reset resize resolve respond restart restore restrict retrieve return reuse revert review run save scale schedule search secure select send separate serve set share show sign simulate skip sort specify split start stop store stream structure style submit subscribe support switch sync synchronize test trace track train transfer transform translate trigger troubleshoot try turn undo uninstall unlock update upgrade upload use validate verify view watch work wrap write'.split(
    ' ',
  );
/** Verbs whose last consonant doubles: `setting`, `mapping`. */
const DOUBLING = new Set(
  'clip debug drop embed get log map plan plug profile put run set skip split stop strip submit swap trim wrap'.split(
    ' ',
  ),
);

const BASE = new Set(VERBS);
const GERUNDS = new Map(VERBS.map((verb) => [gerund(verb), verb]));

function gerund(verb: string): string {
  if (DOUBLING.has(verb) && !verb.endsWith('e')) return `${verb}${verb.at(-1) ?? ''}ing`;
  return verb.endsWith('e') && !verb.endsWith('ee') ? `${verb.slice(0, -1)}ing` : `${verb}ing`;
}

export const isVerb = (word: string): boolean => BASE.has(word.toLowerCase());

const NO_VERB =
  /^(?:an?|the|this|that|these|those|some|any|all|each|every|my|your|its|our|their|no|be|have|date|me|you|us|it)$/i;

/** Whether a word after `to` begins what somebody does: `to moor a ship`, not `to the ship` or `to ships`. */
export const isInfinitive = (word: string): boolean =>
  isVerb(word) || (/^[a-z]{2,}$/.test(word) && !NO_VERB.test(word) && !/(?:[^s]s|ing|ed)$/.test(word));

/** `Configuring` → `configure`; undefined for what is not the gerund of a verb that is known here. */
export const verbOfGerund = (word: string): string | undefined => GERUNDS.get(word.toLowerCase());

/** What gives or does something to whom it names: `lets you` is `lets me`. */
const BEFORE_OBJECT =
  /\b(allows?|asks?|enables?|for|from|gives?|helps?|lets?|let|makes?|of|offers?|shows?|tells?|to|warns?|with) you\b/gi;

/** As the reader would say it: `your` → `my`, `you are` → `I am`. */
export function firstPerson(text: string): string {
  return text
    .replace(BEFORE_OBJECT, '$1 me')
    .replace(/\byou are\b/gi, 'I am')
    .replace(/\byou['’]re\b/gi, 'I’m')
    .replace(/\byou['’]ve\b/gi, 'I’ve')
    .replace(/\byou['’]ll\b/gi, 'I’ll')
    .replace(/\byourself\b/gi, 'myself')
    .replace(/\byours\b/gi, 'mine')
    .replace(/\byour\b/gi, 'my')
    .replace(/\byou\b/gi, 'I')
    .replaceAll('’', "'");
}

/** Words that point at something outside of the question: nobody could know what they mean. */
const POINTING =
  /\b(?:above|afterwards?|aforementioned|below|corresponding|either|following|former|he|her|here|his|it|its|itself|latter|likewise|mentioned|neither|(?:the|this|that|which|another|each) ones?|others|previous|respective|same|said|she|such|their|them|then|there|these|they|this|those|us|we|our)\b/i;
/** `that` before a noun points; after one it only begins a clause, which a short list of its followers tells. */
const POINTING_THAT = /(?:^|\b(?:in|for|with|on|at|of|to|from|by|and|or|is|do|does|use|all|like) )that\b/i;

export const pointsElsewhere = (text: string): boolean => POINTING.test(text) || POINTING_THAT.test(text);

/** The first letter small, unless the word has capitals of its own (`API`, `WaveMaker`, `I`). */
export function lowerFirst(text: string): string {
  const word = /^[\p{L}\p{N}_.-]+/u.exec(text)?.[0] ?? '';
  return /^\p{Lu}\p{Ll}*$/u.test(word) && word !== 'I' ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const wordCount = (text: string): number => text.match(/\S+/g)?.length ?? 0;

const IDENTIFIER =
  /^(?:--?[a-z][\w-]*|[\w$]+(?:[._/:-][\w$]+)+(?:\(\))?|[a-z][a-z\d]*[A-Z]\w*(?:\(\))?|[A-Z]+_[A-Z_]+|@[\w/-]+|\w+\(\))$/;

/** `server.host`, `--port`, `createServer()`, `DB_HOST`: not a word of the language. */
export const isIdentifier = (text: string): boolean =>
  IDENTIFIER.test(text) && !/^\p{L}\p{Ll}+(?:-\p{L}\p{Ll}*)+$/u.test(text) && !/^[\d.]+$/.test(text);
