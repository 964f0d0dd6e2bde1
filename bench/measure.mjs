// CPU time of this process, all its threads (garbage collection and compilation too), in rounds beside X.

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** Milliseconds on the clock and of CPU. */
export async function timed(run) {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  await run();
  const { user, system } = process.cpuUsage(cpu);
  return { wall: performance.now() - wall, cpu: (user + system) / 1000 };
}

export const cpuOf = async (run) => (await timed(run)).cpu;

const X_PER_LEG = 3;
const ROUND_MILLISECONDS = 400;

/**
 * Runs X and the legs in turn. Machines that others use too change their speed within seconds: each leg is compared
 * with the X of its own round, and the median of the rounds' medians is given.
 */
export async function interleaved({ x, legs, queries, rounds }) {
  const perRound = {};
  for (const [name, leg] of Object.entries(legs)) {
    const warm = [];
    for (const query of queries.slice(0, 6)) warm.push(await cpuOf(() => leg(query)));
    perRound[name] = Math.max(3, Math.min(20, Math.floor(ROUND_MILLISECONDS / median(warm))));
  }
  for (const query of queries.slice(0, 6)) x(query);

  const xs = [];
  const results = Object.fromEntries(Object.keys(legs).map((name) => [name, { times: [], ratios: [] }]));
  let next = 0;
  for (let round = 0; round < rounds; round++) {
    const inRound = [];
    const medians = {};
    for (const [name, leg] of Object.entries(legs)) {
      for (let i = 0; i < X_PER_LEG; i++) inRound.push(await cpuOf(() => x(queries[next++ % queries.length])));
      const times = [];
      for (let i = 0; i < perRound[name]; i++) {
        const query = queries[next++ % queries.length];
        times.push(await cpuOf(() => leg(query)));
      }
      medians[name] = median(times);
    }
    const xTime = median(inRound);
    xs.push(xTime);
    for (const [name, time] of Object.entries(medians)) {
      results[name].times.push(time);
      results[name].ratios.push(time / xTime);
    }
  }
  return {
    x: median(xs),
    legs: Object.fromEntries(
      Object.entries(results).map(([name, { times, ratios }]) => [
        name,
        { cpu: median(times), ratio: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) },
      ]),
    ),
  };
}
