import { describe, expect, it } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { isUnsupported, s3Failure } from './s3-failure.ts';

const answered = (name: string, status?: number) =>
  Object.assign(new Error(`${name} of bucket-secret`), {
    name,
    ...(status === undefined ? {} : { $metadata: { httpStatusCode: status } }),
  });

describe('a failure of S3', () => {
  it.each([
    [answered('SlowDown', 503), 'unavailable', true],
    [answered('InternalError', 500), 'unavailable', true],
    [answered('TooManyRequests', 429), 'unavailable', true],
    [answered('XAmzContentSHA256Mismatch', 400), 'unavailable', true],
    [answered('BadDigest', 400), 'unavailable', true],
    [answered('RequestTimeout', 400), 'unavailable', true],
    [answered('RequestTimeTooSkewed', 403), 'unavailable', true],
    [answered('TimeoutError'), 'unavailable', true],
    [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'unavailable', true],
    [answered('SyntaxError', 200), 'unavailable', true],
    [answered('NoSuchKey', 404), 'not-found', false],
    [answered('NotFound', 404), 'not-found', false],
    [answered('PreconditionFailed', 412), 'conflict', false],
    [answered('QuotaExceeded', 403), 'storage-full', false],
    [answered('EntityTooLarge', 400), 'storage-full', false],
    [answered('Unknown', 507), 'storage-full', false],
    [answered('NoSuchBucket', 404), 'internal', false],
    [answered('AccessDenied', 403), 'internal', false],
    [answered('NotImplemented', 501), 'internal', false],
    [answered('InvalidArgument', 400), 'internal', false],
  ] as const)('%s is %s, and worth another try: %s', (err, code, passing) => {
    const failure = s3Failure(err);
    expect(failure).toMatchObject({ error: { code }, passing });
    expect(failure.error.message).not.toContain('secret');
    expect(failure.error.detail).toContain(err.message);
  });

  it('that is a FirnError stays one', () => {
    const late = new FirnError('unavailable', 'Late.');
    expect(s3Failure(late)).toEqual({ error: late, passing: true });
    expect(s3Failure(new FirnError('cancelled', 'Over.')).passing).toBe(false);
  });

  it('of a server that does not know a request is known as one', () => {
    expect(isUnsupported(answered('NotImplemented', 501))).toBe(true);
    expect(isUnsupported(new FirnError('internal', 'Refused.', { cause: answered('InvalidRequest', 400) }))).toBe(true);
    expect(isUnsupported(answered('AccessDenied', 403))).toBe(false);
    expect(isUnsupported(answered('BadDigest', 400))).toBe(false);
  });
});
