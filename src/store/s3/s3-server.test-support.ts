import { randomUUID } from 'node:crypto';
import { DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { loadCore } from '../../native/load-core.ts';
import type { S3StoreOptions } from './s3-options.ts';

/** A server for tests, as `scripts/ceph-rgw.sh start` prints it. */
export interface TestS3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Host name whose subdomains are buckets, if the server has one. */
  readonly domain: string | undefined;
}

/** The reason for skipping tests of the S3 store. */
export const withoutS3Server =
  'FIRN_TEST_S3_ENDPOINT is not set: no S3 server to test against (scripts/ceph-rgw.sh start DIR prints it)';

export function testS3Server(environment: Readonly<Record<string, string | undefined>>): TestS3Server | undefined {
  const endpoint = environment.FIRN_TEST_S3_ENDPOINT;
  if (endpoint === undefined || endpoint === '') return undefined;
  const given = (name: string): string => {
    const value = environment[name];
    if (value === undefined || value === '') throw new Error(`${name} is missing beside FIRN_TEST_S3_ENDPOINT`);
    return value;
  };
  return {
    endpoint,
    bucket: given('FIRN_TEST_S3_BUCKET'),
    credentials: {
      accessKeyId: given('FIRN_TEST_S3_ACCESS_KEY_ID'),
      secretAccessKey: given('FIRN_TEST_S3_SECRET_ACCESS_KEY'),
    },
    domain: environment.FIRN_TEST_S3_DOMAIN === '' ? undefined : environment.FIRN_TEST_S3_DOMAIN,
  };
}

/** Options of a store below a prefix of its own, with the smallest possible parts. */
export function testS3Options({ endpoint, bucket, credentials }: TestS3Server): S3StoreOptions {
  return {
    endpoint,
    bucket,
    credentials,
    region: 'us-east-1',
    prefix: `test-${randomUUID()}/`,
    forcePathStyle: true,
    partBytes: 5 * 1024 * 1024,
    parallelParts: 2,
    socketsMax: 16,
    idleMs: 10_000,
    tryMs: 30_000,
    checksums: 'WHEN_REQUIRED',
    crc32c: loadCore().crc32cSync,
  };
}

/** The bare SDK client: direct access to a store's objects. */
export function plainS3Client({ endpoint, credentials }: TestS3Server): S3Client {
  return new S3Client({
    endpoint,
    credentials,
    region: 'us-east-1',
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** Removes every object below a prefix. */
export async function emptyPrefix(client: S3Client, bucket: string, prefix: string): Promise<void> {
  for (;;) {
    const { Contents: found = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
    if (found.length === 0) return;
    await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Quiet: true, Objects: found.map(({ Key }) => ({ Key })) } }),
    );
  }
}
