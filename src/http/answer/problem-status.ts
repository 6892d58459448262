import type { FirnErrorCode } from '../../checkpoint/firn-error.ts';

/** Statuses of problems; 460 belongs to tus, the protocol of resumable uploads. */
export type ProblemStatus =
  400 | 401 | 403 | 404 | 405 | 408 | 409 | 411 | 412 | 413 | 415 | 416 | 422 | 423 | 429 | 460 | 500 | 503 | 507;

export interface ProblemKind {
  readonly status: ProblemStatus;
  /** The same for every occurrence of the code (RFC 9457 section 3.1.3). */
  readonly title: string;
  /** Sent as Retry-After. */
  readonly retryAfterSeconds?: number;
}

/** Poll interval for work that usually takes seconds. */
const workRetrySeconds = 2;
/** Long enough to process some staged bytes, or for a backend to recover. */
const loadRetrySeconds = 5;
/** A person or the next collection of garbage has to free space on a full disk. */
const diskRetrySeconds = 30;

/**
 * The HTTP status of every error code. A 4xx code means that the caller can change something, a 5xx code that only an
 * operator can. A code without a row here does not compile.
 */
export const problemKinds: Readonly<Record<FirnErrorCode, ProblemKind>> = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'A valid token is needed' },
  forbidden: { status: 403, title: 'The token does not allow this' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  'quota-exceeded': { status: 403, title: 'The namespace has no room left under its quota' },
  'not-found': { status: 404, title: 'Not found' },
  conflict: { status: 409, title: 'The state of the resource does not allow this' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'payload-too-large': { status: 413, title: 'The body is too large' },
  'length-required': { status: 411, title: 'A Content-Length is needed' },
  'length-mismatch': { status: 400, title: 'The body has another length than announced' },
  'digest-mismatch': { status: 400, title: 'The body has another digest than announced' },
  'checksum-mismatch': { status: 460, title: 'The bytes have another checksum than announced' },
  'range-not-satisfiable': { status: 416, title: 'The range lies outside the file' },
  'precondition-failed': { status: 412, title: 'A precondition failed' },
  'idempotency-conflict': { status: 409, title: 'The idempotency key belongs to another request' },
  'upload-incomplete': { status: 409, title: 'Announced files have not arrived' },
  'upload-aborted': { status: 400, title: 'The upload ended early' },
  'upload-busy': { status: 423, title: 'Another request has the upload', retryAfterSeconds: workRetrySeconds },
  'body-too-slow': { status: 408, title: 'The body arrives too slowly' },
  'empty-body': { status: 400, title: 'The body is empty' },
  'unsupported-media-type': { status: 415, title: 'The media type is not supported' },

  'header-truncated': { status: 422, title: 'The safetensors header is cut short' },
  'header-too-large': { status: 422, title: 'The safetensors header is too large' },
  'header-invalid': { status: 422, title: 'The safetensors header is not valid' },
  'tensor-overlap': { status: 422, title: 'Tensors overlap' },
  'tensor-gap': { status: 422, title: 'There are bytes that belong to no tensor' },
  'tensor-size-mismatch': { status: 422, title: 'A tensor has another size than its shape and dtype' },
  'tensor-duplicate': { status: 422, title: 'A tensor name occurs twice' },
  'dtype-unknown': { status: 422, title: 'A dtype is unknown' },
  'not-safetensors': { status: 422, title: 'The file is not safetensors' },
  'layout-mismatch': { status: 422, title: 'The tensors differ from those of the run' },
  'step-exists': { status: 409, title: 'The step exists with other bytes' },
  'run-not-ready': { status: 409, title: 'The run is not ready' },
  'run-closed': { status: 409, title: 'The run is closed' },
  'checkpoint-not-ready': {
    status: 409,
    title: 'The checkpoint is not ready yet',
    retryAfterSeconds: workRetrySeconds,
  },
  'checkpoint-failed': { status: 409, title: 'The checkpoint failed' },

  'graph-invalid': { status: 422, title: 'The graph is not valid' },
  'graph-external-data': { status: 422, title: 'The graph refers to data outside itself' },
  'graph-missing-weights': { status: 422, title: 'The graph has weights that nothing provides' },
  'eval-input-mismatch': { status: 422, title: 'An input does not fit the graph' },
  'eval-label-mismatch': { status: 422, title: 'Labels do not fit the metric' },
  'eval-timeout': { status: 422, title: 'The evaluation took too long' },
  'eval-memory': { status: 422, title: 'The evaluation took too much memory' },
  'eval-crashed': { status: 422, title: 'The evaluation crashed' },
  'eval-device': { status: 422, title: 'The evaluation failed on the GPU' },
  'eval-set-not-ready': { status: 409, title: 'The eval set is not ready' },
  'metric-unknown': { status: 422, title: 'A metric is unknown' },

  'corrupt-object': { status: 500, title: 'Stored bytes are damaged' },
  'corrupt-package': { status: 500, title: 'A stored package is damaged' },
  'unsupported-format': { status: 500, title: 'A stored package has an unknown version' },

  'storage-full': { status: 507, title: 'The storage is full', retryAfterSeconds: diskRetrySeconds },
  unavailable: { status: 503, title: 'The storage cannot be reached', retryAfterSeconds: loadRetrySeconds },
  overloaded: { status: 503, title: 'Too much is waiting', retryAfterSeconds: loadRetrySeconds },
  cancelled: { status: 409, title: 'The work was cancelled' },
  'native-failure': { status: 500, title: 'The codec failed' },
  internal: { status: 500, title: 'Something went wrong' },
};
