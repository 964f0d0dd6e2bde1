/** Questions from lists and tables of options: what one does, and what its default is. */
import type { Candidate } from './candidate.ts';
import { isIdentifier, wordCount } from './english.ts';
import { plainText, type Statement } from './statements.ts';

export function optionCandidates(statements: readonly Statement[]): Candidate[] {
  return statements.flatMap((statement) =>
    statement.kind === 'table-row' ? fromRow(statement) : fromDefault(statement),
  );
}

/** `| --host | Specify the hostname |` */
function fromRow(statement: Statement): Candidate[] {
  const { cells, columns } = statement;
  const name = /^[^\s,]+/.exec(cells[0] ?? '')?.[0].replace(/,$/, '') ?? '';
  if (!isIdentifier(name)) return [];
  const made: Candidate[] = [];
  if (cells.slice(1).some((cell) => wordCount(cell) >= 4)) {
    made.push({ rule: 'option', kind: 'table-lookup', query: `What does ${name} do?`, core: name, statement });
  }
  const column = columns.findIndex((title) => /^default(?: value)?$/i.test(title));
  if (column > 0 && (cells[column] ?? '').length > 1) {
    made.push({
      rule: 'default',
      kind: 'table-lookup',
      query: `What is the default of ${name}?`,
      core: name,
      statement,
    });
  }
  return made;
}

/** `- **Default:** 5173` below a heading that is the option's name. */
function fromDefault(statement: Statement): Candidate[] {
  const { kind, plain, section } = statement;
  const title = plainText(section?.title ?? '');
  if (kind !== 'list-item' || !isIdentifier(title) || !/^default(?: value)?: ?\S/i.test(plain)) return [];
  return [
    { rule: 'default', kind: 'table-lookup', query: `What is the default value of ${title}?`, core: title, statement },
  ];
}
