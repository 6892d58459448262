import { describe, expect, it } from 'vitest';
import { firnErrorCodes, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import { problemKinds } from './problem-status.ts';

/** The published contract, written out a second time, because clients depend on it. */
const statuses: Record<FirnErrorCode, number> = {
  'invalid-request': 400,
  unauthenticated: 401,
  forbidden: 403,
  'rate-limited': 429,
  'quota-exceeded': 403,
  'not-found': 404,
  conflict: 409,
  'method-not-allowed': 405,
  'payload-too-large': 413,
  'length-required': 411,
  'length-mismatch': 400,
  'digest-mismatch': 400,
  'checksum-mismatch': 460,
  'range-not-satisfiable': 416,
  'precondition-failed': 412,
  'idempotency-conflict': 409,
  'upload-incomplete': 409,
  'upload-aborted': 400,
  'upload-busy': 423,
  'body-too-slow': 408,
  'empty-body': 400,
  'unsupported-media-type': 415,
  'header-truncated': 422,
  'header-too-large': 422,
  'header-invalid': 422,
  'tensor-overlap': 422,
  'tensor-gap': 422,
  'tensor-size-mismatch': 422,
  'tensor-duplicate': 422,
  'dtype-unknown': 422,
  'not-safetensors': 422,
  'layout-mismatch': 422,
  'step-exists': 409,
  'run-not-ready': 409,
  'run-closed': 409,
  'checkpoint-not-ready': 409,
  'checkpoint-failed': 409,
  'graph-invalid': 422,
  'graph-external-data': 422,
  'graph-missing-weights': 422,
  'eval-input-mismatch': 422,
  'eval-label-mismatch': 422,
  'eval-timeout': 422,
  'eval-memory': 422,
  'eval-crashed': 422,
  'eval-device': 422,
  'eval-set-not-ready': 409,
  'metric-unknown': 422,
  'corrupt-object': 500,
  'corrupt-package': 500,
  'unsupported-format': 500,
  'storage-full': 507,
  unavailable: 503,
  overloaded: 503,
  cancelled: 409,
  'native-failure': 500,
  internal: 500,
};

describe('problem kinds', () => {
  it.each(firnErrorCodes)('%s keeps its status', (code) => {
    expect(problemKinds[code].status).toBe(statuses[code]);
  });

  it('tells waiting clients how long', () => {
    const waiting = firnErrorCodes.filter((code) => problemKinds[code].retryAfterSeconds !== undefined);
    expect(waiting).toEqual(['upload-busy', 'checkpoint-not-ready', 'storage-full', 'unavailable', 'overloaded']);
  });
});
