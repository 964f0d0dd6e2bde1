/**
 * Downloads a model from the hub (or a mirror that answers the same addresses) into a folder, once.
 * Every file is checked against the checksum that the hub states for it, takes its place only when it is whole, and is
 * recorded with its own checksum; the record is checked whenever the model is opened.
 *
 * Wire: `GET BASE/ID/resolve/REVISION/PATH`. Large files answer with a redirect whose `x-linked-etag` is their SHA-256
 * and `x-linked-size` their size; for small ones `etag` is the id of their git blob.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout } from 'node:timers/promises';
import type { CallOptions } from '../core/contracts.ts';
import { isRagError, RagError } from '../core/errors.ts';
import { isConvertible } from './convert/index.ts';
import {
  externalDataOf,
  OPTIONAL_FILES,
  REQUIRED_FILES,
  SAFETENSORS,
  sha256OfFile,
  sizeOf,
  weightFiles,
} from './model-folder.ts';
import type { ModelFolder, Precision } from './model-folder.ts';

export interface HubOptions extends CallOptions {
  /** `ORGANISATION/NAME`. */
  readonly id: string;
  readonly precision: Precision;
  /** Models are kept in `ORGANISATION/NAME` below it. */
  readonly modelsFolder: string;
  /** Never connect: what is not in the folder is an error. */
  readonly offline: boolean;
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly onProgress: (progress: DownloadProgress) => void;
}

export interface DownloadProgress {
  readonly model: string;
  /** Path within the model. */
  readonly file: string;
  readonly receivedBytes: number;
  /** Undefined where the server does not say. */
  readonly totalBytes: number | undefined;
}

/** Written last: a folder with a record is complete. */
interface DownloadRecord {
  readonly id: string;
  readonly commit: string | null;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

export const HUB_URL = 'https://huggingface.co';
const RECORD = 'footnote-download.json';
const ATTEMPTS = 4;
/** Doubled with every attempt. */
const RETRY_MS = 100;
const MOST_REDIRECTS = 5;

/** `XDG_CACHE_HOME/footnote/models`, or `.cache/footnote/models` in the home folder. */
export function defaultModelsFolder(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const configured = environment['XDG_CACHE_HOME'];
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), '.cache');
  return join(base, 'footnote', 'models');
}

export const isHubId = (model: string): boolean => /^[\w-][\w.-]*\/[\w-][\w.-]*$/u.test(model);

/**
 * The folder with the model, downloaded if it is not there.
 *
 * @throws RagError `driver-unavailable` without network or after a broken download, `setting-invalid` for a model that
 * the hub does not have, `storage-failed`, `aborted`
 */
export async function modelFromHub(options: HubOptions): Promise<string> {
  const folder = join(options.modelsFolder, ...options.id.split('/'));
  if (await isComplete(folder, options.precision)) return folder;
  if (options.offline) throw notHere(options, folder, 'and downloads are switched off');
  await download(folder, options);
  return folder;
}

/** Downloaded and unchanged, or put there by hand. */
async function isComplete(folder: string, precision: Precision): Promise<boolean> {
  const record = await readRecord(folder);
  if (record === undefined) {
    const weights = await Promise.all(weightFiles(precision).map((name) => sizeOf(join(folder, name))));
    const others = await Promise.all(REQUIRED_FILES.map((name) => sizeOf(join(folder, name))));
    return weights.some((bytes) => bytes !== undefined) && !others.includes(undefined);
  }
  for (const [name, { bytes, sha256 }] of Object.entries(record.files)) {
    const path = join(folder, name);
    if ((await sizeOf(path)) === bytes && (await sha256OfFile(path)) === sha256) continue;
    throw new RagError('driver-unavailable', `${path} is not the file that was downloaded`, {
      hint: `remove the folder ${folder}, so that the model is downloaded again`,
    });
  }
  return weightFiles(precision).some((name) => name in record.files);
}

async function readRecord(folder: string): Promise<DownloadRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, RECORD), 'utf8')) as DownloadRecord;
  } catch {
    return undefined;
  }
}

async function download(folder: string, options: HubOptions): Promise<void> {
  const files: Record<string, { bytes: number; sha256: string }> = { ...(await readRecord(folder))?.files };
  // All files of one commit, even when the model changes meanwhile.
  let commit: string | undefined;
  const get = async (name: string): Promise<boolean> => {
    const file = await downloadFile(name, commit ?? 'main', folder, options);
    if (file === undefined) return false;
    commit ??= file.commit;
    files[name] = { bytes: file.bytes, sha256: file.sha256 };
    return true;
  };
  for (const name of REQUIRED_FILES) {
    if (await get(name)) continue;
    const where = new URL(options.baseUrl).host;
    throw new RagError('setting-invalid', `${where} has no model "${options.id}" with a ${name}, or keeps it closed`, {
      hint: `check the name; a model behind a login can be downloaded by hand into ${folder}`,
    });
  }
  for (const name of OPTIONAL_FILES) await get(name);
  let weights: string | undefined;
  const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as ModelFolder['config'];
  for (const name of weightFiles(options.precision)) {
    if (name === SAFETENSORS && !isConvertible(config)) continue;
    if (!(await get(name))) continue;
    weights = name;
    break;
  }
  if (weights === undefined) {
    throw new RagError(
      'setting-invalid',
      `the model "${options.id}" has none of ${weightFiles(options.precision).join(', ')}`,
      {
        hint: 'choose a model that was exported to ONNX; many are as Xenova/NAME',
      },
    );
  }
  await get(externalDataOf(weights));
  const record: DownloadRecord = { id: options.id, commit: commit ?? null, files };
  await writeFile(join(folder, RECORD), `${JSON.stringify(record, null, 2)}\n`);
}

interface DownloadedFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly commit: string | undefined;
}

/** Undefined where the hub has no such file. */
async function downloadFile(
  name: string,
  revision: string,
  folder: string,
  options: HubOptions,
): Promise<DownloadedFile | undefined> {
  const url = `${options.baseUrl.replace(/\/+$/u, '')}/${options.id}/resolve/${revision}/${name}`;
  const path = join(folder, name);
  const draft = `${path}.${randomUUID()}.part`;
  try {
    await mkdir(dirname(path), { recursive: true });
    for (let attempt = 1; ; attempt++) {
      try {
        const stated = await receive(url, draft, name, options);
        if (stated === undefined) return undefined;
        const sha256 = await sha256OfFile(draft);
        await verify(draft, sha256, stated, url);
        await rename(draft, path);
        return { bytes: stated.bytes, sha256, commit: stated.commit };
      } catch (error) {
        if (isRagError(error) || attempt === ATTEMPTS || options.signal?.aborted === true) throw error;
        await setTimeout(RETRY_MS * 2 ** attempt, undefined, signalOf(options));
      }
    }
  } catch (cause) {
    if (isRagError(cause)) throw cause;
    if (options.signal?.aborted === true) throw new RagError('aborted', 'the download was stopped', { cause });
    const code = (cause as NodeJS.ErrnoException).code;
    if (code !== undefined && ['EACCES', 'EROFS', 'ENOSPC', 'EPERM', 'ENOTDIR'].includes(code)) {
      throw new RagError('storage-failed', `cannot write ${path} (${code})`, { cause });
    }
    throw notHere(options, folder, `and ${new URL(url).host} cannot be reached (${reason(cause)})`, cause);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

interface Stated {
  /** SHA-256 (64 hex digits), id of a git blob (40), or anything else, which proves nothing. */
  readonly etag: string;
  readonly bytes: number;
  readonly commit: string | undefined;
}

/** Writes to `draft`, going on where a broken attempt stopped. @throws anything but a RagError: worth another attempt */
async function receive(url: string, draft: string, name: string, options: HubOptions): Promise<Stated | undefined> {
  const have = (await sizeOf(draft)) ?? 0;
  const { response, first } = await request(url, have, options);
  if (response.status === 404 || response.status === 401 || response.status === 403) return undefined;
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  const resumed = response.status === 206;
  let received = resumed ? have : 0;
  const length = Number(response.headers.get('content-length') ?? NaN);
  const expected = first.headers.get('x-linked-size') ?? undefined;
  const total = expected !== undefined ? Number(expected) : Number.isNaN(length) ? undefined : received + length;
  const progress = (): void => {
    options.onProgress({ model: options.id, file: name, receivedBytes: received, totalBytes: total });
  };
  progress();
  const counted = async function* (parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const part of parts) {
      received += part.byteLength;
      progress();
      yield part;
    }
  };
  const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
  await pipeline(body, counted, createWriteStream(draft, { flags: resumed ? 'a' : 'w' }), signalOf(options));
  if (total !== undefined && received < total) throw new Error(`only ${received} of ${total} bytes came`);
  const etag = first.headers.get('x-linked-etag') ?? first.headers.get('etag') ?? '';
  return {
    etag: etag.replace(/^W\//u, '').replaceAll('"', ''),
    bytes: received,
    commit: first.headers.get('x-repo-commit') ?? undefined,
  };
}

/** Follows redirects by hand: the first answer of the hub itself carries the checksum, the content's server does not. */
async function request(
  url: string,
  from: number,
  options: HubOptions,
): Promise<{ readonly response: Response; readonly first: Response }> {
  let first: Response | undefined;
  let address = url;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    // `identity`: sizes are of the file, not of a compressed form of it.
    const headers = { 'accept-encoding': 'identity', ...(from > 0 ? { range: `bytes=${from}-` } : {}) };
    const response = await options.fetch(address, { headers, redirect: 'manual', ...signalOf(options) });
    const location = response.headers.get('location');
    // A model that was renamed answers with a redirect within the hub, which states nothing yet.
    if (first?.headers.has('x-linked-etag') !== true) first = response;
    if (response.status < 300 || response.status > 399 || location === null) return { response, first };
    await response.body?.cancel();
    address = new URL(location, address).href;
  }
  throw new Error('too many redirects');
}

async function verify(draft: string, sha256: string, { etag, bytes }: Stated, url: string): Promise<void> {
  let actual: string | undefined;
  if (/^[0-9a-f]{64}$/u.test(etag)) actual = sha256;
  if (/^[0-9a-f]{40}$/u.test(etag)) {
    actual = createHash('sha1')
      .update(`blob ${bytes}\0`)
      .update(await readFile(draft))
      .digest('hex');
  }
  if (actual === undefined || actual === etag) return;
  throw new RagError('driver-unavailable', `what came from ${url} is not what the hub describes: another checksum`, {
    hint: 'try again; a proxy between here and there may change what it passes on',
    retryable: true,
  });
}

function notHere({ id, precision }: HubOptions, folder: string, why: string, cause?: unknown): RagError {
  const files = [...REQUIRED_FILES, weightFiles(precision)[0] as string].join(', ');
  return new RagError('driver-unavailable', `the model "${id}" is not on this machine, ${why}`, {
    hint: `put ${files} into ${folder}, or name a folder that holds them as the model`,
    retryable: cause !== undefined,
    cause,
  });
}

const signalOf = ({ signal }: CallOptions): CallOptions => (signal === undefined ? {} : { signal });

/** `fetch` hides the reason in a cause. */
function reason(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown };
  return cause !== undefined ? reason(cause) : (code ?? message ?? String(error));
}
