import type { IndexStatus, SourceReport } from '../../core/results.ts';
import { printableLine } from '../../text/printable.ts';
import { formatAdaptation } from '../adaptation.ts';
import type { GlobalOptions } from '../options.ts';
import { counted, style, table, writeJson, writeOut } from '../output.ts';
import { openSession, withEngine } from '../session.ts';

export async function status(options: GlobalOptions): Promise<number> {
  const session = await openSession(options, { index: true });
  const found = await withEngine(session, (engine) => engine.status());
  await (options.json === true ? writeJson(found) : writeOut(formatStatus(found)));
  return 0;
}

function formatStatus(found: IndexStatus): string {
  const facts = [
    ['index', found.index],
    ['preset', found.preset],
    ['store', `${found.store}, ${bytes(found.bytes)}`],
    ['model', found.model ?? 'none'],
    ...(found.adaptation === null ? [] : [['adaptation', formatAdaptation(found.adaptation)]]),
    [
      'holds',
      `${counted(found.documents, 'document')}, ${counted(found.chunks, 'chunk')}, ${counted(found.tokens, 'token')}`,
    ],
    [
      'last sync',
      found.lastSync === null ? 'never finished' : `${found.lastSync.finishedAt} (run ${found.generation})`,
    ],
  ];
  const sources = found.sources.map(({ id, address, documents, chunks }) => [
    printableLine(id),
    printableLine(address),
    counted(documents, 'document'),
    counted(chunks, 'chunk'),
  ]);
  const failures = found.lastSync?.sources.flatMap(formatFailures) ?? [];
  return `${[
    table(facts.map((fact) => fact.map(printableLine))),
    '',
    style('bold', 'sources'),
    sources.length === 0 ? 'none' : table(sources),
    ...(failures.length === 0 ? [] : ['', style('bold', 'failures of the last sync'), ...failures]),
  ].join('\n')}\n`;
}

const formatFailures = ({ source, failures }: SourceReport): string[] =>
  failures.map(({ path, message }) => printableLine(`${source}: ${path}: ${message}`));

function bytes(count: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = count < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3));
  return `${power === 0 ? count : (count / 1000 ** power).toFixed(1)} ${units[power]}`;
}
