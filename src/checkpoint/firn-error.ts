/**
 * The one error of the system. `code` is stable and public; `message` is a public sentence; `detail` and `cause` are
 * for logs only. http/answer/problem-status.ts maps codes to HTTP statuses.
 */
export const firnErrorCodes = [
  // requests
  'invalid-request',
  'unauthenticated',
  'forbidden',
  'rate-limited',
  'quota-exceeded',
  'not-found',
  'conflict',
  'method-not-allowed',
  'payload-too-large',
  'length-required',
  'length-mismatch',
  'digest-mismatch',
  'checksum-mismatch',
  'range-not-satisfiable',
  'precondition-failed',
  'idempotency-conflict',
  'upload-incomplete',
  'upload-aborted',
  'upload-busy',
  'body-too-slow',
  'empty-body',
  'unsupported-media-type',
  // checkpoint content
  'header-truncated',
  'header-too-large',
  'header-invalid',
  'tensor-overlap',
  'tensor-gap',
  'tensor-size-mismatch',
  'tensor-duplicate',
  'dtype-unknown',
  'not-safetensors',
  'layout-mismatch',
  'step-exists',
  'run-not-ready',
  'run-closed',
  'checkpoint-not-ready',
  'checkpoint-failed',
  // evaluation
  'graph-invalid',
  'graph-external-data',
  'graph-missing-weights',
  'eval-input-mismatch',
  'eval-label-mismatch',
  'eval-timeout',
  'eval-memory',
  'eval-crashed',
  'eval-device',
  'eval-set-not-ready',
  'metric-unknown',
  // stored bytes
  'corrupt-object',
  'corrupt-package',
  'unsupported-format',
  // the process
  'storage-full',
  'unavailable',
  'overloaded',
  'cancelled',
  'native-failure',
  'internal',
] as const;

export type FirnErrorCode = (typeof firnErrorCodes)[number];

export class FirnError extends Error {
  readonly code: FirnErrorCode;
  /** For logs; may name paths and keys, so it never reaches a client. */
  readonly detail: string | undefined;

  constructor(code: FirnErrorCode, message: string, options: { detail?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FirnError';
    this.code = code;
    this.detail = options.detail;
  }
}
