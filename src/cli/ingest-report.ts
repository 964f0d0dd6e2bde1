/** What an ingest did, for people: nothing that was left out, failed or warned goes unsaid. */
import type { IngestReport, SourceReport } from '../core/results.ts';
import type { Exclusion, Warning } from '../core/types.ts';
import { printableLine } from '../text/printable.ts';
import { formatAdaptation } from './adaptation.ts';
import { counted, style } from './output.ts';

/** So many are listed one by one; more are counted, and listed by `--verbose`. */
const LISTED = 10;

export function formatIngest(report: IngestReport, verbose: boolean): string {
  const lines = [
    ...report.removed.map((source) => `${style('bold', printableLine(source))}  taken out`),
    ...report.sources.flatMap((source) => formatSource(source, verbose)),
    ...formatWarnings(report.warnings ?? [], verbose),
    ...adaptation(report),
    `${counted(report.documents, 'document')}, ${counted(report.chunks, 'chunk')}${embedded(report)}, ${(report.milliseconds / 1000).toFixed(1)} s`,
  ];
  return `${lines.join('\n')}\n`;
}

/** An index too small to learn from is nothing to tell of. */
const adaptation = ({ adaptation: report }: IngestReport): string[] =>
  report === undefined || report.outcome === 'too-small' ? [] : [`model  ${printableLine(formatAdaptation(report))}`];

/** What a model embedded, and what it was spared. */
const embedded = ({ embeddings }: IngestReport): string =>
  embeddings === undefined
    ? ''
    : `, ${counted(embeddings.computed, 'text')} embedded, ${embeddings.kept} from the cache`;

/** Whether a sync has anything to tell that the one before had not told. */
export function isChange(report: IngestReport, before: IngestReport): boolean {
  return report.sources.some((source) => {
    const last = before.sources.find((other) => other.source === source.source);
    const worked = source.added + source.updated + source.deleted > 0;
    return worked || JSON.stringify(source.failures) !== JSON.stringify(last?.failures ?? []);
  });
}

function formatSource(source: SourceReport, verbose: boolean): string[] {
  const { added, updated, unchanged, deleted, exclusions, failures, warnings } = source;
  const name = style('bold', printableLine(source.source));
  return [
    `${name}  ${added} added, ${updated} updated, ${unchanged} unchanged, ${deleted} deleted  (${printableLine(source.address)})`,
    ...formatExclusions(exclusions, verbose),
    ...failures.map(({ path, message }) => `  ${style('red', 'failed')} ${printableLine(`${path}: ${message}`)}`),
    ...formatWarnings(warnings, verbose),
  ];
}

function formatExclusions(exclusions: readonly Exclusion[], verbose: boolean): string[] {
  if (exclusions.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { reason } of exclusions) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).join(', ');
  const listed = verbose || exclusions.length <= LISTED;
  return [
    `  left out: ${reasons}${listed ? '' : ' (--verbose lists them)'}`,
    ...(listed ? exclusions : []).map(({ path, reason, detail }) => {
      return `    ${printableLine(path)}: ${reason}${detail === undefined ? '' : ` (${printableLine(detail)})`}`;
    }),
  ];
}

function formatWarnings(warnings: readonly Warning[], verbose: boolean): string[] {
  const listed = verbose ? warnings : warnings.slice(0, LISTED);
  const more = warnings.length - listed.length;
  return [
    ...listed.map(
      ({ message, uri }) =>
        `  ${style('yellow', 'warning')} ${printableLine(uri === undefined ? message : `${message} (${uri})`)}`,
    ),
    ...(more > 0 ? [`  ${counted(more, 'more warning')} (--verbose lists them)`] : []),
  ];
}
