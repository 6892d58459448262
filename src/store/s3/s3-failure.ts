import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';

/** What a failure of a request means. */
export interface S3Failure {
  readonly error: FirnError;
  /** Whether the same request may succeed. */
  readonly passing: boolean;
}

/** Codes of S3 (API reference, error responses) that mean something of their own, whatever the status. */
const meanings: ReadonlyMap<string, readonly [code: FirnErrorCode, sentence: string]> = new Map<
  string,
  readonly [FirnErrorCode, string]
>([
  ['NoSuchBucket', ['internal', 'The bucket of the storage does not exist.']],
  ['NoSuchKey', ['not-found', 'A stored object is missing.']],
  ['NotFound', ['not-found', 'A stored object is missing.']],
  ['PreconditionFailed', ['conflict', 'An object of this key exists.']],
  ['EntityTooLarge', ['storage-full', 'The storage takes no file as large as this.']],
  ['QuotaExceeded', ['storage-full', 'The storage is full.']],
  ['InsufficientCapacity', ['storage-full', 'The storage is full.']],
  ['XMinioStorageFull', ['storage-full', 'The storage is full.']],
]);

/** Refusals, of status 400 and 409, of what arrived of a request and not of what was sent. */
const passingCodes: ReadonlySet<string> = new Set([
  'BadDigest',
  'ConditionalRequestConflict',
  'IncompleteBody',
  'InvalidDigest',
  'MalformedXML',
  'OperationAborted',
  'RequestTimeTooSkewed',
  'RequestTimeout',
  'XAmzContentChecksumMismatch',
  'XAmzContentSHA256Mismatch',
]);

const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Says what a failure of the SDK means to the caller; FirnErrors pass. Names of buckets, hosts and keys stay in
 * `detail`.
 */
export function s3Failure(err: unknown): S3Failure {
  if (err instanceof FirnError) return { error: err, passing: err.code === 'unavailable' };
  const { name, status } = describe(err);
  const meaning = meanings.get(name);
  if (meaning !== undefined)
    return { error: new FirnError(meaning[0], meaning[1], { detail: detailOf(err), cause: err }), passing: false };
  if (status === 401 || status === 403) return failure('internal', 'The storage refuses the access.', err);
  if (status === 507) return failure('storage-full', 'The storage is full.', err);
  // Without a status nothing was answered, or nothing that could be read: also a success in an unreadable form.
  const passing =
    status === undefined ||
    status < 400 ||
    (status >= 500 && status !== 501) ||
    passingStatuses.has(status) ||
    passingCodes.has(name);
  return passing
    ? { ...failure('unavailable', 'The storage cannot be reached.', err), passing }
    : failure('internal', 'The storage refused a request.', err);
}

/** Whether the server says that it does not know this kind of request, or this part of it. */
export function isUnsupported(err: unknown): boolean {
  const { name, status } = describe(err instanceof FirnError ? err.cause : err);
  return (
    status === 501 ||
    name === 'NotImplemented' ||
    name === 'MethodNotAllowed' ||
    ((status === 400 || status === 411) && !passingCodes.has(name))
  );
}

/** The name S3 gives a failure, which outlives its translation. */
export function s3CodeOf(err: unknown): string {
  return describe(err instanceof FirnError ? err.cause : err).name;
}

function failure(code: FirnErrorCode, sentence: string, err: unknown): S3Failure {
  return { error: new FirnError(code, sentence, { detail: detailOf(err), cause: err }), passing: false };
}

interface SdkError {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

function describe(err: unknown): { readonly name: string; readonly status: number | undefined } {
  const { name = '', $metadata } = (err ?? {}) as SdkError;
  return { name, status: $metadata?.httpStatusCode };
}

function detailOf(err: unknown): string {
  const { name, code, message, $metadata } = (err ?? {}) as SdkError;
  return (
    [name, code, $metadata?.httpStatusCode, message].filter((part) => part !== undefined && part !== '').join(' ') ||
    String(err)
  );
}
