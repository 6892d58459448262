import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paginateListObjectsV2 } from '@aws-sdk/client-s3';
import {
  emptyPrefix,
  plainS3Client,
  testS3Server,
  withoutS3Server,
  type TestS3Server,
} from '../../src/store/s3/s3-server.test-support.ts';
import { startPostgres, type PostgresServer } from '../postgres/start-postgres.ts';

/** A catalog and an object store that the hubs of a test share. */
export const storePairs = ['pglite-folder', 'postgres-folder', 'postgres-bucket'] as const;
export type StorePair = (typeof storePairs)[number];

/** Seconds until other workers can claim the jobs of a killed one. */
const leaseSeconds = 2;

export interface TestStores {
  readonly pair: StorePair;
  readonly dataDirectory: string;
  /** FIRN_* keys of every process on these stores. */
  readonly environment: Readonly<Record<string, string>>;
  readonly postgres: PostgresServer | undefined;
  readonly s3: { readonly server: TestS3Server; readonly prefix: string } | undefined;
  /** Stops the servers of the stores and deletes their content. */
  remove(): Promise<void>;
}

/**
 * Empty stores: PGlite or a Postgres server of their own; a folder (new, or the given one) or a new prefix of the
 * bucket that FIRN_TEST_S3_* names. Throws if there is no S3 server.
 */
export async function openTestStores(pair: StorePair, given?: string): Promise<TestStores> {
  const server = pair === 'postgres-bucket' ? neededS3Server() : undefined;
  const prefix = `${pair}-${randomUUID()}/`;
  const dataDirectory = given ?? (await mkdtemp(join(tmpdir(), `firn-${pair}-`)));
  const postgres = pair === 'pglite-folder' ? undefined : await startPostgres();
  return {
    pair,
    dataDirectory,
    postgres,
    s3: server && { server, prefix },
    environment: {
      ...(postgres && { FIRN_DATABASE_URL: postgres.url, FIRN_LEASE_S: String(leaseSeconds) }),
      ...(server && bucketKeys(server, prefix)),
    },
    async remove() {
      await postgres?.remove();
      if (server !== undefined) await removePrefix(server, prefix);
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** Whether tests on the bucket can run; prints a line if they cannot. */
export function hasS3Server(): boolean {
  return testS3Server(process.env) !== undefined;
}

function neededS3Server(): TestS3Server {
  const server = testS3Server(process.env);
  if (server === undefined) throw new Error(withoutS3Server);
  return server;
}

function bucketKeys({ endpoint, bucket, credentials }: TestS3Server, prefix: string): Record<string, string> {
  return {
    FIRN_S3_ENDPOINT: endpoint,
    FIRN_S3_BUCKET: bucket,
    FIRN_S3_ACCESS_KEY_ID: credentials.accessKeyId,
    FIRN_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    FIRN_S3_PREFIX: prefix,
    FIRN_S3_FORCE_PATH_STYLE: 'true',
    FIRN_S3_PART_MIB: '5',
    FIRN_FILE_MAX_MIB: '8192',
  };
}

/** Names and sizes in bytes of the objects below a prefix. */
export async function objectsOfPrefix(server: TestS3Server, prefix: string): Promise<Map<string, number>> {
  const client = plainS3Client(server);
  const found = new Map<string, number>();
  for await (const { Contents: page = [] } of paginateListObjectsV2(
    { client },
    { Bucket: server.bucket, Prefix: prefix },
  ))
    for (const { Key: key, Size: size } of page) found.set(key!, size!);
  client.destroy();
  return found;
}

export async function removePrefix(server: TestS3Server, prefix: string): Promise<void> {
  const client = plainS3Client(server);
  await emptyPrefix(client, server.bucket, prefix);
  client.destroy();
}
