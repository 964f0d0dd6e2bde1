/** Reading the configuration file: YAML or JSON, data only, bounded in size, depth and aliases. */
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document as YamlDocument } from 'yaml';
import { RagError } from '../core/errors.ts';
import { sha256 } from '../core/identity.ts';
import type { ConfigFile } from './file.ts';
import { flatten } from './flat.ts';
import { describeIssues, findSecret, type SettingIssue } from './issues.ts';
import { fileSchema } from './schema.ts';

const MAX_BYTES = 250_000;
const MAX_ALIASES = 100;

/** @throws RagError `file-invalid` (cannot be read) | `setting-invalid` (what it says) */
export async function readConfigFile(path: string, named: boolean): Promise<ConfigFile> {
  const bytes = await readBounded(path);
  const name = basename(path);
  const { value, lineOf } = parse(bytes.toString('utf8').replace(/^\uFEFF/u, ''), name);
  const secret = findSecret(value);
  if (secret !== undefined) throw settingInvalid(name, [secret], lineOf);
  const checked = fileSchema.safeParse(value);
  if (!checked.success) throw settingInvalid(name, describeIssues(checked.error, value), lineOf);
  return { path, folder: dirname(path), named, hash: sha256(bytes), values: flatten(checked.data) };
}

async function readBounded(path: string): Promise<Buffer> {
  const name = basename(path);
  try {
    const found = await stat(path);
    // A pipe or device would never end.
    if (!found.isFile()) throw new RagError('file-invalid', `${name} is not a file`);
    if (found.size > MAX_BYTES) throw new RagError('file-invalid', `${name} is larger than ${MAX_BYTES} bytes`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof RagError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    const message = code === 'ENOENT' ? `there is no configuration file ${path}` : `${name} cannot be read (${code})`;
    throw new RagError('file-invalid', message, { hint: 'footnote init writes one', cause: error });
  }
}

type LineOf = (path: readonly PropertyKey[]) => number | undefined;

/** JSON is read as JSON; YAML gives the lines of both, since JSON is YAML. */
function parse(text: string, name: string): { readonly value: unknown; readonly lineOf: LineOf } {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { version: '1.2', schema: 'core', lineCounter: lines, prettyErrors: true });
    if (name.endsWith('.json')) return { value: JSON.parse(text), lineOf: (path) => lineAt(document, lines, path) };
    // A tag that we do not know is only a warning to the library: data has no tags.
    const problem = document.errors[0] ?? document.warnings[0];
    if (problem !== undefined) throw problem;
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
    return { value, lineOf: (path) => lineAt(document, lines, path) };
  } catch (error) {
    // RangeError: nested deeper than the stack. ReferenceError: more aliases than the limit.
    const message =
      error instanceof Error ? (error.message.split('\n', 1)[0] as string).replace(/:$/u, '') : String(error);
    const format = name.endsWith('.json') ? 'JSON' : 'YAML';
    throw new RagError('file-invalid', `${name} is not readable as ${format}: ${message}`, {
      hint: 'footnote init writes an example',
      cause: error,
    });
  }
}

/** The line of the key that a path ends in. */
function lineAt(document: YamlDocument, lines: LineCounter, path: readonly PropertyKey[]): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
      if (!isScalar(pair?.key)) break;
      offset = pair.key.range?.[0];
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(part)];
      offset = (item as { range?: readonly number[] } | undefined)?.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

function settingInvalid(name: string, issues: readonly SettingIssue[], lineOf: LineOf): RagError {
  const told = issues.slice(0, 5).map((issue) => {
    const line = lineOf(issue.path);
    return `${name}${line === undefined ? '' : `:${line}`}: ${issue.message}`;
  });
  if (issues.length > told.length) told.push(`and ${issues.length - told.length} more`);
  const hints = [...new Set(issues.slice(0, 5).flatMap((issue) => issue.hint ?? []))];
  return new RagError('setting-invalid', told.join('; '), {
    hint: hints.length > 0 ? hints.join(' ') : 'footnote preset show default lists every setting',
  });
}
