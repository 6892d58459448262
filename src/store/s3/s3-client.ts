import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { S3Client } from '@aws-sdk/client-s3';
import { s3Limits } from './s3-limits.ts';
import type { S3StoreOptions } from './s3-options.ts';

/**
 * The SDK's client, without retries: S3Calls retries, because reading an answer's body belongs to a try. Destroy it.
 */
export function createS3Client(options: Omit<S3StoreOptions, 'crc32c'>): S3Client {
  const { endpoint, region, forcePathStyle, credentials, socketsMax, idleMs, checksums, lookup } = options;
  const connections = { keepAlive: true, maxSockets: socketsMax, ...(lookup === undefined ? {} : { lookup }) };
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: 1,
    requestChecksumCalculation: checksums,
    responseChecksumValidation: checksums,
    // `Expect: 100-continue` costs a round trip for each part, and opens connections beyond the limit.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: s3Limits.connectMs,
      socketTimeout: idleMs,
      httpAgent: new HttpAgent(connections),
      httpsAgent: new HttpsAgent(connections),
    },
  });
}
