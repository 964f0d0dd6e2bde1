/**
 * A local server that answers like the model hub: small files themselves with the id of their git blob, large ones by a
 * redirect that states SHA-256 and size, and the content from another address, in parts where they are asked for.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HubServer {
  readonly url: string;
  /** Paths that were asked for, in order; `…→` before those of the content's server. */
  readonly requests: string[];
  close(): Promise<void>;
}

export interface HubBehaviour {
  /** Content of the repository, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** How often the content breaks off in the middle. */
  readonly breaks?: number;
  /** Content that is not what was stated. */
  readonly damaged?: string;
  /** Answers with this status instead. */
  readonly status?: number;
  /** Never ends the content. */
  readonly stalls?: boolean;
}

export const COMMIT = 'c0ffee0000000000000000000000000000000000';
/** Larger files are stored apart. */
const LARGE = 'onnx/';

export async function startHub(id: string, behaviour: HubBehaviour): Promise<HubServer> {
  const requests: string[] = [];
  let breaks = behaviour.breaks ?? 0;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    if (behaviour.status !== undefined) return void response.writeHead(behaviour.status).end();
    const [, revision, name] = new RegExp(`^/${id}/resolve/(main|${COMMIT})/(.+)$`, 'u').exec(path) ?? [];
    const stored = /^\/content\/(.+)$/u.exec(path)?.[1];
    if (stored !== undefined) return serveContent(stored, request, response);
    const bytes = revision === undefined ? undefined : behaviour.files.get(name as string);
    if (bytes === undefined)
      return void response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end('Entry not found');
    if ((name as string).startsWith(LARGE)) {
      const etag = createHash('sha256').update(bytes).digest('hex');
      const headers = { location: `/content/${name}`, 'x-linked-etag': `"${etag}"`, 'x-linked-size': bytes.length };
      return void response.writeHead(302, { ...headers, 'x-repo-commit': COMMIT }).end('Found. Redirecting');
    }
    const etag = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
    response.writeHead(200, { etag: `"${etag}"`, 'x-repo-commit': COMMIT, 'content-length': bytes.length });
    response.end(name === behaviour.damaged ? Buffer.alloc(bytes.length, 32) : bytes);
  });

  function serveContent(name: string, request: IncomingMessage, response: ServerResponse): void {
    const whole = Buffer.from(behaviour.files.get(name) ?? []);
    const start = Number(/^bytes=(\d+)-$/u.exec(request.headers.range ?? '')?.[1] ?? 0);
    requests.push(`→ ${name} from ${start}`);
    const bytes = name === behaviour.damaged ? Buffer.alloc(whole.length) : whole;
    // The content's server has an etag of its own, which is no checksum.
    response.writeHead(start > 0 ? 206 : 200, { etag: '"of-another-kind"', 'content-length': bytes.length - start });
    if (behaviour.stalls === true) return void response.write(bytes.subarray(start, start + 10));
    if (breaks === 0) return void response.end(bytes.subarray(start));
    breaks--;
    response.write(bytes.subarray(start, start + Math.floor((bytes.length - start) / 2)), () =>
      setTimeout(() => response.destroy(), 50),
    );
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
