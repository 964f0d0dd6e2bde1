export interface Stopwatch {
  /** Adds the time of `work` to a stage; several calls add up. */
  time<T>(stage: string, work: () => T | Promise<T>): Promise<T>;
  /** Milliseconds by stage, to a hundredth. */
  timings(): Record<string, number>;
}

export function stopwatch(): Stopwatch {
  const spent: Record<string, number> = {};
  return {
    async time(stage, work) {
      const start = performance.now();
      try {
        return await work();
      } finally {
        spent[stage] = (spent[stage] ?? 0) + performance.now() - start;
      }
    },
    timings: () => Object.fromEntries(Object.entries(spent).map(([stage, ms]) => [stage, Math.round(ms * 100) / 100])),
  };
}
