/** The best of many rows: a bounded heap with the worst on top. Equal scores: the smaller row is the better one. */
export interface TopList {
  /** A row is only of interest when its score is above this (or equal, and offered in descending order of rows). */
  readonly floor: number;
  readonly size: number;
  /** Rows must be offered in ascending order, so that a later row never displaces an equal score. */
  offer(row: number, score: number): void;
  /** Best first. */
  sorted(): Scored[];
}

export interface Scored {
  readonly row: number;
  readonly score: number;
}

export const bestFirst = (a: Scored, b: Scored): number => b.score - a.score || a.row - b.row;

export function topList(capacity: number): TopList {
  const rows = new Uint32Array(capacity);
  const scores = new Float64Array(capacity);
  let size = 0;
  let floor = capacity === 0 ? Infinity : -Infinity;

  const worse = (a: number, b: number): boolean => {
    const [left, right] = [scores[a] as number, scores[b] as number];
    return left < right || (left === right && (rows[a] as number) > (rows[b] as number));
  };
  const swap = (a: number, b: number): void => {
    const [row, score] = [rows[a] as number, scores[a] as number];
    rows[a] = rows[b] as number;
    scores[a] = scores[b] as number;
    rows[b] = row;
    scores[b] = score;
  };
  const rise = (from: number): void => {
    for (let i = from; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!worse(i, parent)) return;
      swap(i, parent);
      i = parent;
    }
  };
  const sink = (): void => {
    for (let i = 0; ; ) {
      let worst = i;
      for (const child of [2 * i + 1, 2 * i + 2]) if (child < size && worse(child, worst)) worst = child;
      if (worst === i) return;
      swap(i, worst);
      i = worst;
    }
  };

  return {
    get floor() {
      return floor;
    },
    get size() {
      return size;
    },
    offer(row, score) {
      if (score <= floor) return;
      const at = size < capacity ? size++ : 0;
      rows[at] = row;
      scores[at] = score;
      if (at > 0) rise(at);
      else sink();
      if (size === capacity) floor = scores[0] as number;
    },
    sorted: () =>
      Array.from({ length: size }, (_, i) => ({ row: rows[i] as number, score: scores[i] as number })).sort(bestFirst),
  };
}
