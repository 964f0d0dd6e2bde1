/**
 * The candidate that a person most likely meant, or `undefined` when none is near enough to be worth naming:
 * at most one edit for every three letters, two at least. Case, `-` and `_` do not count.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(word);
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, fold(candidate));
    // Two edits turn any short name into any other: at least half of it must be the same.
    if (distance > limit || distance * 2 > Math.max(wanted.length, candidate.length)) continue;
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(substitution, (last[j] as number) + 1, (row[j - 1] as number) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] as number) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
}

/** Names come from users: a kilobyte of one is not worth comparing. */
const fold = (name: string): string => name.slice(0, 100).toLowerCase().replace(/[-_]/gu, '');
