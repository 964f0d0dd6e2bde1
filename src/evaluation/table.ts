/** An evaluation as plain text for the terminal, at most 100 columns wide; its warnings are the caller's to show. */
import { range, table, withRange, type Row } from './columns.ts';
import { bestBlock, comparisonTable, gateTable } from './table-differences.ts';
import type { EvaluationReport, Figure, PresetReport } from './types.ts';

/** More presets than these have their kinds in the JSON only, but for those that matter. */
const KINDS_UP_TO = 8;

export function formatEvaluation(evaluated: EvaluationReport): string {
  const report = shortened(evaluated);
  const presets = Object.entries(report.presets);
  const blocks = [
    `${report.questions} questions, ${report.answerable} of them answerable; ranges are 95 % intervals`,
    retrievalTable(presets),
    ...kindTables(report),
    answerTable(presets),
    abstentionTable(presets),
    timeTable(presets),
    comparisonTable(report.comparisons),
    ...(report.vary ?? []).map(bestBlock),
    ...(report.gate === undefined ? [] : [gateTable(report.gate)]),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** The points of one preset's grid are called by what is varied: `chunk.maxTokens=256`. */
function shortened(report: EvaluationReport): EvaluationReport {
  const [grid, ...others] = report.vary ?? [];
  const prefix = `${grid?.baseline.split(' ')[0] ?? ''} `;
  if (grid === undefined || others.length > 0) return report;
  const short = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
  return {
    ...report,
    presets: Object.fromEntries(Object.entries(report.presets).map(([name, preset]) => [short(name), preset])),
    comparisons: report.comparisons.map((compared) => ({ ...compared, a: short(compared.a), b: short(compared.b) })),
    vary: [{ ...grid, baseline: short(grid.baseline), best: short(grid.best) }],
  };
}

type Presets = readonly (readonly [name: string, preset: PresetReport])[];

/** Figures, and under each its interval. */
function figureTable(
  header: Row,
  presets: Presets,
  figures: (preset: PresetReport) => readonly (readonly [metric: string, figure: Figure])[],
): string {
  const rows = presets.flatMap(([name, preset]): Row[] => {
    const shown = figures(preset);
    const ranges = shown.map(([metric]) => range(preset.intervals[metric]));
    const row: Row = [name, ...shown.map(([, figure]) => figure)];
    return ranges.every((text) => text === '') ? [row] : [row, ['', ...ranges]];
  });
  return table(header, rows);
}

const RETRIEVAL = ['mrr@10', 'ndcg@5', 'ndcg@10', 'recall@5', 'recall@30', 'hit@1', 'precision@5'] as const;

function retrievalTable(presets: Presets): string {
  const header: Row = ['retrieval', 'MRR@10', 'nDCG@5', 'nDCG@10', 'recall@5', 'recall@30', 'hit@1', 'prec@5'];
  return figureTable(header, presets, ({ retrieval }) => RETRIEVAL.map((metric) => [metric, retrieval[metric]]));
}

function kindTables({ presets, vary }: EvaluationReport): string[] {
  const told = new Set((vary ?? []).flatMap(({ baseline, best }) => [baseline, best]));
  const all = Object.entries(presets);
  const shown = all.length <= KINDS_UP_TO && vary === undefined ? all : all.filter(([name]) => told.has(name));
  return shown.map(([name, preset]) => kindTable(name, preset));
}

function kindTable(name: string, preset: PresetReport): string {
  const kinds = Object.entries(preset.byKind).sort(([, a], [, b]) => b.questions - a.questions);
  if (kinds.length === 0) return '';
  const rows = kinds.map(([kind, k]): Row => [
    kind,
    String(k.questions),
    withRange(k['mrr@10'], k.intervals['mrr@10']),
    withRange(k['ndcg@10'], k.intervals['ndcg@10']),
    k['recall@30'],
    k.quoteHit,
    k.citesRelevant,
    k.refused,
  ]);
  const header: Row = ['kind', 'n', 'MRR@10', 'nDCG@10', 'recall@30', 'quoteHit', 'cites', 'refused'];
  return `${table([`kinds: ${name}`], [])}\n${table(header, rows)}`;
}

function answerTable(presets: Presets): string {
  const asked = presets.filter(([, preset]) => wasAsked(preset));
  if (asked.length === 0) return '';
  const header: Row = ['answers', 'quoteHit', 'keywordRecall', 'citesRelevant', 'citationPrecision', 'citationRecall'];
  const measures = ['quoteHit', 'keywordRecall', 'citesRelevant', 'citationPrecision', 'citationRecall'] as const;
  const figures = figureTable(header, asked, ({ answers }) => measures.map((metric) => [metric, answers[metric]]));
  const exact = asked.flatMap(([name, { answers }]) => {
    const { citationsExact } = answers;
    if (citationsExact === null) return [];
    return [table([`${name}: ${citationsExact.equal} of ${citationsExact.checked} citations equal their source`], [])];
  });
  return [figures, ...exact].join('\n');
}

function abstentionTable(presets: Presets): string {
  const asked = presets.filter(([, preset]) => wasAsked(preset));
  if (asked.length === 0) return '';
  const header: Row = ['abstention', 'precision', 'recall', 'AUROC', 'answeredAnswerable'];
  return figureTable(header, asked, ({ answers: { abstention, answeredAnswerable } }) => [
    ['abstention.precision', abstention.precision],
    ['abstention.recall', abstention.recall],
    ['abstention.auroc', abstention.auroc],
    ['answeredAnswerable', answeredAnswerable],
  ]);
}

function timeTable(presets: Presets): string {
  const cached = presets.some(([, { cacheHitRate }]) => cacheHitRate !== null);
  const header: Row = [
    'length and time',
    'words p50',
    'words p95',
    'ms p50',
    'ms p95',
    ...(cached ? ['cache hits'] : []),
  ];
  const rows = presets.map(([name, { answerWords: words, latencyMs: time, cacheHitRate }]): Row => {
    const figures = [words.p50?.toFixed(0), words.p95?.toFixed(0), time.p50?.toFixed(1), time.p95?.toFixed(1)];
    return [name, ...figures, ...(cached ? [cacheHitRate] : [])];
  });
  return table(header, rows);
}

/** Collections of judged documents are only searched. */
const wasAsked = ({ answers }: PresetReport): boolean =>
  answers.answeredAnswerable !== null || answers.abstention.recall !== null;
