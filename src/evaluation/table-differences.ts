/** Comparisons, the best point of a grid and the gate, as plain text. */
import { pValue, signed, table, type Row } from './columns.ts';
import type { BestPoint, Comparison, GateCheck, GateResult, Interval } from './types.ts';

/** Shown of every pair while there are few; the rest, and all others, are in the JSON. */
const FEW_PAIRS = 3;
const OF_FEW: readonly string[] = ['ndcg@10', 'mrr@10', 'recall@30', 'quoteHit', 'citesRelevant'];
const OF_MANY: readonly string[] = ['ndcg@10'];
const SIGNIFICANT = 0.05;

export function comparisonTable(comparisons: readonly Comparison[]): string {
  if (comparisons.length === 0) return '';
  const nameOf = ({ a, b }: Comparison): string => `${a} − ${b}`;
  const pairs = [...new Set(comparisons.map(nameOf))];
  const metrics = pairs.length <= FEW_PAIRS ? OF_FEW : OF_MANY;
  const rows = pairs.flatMap((pair): Row[] => {
    const compared = comparisons.filter((comparison) => nameOf(comparison) === pair);
    const shown = compared.filter(({ metric, p }) => metrics.includes(metric) || p < SIGNIFICANT);
    return [[pair], ...shown.map(comparisonRow)];
  });
  const header: Row = ['compared (a − b)', 'difference', '95 % interval', 'p', 'p alone'];
  return `${table(header, rows)}\np: paired permutation test, corrected for the ${comparisons.length} comparisons of this run (Holm)`;
}

const comparisonRow = ({ metric, difference, interval, p, pRaw }: Comparison): Row => [
  `  ${metric}`,
  signed(difference),
  differenceRange(interval),
  pValue(p),
  pValue(pRaw),
];

const differenceRange = ([lower, upper]: Interval): string => `${signed(lower)} to ${signed(upper)}`;

export function bestBlock(point: BestPoint): string {
  const { metric, baseline, best, values, settings, yaml, environment } = point;
  const rebuilt = Object.keys(settings).some((key) => /^(?:parse|chunk|embed|analyze|store)\./u.test(key));
  return [
    `best by ${metric}: ${best} (${values.best.toFixed(3)})`,
    best === baseline ? 'which is the preset as it is: nothing to change' : beside(point),
    ...(yaml.length === 0 ? [] : ['in footnote.yaml:', ...yaml.map((line) => `  ${line}`)]),
    ...(environment.length === 0 ? [] : ['or in the environment:', ...environment.map((line) => `  ${line}`)]),
    ...(rebuilt && best !== baseline ? ['and then: footnote ingest --rebuild'] : []),
  ].join('\n');
}

function beside({ baseline, values, comparison, withinNoise }: BestPoint): string {
  const before = `${baseline} (${values.baseline.toFixed(3)})`;
  if (comparison === null) return `too few questions to compare it with ${before}`;
  const { difference, interval, p } = comparison;
  const told = `${signed(difference)} (${differenceRange(interval)}), p = ${pValue(p)}, over ${before}:`;
  return `${told}\n${withinNoise ? 'within the noise: these questions do not tell the two apart' : 'more than noise'}`;
}

export function gateTable({ name, passed, checks }: GateResult): string {
  const failed = checks.filter((check) => !check.passed);
  const told = checks.filter((check) => !check.passed || check.message !== null);
  const head = passed
    ? `gate ${name}: passed, ${checks.length} figures`
    : `gate ${name}: failed, ${failed.length} of ${checks.length} figures`;
  if (told.length === 0) return head;
  const design = checks.every(({ tolerance }) => tolerance === null);
  const header: Row = ['preset', 'metric', design ? 'target' : 'baseline', 'now', ...(design ? [] : ['tolerance']), ''];
  return `${head}\n${table(header, gateRows(told, design))}`;
}

/** Of a preset that is missing, every figure is: one row. */
function gateRows(checks: readonly GateCheck[], design: boolean): Row[] {
  const isMissing = ({ now, preset, message }: GateCheck): boolean =>
    now === null && message?.startsWith(preset) === true;
  const missing = new Set(checks.filter(isMissing).map(({ preset }) => preset));
  return [
    ...checks
      .filter((check) => !isMissing(check))
      .map((check): Row => {
        const figures = [figure(check, check.baseline), figure(check, check.now)];
        return [check.preset, check.metric, ...figures, ...(design ? [] : [toleranceText(check)]), check.message ?? ''];
      }),
    ...[...missing].map((preset): Row => [preset, 'all', '', '', ...(design ? [] : ['']), 'was not measured']),
  ];
}

const isLatency = ({ metric }: GateCheck): boolean => metric.startsWith('latencyMs');

function figure(check: GateCheck, value: number | null): string {
  if (value === null) return '–';
  if (isLatency(check)) return `${value.toFixed(1)} ms`;
  return check.metric === 'questions' ? String(value) : value.toFixed(3);
}

function toleranceText(check: GateCheck): string {
  const tolerance = check.tolerance ?? 0;
  return isLatency(check) ? `+${Math.round(tolerance * 100)} %` : String(tolerance);
}
