/** Files with one JSON object a line: pages of a crawler, articles of a wiki, and tables of facts. */
import type { RecordSettings } from '../../core/settings.ts';
import { decodeText } from '../../text/decode.ts';
import { filterable, keyOf, nameOf, oneLine, webAddress, wellFormed } from './fields.ts';
import { byteLines, type ByteLine } from './lines.ts';
import { RecordFileFailure, type FileRecord, type ProblemKind, type RecordEntry } from './record.ts';
import { looksLikeWiki } from './wiki-marks.ts';

export interface JsonLinesOptions {
  readonly records: RecordSettings;
  /** Of one line. */
  readonly maxBytes: number;
}

/** Whether texts hold wiki marks is judged by so many of the first lines. */
const SAMPLE_LINES = 50;
const SAMPLE_BYTES = 4 << 20;

/** @throws RecordFileFailure for a file in UTF-16 */
export async function* jsonLineRecords(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: JsonLinesOptions,
): AsyncGenerator<RecordEntry> {
  const { markup } = options.records;
  let sample: Line[] | undefined = markup === undefined ? [] : undefined;
  let sampledBytes = 0;
  let isWiki = markup === 'wiki';
  function* judged(): Generator<RecordEntry> {
    const lines = sample ?? [];
    isWiki = looksLikeWiki(lines.flatMap(({ parsed }) => parsed?.text ?? []));
    sample = undefined;
    for (const line of lines) yield entryOf(line, isWiki);
  }
  for await (const bytes of byteLines(parts, options.maxBytes)) {
    const line = readLine(bytes, options);
    if (line === undefined) continue;
    if (sample === undefined) yield entryOf(line, isWiki);
    else {
      sample.push(line);
      sampledBytes += bytes.bytes?.length ?? 0;
      if (sample.length >= SAMPLE_LINES || sampledBytes > SAMPLE_BYTES) yield* judged();
    }
  }
  if (sample !== undefined) yield* judged();
}

interface Line {
  readonly place: string;
  readonly problem?: Pick<Extract<RecordEntry, { type: 'problem' }>, 'message' | 'kind'>;
  readonly warnings: readonly string[];
  readonly parsed?: ParsedRecord;
}

interface ParsedRecord extends Pick<FileRecord, 'key' | 'text' | 'fields' | 'url'> {
  /** Declared by the record itself, or a table of facts; undefined: as the file. */
  readonly mediaType: FileRecord['mediaType'] | undefined;
}

function entryOf({ place, problem, warnings, parsed }: Line, isWiki: boolean): RecordEntry {
  if (parsed === undefined) return { type: 'problem', place, message: '', kind: 'damaged', ...problem };
  const mediaType = parsed.mediaType ?? (isWiki ? 'text/x-wiki' : 'text/markdown');
  const type = mediaType === 'text/x-wiki' ? 'wiki' : mediaType === 'text/markdown' ? 'page' : 'text';
  return { type: 'record', place, warnings, record: { ...parsed, mediaType, fields: { type, ...parsed.fields } } };
}

function readLine({ number, bytes }: ByteLine, { records, maxBytes }: JsonLinesOptions): Line | undefined {
  const place = `line ${number}`;
  const left = (message: string, kind: ProblemKind = 'damaged'): Line => ({
    place,
    problem: { message, kind },
    warnings: [],
  });
  if (bytes === undefined) return left(`longer than ${maxBytes} bytes (parse.maxFileBytes)`);
  if (number === 1 && (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff)))
    throw new RecordFileFailure('it is in UTF-16: save it as UTF-8');
  const { text, encoding, warnings } = decodeText(bytes);
  if (encoding.startsWith('utf-16')) return left('not valid UTF-8');
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return left(`not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  if (typeof value !== 'object' || value === null)
    return left(`${typeof value === 'object' ? 'null' : `a ${typeof value}`}, not an object`);
  if (Array.isArray(value)) return left('a list, not an object');
  const parsed = readRecord(new Map(Object.entries(value)), records);
  return typeof parsed === 'string'
    ? left(parsed, 'incomplete')
    : { place, parsed, warnings: warnings.map(({ message }) => message) };
}

const startsWith = (bytes: Uint8Array, ...marks: readonly number[]): boolean =>
  marks.every((mark, i) => bytes[i] === mark);

/** The record, or what it lacks. */
function readRecord(fields: ReadonlyMap<string, unknown>, set: RecordSettings): ParsedRecord | string {
  const names = [...fields.keys()];
  const titleName = nameOf('title', names, set.title);
  const urlName = nameOf('url', names, set.url);
  const idName = nameOf('id', names, set.id);
  const textName = nameOf('text', names, set.text);
  const url = webAddress(urlName === undefined ? undefined : fields.get(urlName));
  const title = scalar(titleName === undefined ? undefined : fields.get(titleName));
  const id = scalar(idName === undefined ? undefined : fields.get(idName));
  const key = keyOf(set.id !== undefined && id !== '' ? id : title || id || url || '');
  if (key === '') return `neither a title nor an id (records.title: ${set.title ?? 'title or name'})`;
  const rest = [...fields].filter(([name]) => name !== textName && name !== titleName);
  const common = {
    key,
    ...(url === undefined ? {} : { url }),
    fields: { ...filterable(rest), ...(title === '' ? {} : { title: oneLine(title) }) },
  };
  if (textName !== undefined) {
    const text = fields.get(textName);
    if (typeof text !== 'string') return `its ${textName} is no text`;
    if (text.trim() === '') return `its ${textName} is empty`;
    return { ...common, text: wellFormed(text), mediaType: declaredMarkup(fields) };
  }
  const facts = set.text === undefined ? rest.filter(([name]) => name !== idName && name !== urlName) : [];
  if (facts.length < MIN_FACTS) return `no text (records.text: ${set.text ?? 'text, content, markdown or body'})`;
  return { ...common, text: factLines(title, titleName, facts), mediaType: 'text/plain' };
}

/** A record without text but with so many fields is a row of a table: its text is its fields. */
const MIN_FACTS = 2;

function factLines(
  title: string,
  titleName: string | undefined,
  facts: readonly (readonly [string, unknown])[],
): string {
  const lines = titleName === undefined ? [] : [`${titleName}: ${oneLine(title)}`];
  const add = (name: string, value: unknown, depth: number): void => {
    if (value === null || value === undefined || value === '') return;
    if (typeof value === 'object' && !Array.isArray(value) && depth < 3) {
      for (const [inner, innerValue] of Object.entries(value)) add(`${name}.${inner}`, innerValue, depth + 1);
    } else if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
      lines.push(`${name}: ${oneLine(value.join(', '))}`);
    } else lines.push(`${name}: ${oneLine(typeof value === 'string' ? value : JSON.stringify(value))}`);
  };
  for (const [name, value] of facts) add(name, value, 0);
  return wellFormed(lines.join('\n'));
}

const scalar = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';

function declaredMarkup(fields: ReadonlyMap<string, unknown>): FileRecord['mediaType'] | undefined {
  const declared = fields.get('format') ?? fields.get('markup') ?? fields.get('contentmodel');
  if (declared === 'wikitext' || declared === 'mediawiki' || declared === 'wiki') return 'text/x-wiki';
  if (declared === 'markdown' || declared === 'md') return 'text/markdown';
  return declared === 'text' || declared === 'plain' ? 'text/plain' : undefined;
}
