import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';

/** The translation of a failed request. */
export interface S3Failure {
  readonly error: FirnError;
  /** Whether the same request may succeed later. */
  readonly passing: boolean;
}

/** Codes of S3 (API reference, error responses) that have a meaning of their own, whatever the status. */
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

/** Codes of status 400, 403 and 409 that say the request was damaged or late on its way. A retry may succeed. */
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

/** Translates a failure of the SDK; FirnErrors pass unchanged. Names of buckets, hosts and keys stay in `detail`. */
export function s3Failure(err: unknown): S3Failure {
  if (err instanceof FirnError) return { error: err, passing: err.code === 'unavailable' };
  const { name, status } = describe(err);
  const meaning = meanings.get(name);
  if (meaning !== undefined)
    return { error: new FirnError(meaning[0], meaning[1], { detail: detailOf(err), cause: err }), passing: false };
  if ((status === 401 || status === 403) && !passingCodes.has(name))
    return failure('internal', 'The storage refuses the access.', err);
  if (status === 507) return failure('storage-full', 'The storage is full.', err);
  // Without a status there was no answer, or none that could be read, which includes unreadable success.
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

/** Whether the server says that it does not support this kind of request, or a part of it. */
export function isUnsupported(err: unknown): boolean {
  const { name, status } = describe(err instanceof FirnError ? err.cause : err);
  return (
    status === 501 ||
    name === 'NotImplemented' ||
    name === 'MethodNotAllowed' ||
    ((status === 400 || status === 411) && !passingCodes.has(name))
  );
}

/** The S3 code of a failure, also after its translation. */
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
