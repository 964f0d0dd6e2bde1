/** The one error of the product. Recognised by {@link isRagError}, never by its message. */
export type ErrorCode =
  /** An unknown option, setting, preset or driver name, or a value out of its range. */
  | 'setting-invalid'
  | 'filter-invalid'
  /** No index here or above, or one in which no ingest has finished. */
  | 'index-missing'
  /** Another format, model or setting than the index was built with. */
  | 'index-mismatch'
  | 'index-damaged'
  /** Another process writes. */
  | 'index-locked'
  /** Disk full, read-only, or not permitted. */
  | 'storage-failed'
  | 'source-missing'
  | 'source-refused'
  | 'source-failed'
  | 'document-failed'
  | 'driver-missing'
  | 'driver-unavailable'
  | 'question-invalid'
  | 'file-invalid'
  | 'not-trusted'
  /** A command of the contract that this version does not have yet. */
  | 'not-available'
  | 'aborted'
  | 'internal';

/** What a failure looks like to a user: no cause, no stack, no secret. */
export interface PublicError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}

const MARK: unique symbol = Symbol.for('footnote.error') as never;

export interface RagErrorOptions {
  /** The command or setting that fixes it. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean;
  readonly stage?: string;
}

export class RagError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly retryable: boolean;
  readonly stage: string | undefined;

  constructor(code: ErrorCode, message: string, options: RagErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RagError';
    this.code = code;
    this.hint = options.hint;
    this.retryable = options.retryable ?? false;
    this.stage = options.stage;
    Object.defineProperty(this, MARK, { value: true });
  }
}

export function isRagError(error: unknown): error is RagError {
  return typeof error === 'object' && error !== null && MARK in error;
}

/** What a surface may show of any thrown value. Unknown errors keep their message, but no stack and no cause. */
export function toPublicError(error: unknown): PublicError {
  if (isRagError(error)) {
    return { code: error.code, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  }
  return { code: 'internal', message: error instanceof Error ? error.message : String(error) };
}

/** The error that an `answer-error` event told of, for callers that want it thrown. */
export const fromPublicError = ({ code, message, hint }: PublicError): RagError =>
  new RagError(code, message, hint === undefined ? {} : { hint });
