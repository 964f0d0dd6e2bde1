/** What a service's refusal means: in the words of the service, without secrets, and whether to try again. */
import { RagError } from '../core/errors.ts';
import { printableLine } from '../text/printable.ts';
import type { ExchangeError, Reply } from './exchange.ts';

/** Who is asked, and with what: enough to tell a user what to do. */
export interface Caller {
  /** As people call it, e.g. `OpenAI`. */
  readonly service: string;
  readonly url: URL;
  readonly key: string | undefined;
  /** Where the key came from, or would have to come from. */
  readonly keyVariable: string;
  /** The section of the settings that named the service: `embed` or `rerank`. */
  readonly section: string;
  readonly timeoutSeconds: number;
}

/** A refusal of the request itself, which the same request will meet again. Drivers may know better what to do. */
export class ServiceRefusal extends RagError {
  readonly status: number;
  /** The service's own words; empty when it said nothing readable. */
  readonly said: string;

  constructor(message: string, status: number, said: string, hint: string | undefined, retryable: boolean) {
    super('driver-unavailable', message, { ...(hint === undefined ? {} : { hint }), retryable });
    this.status = status;
    this.said = said;
  }
}

/** Timeouts, overload and what gateways say while a service restarts. 529 is "overloaded". */
const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504, 529]);

export function refusal(caller: Caller, reply: Reply): ServiceRefusal {
  const said = redacted(ownWords(reply.text), caller.key);
  const message = `${caller.service} refused the request (${reply.status})${said === '' ? '' : `: ${said}`}`;
  // An account without money says 429 too (OpenAI): waiting does not help.
  const retryable = RETRYABLE.has(reply.status) && !/insufficient_quota/u.test(reply.text);
  return new ServiceRefusal(message, reply.status, said, hintFor(caller, reply), retryable);
}

/** @returns the error for an exchange that had no answer */
export function unreachable(caller: Caller, error: ExchangeError): RagError {
  const { service, url, section } = caller;
  const where = `${service} (${url.host})`;
  const options = (hint: string, retryable: boolean): object => ({ hint, retryable, cause: error });
  switch (error.kind) {
    case 'timeout':
      return new RagError('driver-unavailable', `${where} gave no answer within ${caller.timeoutSeconds} s`, {
        ...options('try again, or allow more time: http.timeoutSeconds', true),
      });
    case 'too-large':
      return new RagError('driver-unavailable', `${where}: ${error.message}`, {
        ...options(`check ${section}.baseUrl: this does not look like ${service}`, false),
      });
    case 'network': {
      const code = codeOf(error.cause);
      const refused = code === 'ECONNREFUSED';
      const unknown = code === 'ENOTFOUND';
      const reason = refused ? 'nothing listens there' : unknown ? 'there is no such host' : error.message;
      const hint = refused || unknown ? `start it, or check ${section}.baseUrl` : 'check the network, and try again';
      return new RagError('driver-unavailable', `${where} cannot be reached: ${reason}`, {
        ...options(hint, !refused && !unknown),
      });
    }
  }
}

/** How long the service asks to wait, in milliseconds. `now` is the time to which a date is compared. */
export function retryAfter({ headers }: Pick<Reply, 'headers'>, now: number): number | undefined {
  const exact = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && exact >= 0) return exact;
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function hintFor(caller: Caller, { status, headers, text }: Reply): string | undefined {
  const { service, section, keyVariable } = caller;
  if (status >= 300 && status < 400) {
    const to = typeof headers.location === 'string' ? ` to ${printableLine(headers.location).slice(0, 200)}` : '';
    return `it redirects${to}; redirects are not followed: set ${section}.baseUrl`;
  }
  if (status === 401 || status === 403) {
    return caller.key === undefined
      ? `it wants a key: name the environment variable that holds it, ${section}.keyVariable`
      : `check the key in ${keyVariable}`;
  }
  if (status === 404) return `check ${section}.model and ${section}.baseUrl`;
  if (/insufficient_quota/u.test(text)) return `the account of ${keyVariable} has no quota left`;
  if (status === 429) return 'wait, or lower http.maxConnections';
  return RETRYABLE.has(status) ? `try again later; ${service} has trouble of its own` : undefined;
}

const MAX_SAID = 300;

/** The message of an error body: `error.message` (OpenAI), `message` (Cohere), `detail` (Voyage, Jina), `error` (Ollama). */
function ownWords(text: string): string {
  let said: unknown;
  try {
    const body = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    const { error, message, detail } = body ?? {};
    said = (error as { message?: unknown } | undefined)?.message ?? error ?? message ?? detail;
  } catch {
    // A page of a gateway, which is of no use to anybody.
    return '';
  }
  return said === undefined ? '' : typeof said === 'string' ? said : JSON.stringify(said);
}

/** Some services repeat a part of the key that they refuse. */
const KEY_LIKE = /\b(?:sk|pa|al|co|jina|Bearer)[-_ ][\w*.-]{8,}/gu;

function redacted(text: string, key: string | undefined): string {
  const plain = key === undefined || key === '' ? text : text.replaceAll(key, '…');
  const line = printableLine(plain).replace(KEY_LIKE, '…');
  return line.length > MAX_SAID ? `${line.slice(0, MAX_SAID)}…` : line;
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
