/**
 * Which emphasis marks have a partner: CommonMark's flanking rules, without its rule of three.
 *
 *     **bold** snake_case 2 * 3
 *     ^^    ^^                     out; the others are text
 */

export interface EmphasisRun {
  /** Where in the result it stands. */
  readonly piece: number;
  readonly mark: string;
  /** Marks without a partner so far: in the end, those that are text. */
  length: number;
}

/** Takes the runs in order. Each opens, closes or does neither; all together take linear time. */
export interface EmphasisMatcher {
  add(run: EmphasisRun, before: string, after: string): void;
}

export function emphasisMatcher(): EmphasisMatcher {
  const openRuns = new Map<string, EmphasisRun[]>();
  return {
    add(run, before, after) {
      if (run.mark === '~' && run.length > 2) return;
      const left = !isBlank(after) && (!isPunctuation(after) || isBlank(before) || isPunctuation(before));
      const right = !isBlank(before) && (!isPunctuation(before) || isBlank(after) || isPunctuation(after));
      const open = openRuns.get(run.mark) ?? [];
      openRuns.set(run.mark, open);
      if (right && (run.mark !== '_' || !left || isPunctuation(after))) close(open, run);
      if (run.length > 0 && left && (run.mark !== '_' || !right || isPunctuation(before))) open.push(run);
    },
  };
}

function close(open: EmphasisRun[], closing: EmphasisRun): void {
  for (let partner = open.at(-1); partner !== undefined && closing.length > 0; partner = open.at(-1)) {
    const matched = Math.min(partner.length, closing.length);
    partner.length -= matched;
    closing.length -= matched;
    if (partner.length === 0) open.pop();
  }
}

/** The edges of the text count as blank. */
const isBlank = (c: string): boolean => c === '' || /\s/u.test(c);
const isPunctuation = (c: string): boolean => /[\p{P}\p{S}]/u.test(c);
