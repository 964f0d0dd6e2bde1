/** The best of many rows: a bounded heap with the worst on top. Equal scores: the smaller row is the better one. */
export interface TopList {
  /** A row is of interest only when its score is above this. */
  readonly floor: number;
  /** Rows must be offered in ascending order, so that a later row never displaces an equal score. */
  offer(row: number, score: number): void;
  /** Best first. */
  sorted(): Scored[];
}

export interface Scored {
  readonly row: number;
  readonly score: number;
}

/** Offers the rows of a segment whose score is above 0; `base` is the number of rows before it. */
export function offerPositive(
  best: TopList,
  scores: Float64Array,
  eligible: Uint8Array | undefined,
  base: number,
): void {
  let floor = Math.max(0, best.floor);
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row] as number;
    if (score <= floor || (eligible !== undefined && eligible[row] === 0)) continue;
    best.offer(base + row, score);
    floor = Math.max(0, best.floor);
  }
}

export const bestFirst = (a: Scored, b: Scored): number => b.score - a.score || a.row - b.row;

export function topList(capacity: number): TopList {
  // The heap is in [1, size]; the children of i are 2i and 2i + 1.
  const rows = new Uint32Array(capacity + 1);
  const scores = new Float64Array(capacity + 1);
  let size = 0;
  let floor = capacity === 0 ? Infinity : -Infinity;

  /** Moves the hole at the end up to where (row, score) belongs. */
  const rise = (hole: number, row: number, score: number): void => {
    let at = hole;
    while (at > 1) {
      const parent = at >> 1;
      const above = scores[parent] as number;
      if (above < score || (above === score && (rows[parent] as number) > row)) break;
      scores[at] = above;
      rows[at] = rows[parent] as number;
      at = parent;
    }
    scores[at] = score;
    rows[at] = row;
  };

  /** Moves the hole at the top down to where (row, score) belongs. */
  const sink = (row: number, score: number): void => {
    let at = 1;
    for (let child = 2; child <= size; child = 2 * at) {
      if (child < size && isWorse(child + 1, scores[child] as number, rows[child] as number)) child++;
      if (!isWorse(child, score, row)) break;
      scores[at] = scores[child] as number;
      rows[at] = rows[child] as number;
      at = child;
    }
    scores[at] = score;
    rows[at] = row;
  };

  const isWorse = (at: number, score: number, row: number): boolean => {
    const own = scores[at] as number;
    return own < score || (own === score && (rows[at] as number) > row);
  };

  return {
    get floor() {
      return floor;
    },
    offer(row, score) {
      if (score <= floor) return;
      if (size < capacity) rise(++size, row, score);
      else sink(row, score);
      if (size === capacity) floor = scores[1] as number;
    },
    sorted: () =>
      Array.from({ length: size }, (_, i) => ({ row: rows[i + 1] as number, score: scores[i + 1] as number })).sort(
        bestFirst,
      ),
  };
}
