/**
 * Labels of relevant documents, resolved against the addresses of an index. A label is the end of a document's
 * address, so that a question file holds wherever its documents lie:
 *
 *     file:///home/me/site/docs/guide/build.md        docs/guide/build.md
 *     git+https://host/site:docs/guide/build.md       docs/guide/build.md     begins after the ':'
 *     file:///wiki/pages.jsonl#Bisq%20Easy            pages.jsonl#Bisq_Easy   space and _ are equal
 */
import type { Judgments } from './types.ts';

/** The relevant documents of one question. */
export interface RelevantDocuments {
  /** Address → grade, of the relevant documents that are indexed, and of those that BEIR names in any case. */
  readonly grades: ReadonlyMap<string, number>;
  /** Grades that a perfect run collects, best first: one for each label, also for one that matches nothing. */
  readonly ideal: readonly number[];
}

export interface LabelIndex {
  /** Addresses that the label means, in the order of the index. */
  match(label: string): readonly string[];
  has(uri: string): boolean;
}

interface Address {
  readonly uri: string;
  readonly path: string;
  readonly fragment: string | null;
}

interface Reading {
  readonly path: string;
  readonly fragment: string | null;
}

export function labelIndex(uris: Iterable<string>): LabelIndex {
  const known = new Set(uris);
  // By what follows the last separator: a label shares it with every address that it matches.
  const byTail = new Map<string, Address[]>();
  for (const uri of known) {
    const address = parseAddress(uri);
    const tail = tailOf(address.path);
    const group = byTail.get(tail);
    if (group === undefined) byTail.set(tail, [address]);
    else group.push(address);
  }
  const find = (label: string): string[] => {
    const found = readings(label).flatMap((reading) =>
      (byTail.get(tailOf(reading.path)) ?? []).filter((address) => matches(address, reading)),
    );
    return [...new Set(found.map((address) => address.uri))];
  };
  return {
    has: (uri) => known.has(uri),
    match(label) {
      const literal = find(label.normalize('NFC'));
      // Some files write their labels percent-encoded; a file whose very name has a `%20` goes first.
      return literal.length > 0 ? literal : find(decode(label).normalize('NFC'));
    },
  };
}

/** What a question's judgments mean in an index. `unmatched` are those that no indexed document bears. */
export function resolveJudgments(
  judgments: Judgments,
  index: LabelIndex,
): RelevantDocuments & { readonly unmatched: readonly string[] } {
  if (judgments.by === 'uri') {
    const grades = new Map([...judgments.grades].filter(([, grade]) => grade > 0));
    const unmatched = [...grades.keys()].filter((uri) => !index.has(uri));
    return { grades, ideal: [...grades.values()].sort((a, b) => b - a), unmatched };
  }
  const labels = [...new Set(judgments.labels)];
  const matched = [...labels, ...judgments.equivalents].map((label) => ({ label, uris: index.match(label) }));
  return {
    grades: new Map(matched.flatMap(({ uris }) => uris.map((uri) => [uri, 1] as const))),
    ideal: labels.map(() => 1),
    unmatched: matched.filter(({ uris }) => uris.length === 0).map(({ label }) => label),
  };
}

/**
 * The grade at each rank of a run of distinct documents. Labels and equivalents count alike, together at most as
 * many as there are labels: what comes after that is neither right nor wrong, and gains nothing.
 */
export function gainsOf(documents: readonly string[], relevant: RelevantDocuments): number[] {
  let left = relevant.ideal.length;
  return documents.map((uri) => {
    const grade = relevant.grades.get(uri) ?? 0;
    if (grade === 0 || left === 0) return 0;
    left -= 1;
    return grade;
  });
}

function parseAddress(uri: string): Address {
  // A '#' of a name is percent-encoded, so the first one begins the fragment.
  const hash = uri.indexOf('#');
  const path = decode(hash === -1 ? uri : uri.slice(0, hash)).normalize('NFC');
  return { uri, path, fragment: hash === -1 ? null : decode(uri.slice(hash + 1)).normalize('NFC') };
}

/** A `#` in a label begins its fragment or belongs to a name (`notes on C#.md`): both are tried. */
function readings(label: string): Reading[] {
  const path = label.startsWith('./') ? label.slice(2) : label;
  const result: Reading[] = path === '' ? [] : [{ path, fragment: null }];
  for (let hash = path.indexOf('#', 1); hash !== -1; hash = path.indexOf('#', hash + 1)) {
    result.push({ path: path.slice(0, hash), fragment: path.slice(hash + 1) });
  }
  return result;
}

function matches(address: Address, reading: Reading): boolean {
  if (reading.fragment !== null) {
    if (address.fragment === null || spaced(address.fragment) !== spaced(reading.fragment)) return false;
  }
  if (!address.path.endsWith(reading.path)) return false;
  if (reading.path.startsWith('/')) return true;
  const before = address.path.charAt(address.path.length - reading.path.length - 1);
  return before === '' || before === '/' || (before === ':' && address.uri.startsWith('git+'));
}

const spaced = (fragment: string): string => fragment.replaceAll('_', ' ');

const tailOf = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':')) + 1);

/** Percent-decodes what can be decoded, and leaves the rest (`100%.md`) as it is. */
function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}
