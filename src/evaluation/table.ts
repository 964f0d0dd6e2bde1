/** An evaluation as plain text for the terminal, at most 100 columns wide; its warnings are the caller's to show. */
import { printableLine } from '../text/printable.ts';
import type { EvaluationReport, PresetReport } from './types.ts';

const NAME_COLUMNS = 24;

type Row = readonly (string | number | null | undefined)[];

export function formatEvaluation(report: EvaluationReport): string {
  const presets = Object.entries(report.presets);
  const blocks = [
    `${report.questions} questions, ${report.answerable} of them answerable`,
    retrievalTable(presets),
    ...presets.map(([name, preset]) => kindTable(name, preset)),
    answerTable(presets),
    abstentionTable(presets),
    timeTable(presets),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

type Presets = readonly (readonly [name: string, preset: PresetReport])[];

function retrievalTable(presets: Presets): string {
  const header = ['retrieval', 'MRR@10', 'nDCG@5', 'nDCG@10', 'recall@5', 'recall@30', 'hit@1', 'precision@5'];
  const rows = presets.map(([name, { retrieval: r }]): Row => {
    return [name, r['mrr@10'], r['ndcg@5'], r['ndcg@10'], r['recall@5'], r['recall@30'], r['hit@1'], r['precision@5']];
  });
  return table(header, rows);
}

function kindTable(name: string, preset: PresetReport): string {
  const kinds = Object.entries(preset.byKind).sort(([, a], [, b]) => b.questions - a.questions);
  if (kinds.length === 0) return '';
  const rows = kinds.map(([kind, k]): Row => {
    return [
      kind,
      String(k.questions),
      k['mrr@10'],
      k['ndcg@10'],
      k['recall@30'],
      k.quoteHit,
      k.citesRelevant,
      k.refused,
    ];
  });
  const header = [`kind (${name})`, 'questions', 'MRR@10', 'nDCG@10', 'recall@30', 'quoteHit', 'cites', 'refused'];
  return table(header, rows);
}

function answerTable(presets: Presets): string {
  const asked = presets.filter(([, preset]) => wasAsked(preset));
  if (asked.length === 0) return '';
  const header = ['answers', 'quoteHit', 'keywords', 'citesRelevant', 'citationPrecision', 'citationRecall'];
  const rows = asked.map(([name, { answers: a }]): Row => {
    return [name, a.quoteHit, a.keywordRecall, a.citesRelevant, a.citationPrecision, a.citationRecall];
  });
  const exact = asked.flatMap(
    ([
      name,
      {
        answers: { citationsExact },
      },
    ]) =>
      citationsExact === null
        ? []
        : [`${cell(name)}: ${citationsExact.equal} of ${citationsExact.checked} citations equal their source`],
  );
  return [table(header, rows), ...exact].join('\n');
}

function abstentionTable(presets: Presets): string {
  const asked = presets.filter(([, preset]) => wasAsked(preset));
  if (asked.length === 0) return '';
  const header = ['abstention', 'precision', 'recall', 'AUROC', 'answeredAnswerable'];
  const rows = asked.map(
    ([
      name,
      {
        answers: { abstention: a, answeredAnswerable },
      },
    ]): Row => {
      return [name, a.precision, a.recall, a.auroc, answeredAnswerable];
    },
  );
  return table(header, rows);
}

function timeTable(presets: Presets): string {
  const header = ['length and time', 'words p50', 'words p95', 'ms p50', 'ms p95', 'cache hits'];
  const rows = presets.map(([name, { answerWords: w, latencyMs: t, cacheHitRate }]): Row => {
    return [name, whole(w.p50), whole(w.p95), t.p50?.toFixed(1), t.p95?.toFixed(1), cacheHitRate];
  });
  return table(header, rows);
}

const wasAsked = (preset: PresetReport): boolean => preset.cacheHitRate !== null;

const whole = (value: number | null): string | undefined => value?.toFixed(0);

/** The first column left-aligned, the others right-aligned and two spaces apart. */
function table(header: readonly string[], rows: readonly Row[]): string {
  const lines = [header, ...rows].map((row) => row.map(cell));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line.map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0))),
    )
    .map((line) => line.join('  ').trimEnd())
    .join('\n');
}

function cell(value: Row[number]): string {
  if (typeof value === 'number') return value.toFixed(3);
  // Names of kinds come from a file: none of its control characters may reach the terminal.
  const text = printableLine(value ?? '–');
  return text.length > NAME_COLUMNS ? `${text.slice(0, NAME_COLUMNS - 1)}…` : text;
}
