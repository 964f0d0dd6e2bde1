/**
 * Percentile bootstrap intervals (Efron, 1979): how far a figure moves when other questions of the same kind had been
 * asked. They know nothing of the questions that nobody wrote, and are too narrow below some ten questions; where all
 * values are equal they have no width at all.
 */
import { auroc, percentile } from './metrics.ts';
import { MEASURES, confidencesOf, valuesOf, type Confidence } from './measures.ts';
import { createRandom } from './random.ts';
import type { Interval, QuestionResult } from './types.ts';

/** Even: each resample of a mean is drawn together with its mirror image. */
const RESAMPLES = 2000;
const SEED = 20_260_801;
/** Two-sided 95 %. */
const TAIL = 2.5;

/** Intervals of all measures that apply to at least two questions, and of the AUROC of confidence. */
export function intervalsOf(
  results: readonly QuestionResult[],
  metrics: readonly string[] | 'all' = 'all',
): Record<string, Interval> {
  const intervals: Record<string, Interval> = {};
  for (const measure of MEASURES) {
    if (metrics !== 'all' && !metrics.includes(measure.metric)) continue;
    const interval = meanInterval(valuesOf(results, measure));
    if (interval !== null) intervals[measure.metric] = interval;
  }
  const ofAuroc = metrics === 'all' ? aurocInterval(confidencesOf(results)) : null;
  if (ofAuroc !== null) intervals['abstention.auroc'] = ofAuroc;
  return intervals;
}

/**
 * The interval of a mean; `null` for fewer than two values. Values are sorted, and each resample is drawn with its
 * mirror image (rank i with rank n − 1 − i), so that neither the order of the questions nor the sign of a difference
 * matters: the interval of −x is minus the interval of x.
 */
export function meanInterval(values: readonly number[]): Interval | null {
  const n = values.length;
  if (n < 2) return null;
  const sorted = Float64Array.from(values).sort();
  const random = createRandom(SEED);
  const means: number[] = [];
  for (let resample = 0; resample < RESAMPLES / 2; resample += 1) {
    let sum = 0;
    let mirrored = 0;
    for (let draw = 0; draw < n; draw += 1) {
      const rank = Math.floor(random() * n);
      sum += sorted[rank] as number;
      mirrored += sorted[n - 1 - rank] as number;
    }
    means.push(sum / n, mirrored / n);
  }
  return ends(means);
}

/** The same for the AUROC; resamples without both rights and wrongs have none, and are left out. */
export function aurocInterval(confidences: readonly Confidence[]): Interval | null {
  const n = confidences.length;
  const sorted = [...confidences].sort((a, b) => a.confidence - b.confidence || Number(a.right) - Number(b.right));
  if (new Set(sorted.map(({ right }) => right)).size < 2) return null;
  const random = createRandom(SEED);
  const areas: number[] = [];
  for (let resample = 0; resample < RESAMPLES; resample += 1) {
    const rights: number[] = [];
    const wrongs: number[] = [];
    for (let draw = 0; draw < n; draw += 1) {
      const { confidence, right } = sorted[Math.floor(random() * n)] as Confidence;
      (right ? rights : wrongs).push(confidence);
    }
    const area = auroc(rights, wrongs);
    if (area !== null) areas.push(area);
  }
  return ends(areas);
}

function ends(resampled: readonly number[]): Interval | null {
  const [lower, upper] = [percentile(resampled, TAIL), percentile(resampled, 100 - TAIL)];
  return lower === null || upper === null ? null : [lower, upper];
}
