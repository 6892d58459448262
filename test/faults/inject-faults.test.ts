import { expect, test } from 'vitest';
import { hubOperations } from '../harness/hub/hub-actors.ts';
import { hasS3Server, type StorePair } from '../harness/test-stores.ts';
import { describeOnPostgres } from '../postgres/create-database.ts';
import { injectFaults } from './inject-faults.ts';

/** Each kind of fault once, on two busy processors. */
const timeoutMs = 240_000;

async function recovers(stores: StorePair, episodes: number, only?: string): Promise<void> {
  const report = await injectFaults({ episodes, seed: 3, stores, episodeMsMax: 1_000, ...(only && { only }) });
  expect(report.problems).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(0);
  expect(Object.keys(report.hubOperations).sort()).toEqual(hubOperations);
}

const skipped = hasS3Server() ? '' : ' (skipped: FIRN_TEST_S3_ENDPOINT is not set)';

describeOnPostgres('a hub whose database, bucket or disk fails', () => {
  test(
    'answers clearly and goes on by itself, with its objects in a folder',
    () => recovers('postgres-folder', 8),
    timeoutMs,
  );

  test.skipIf(!hasS3Server())(
    `answers clearly and goes on by itself, with its objects in a bucket${skipped}`,
    // Databases and disks fail above.
    () => recovers('postgres-bucket', 10, 'bucket'),
    timeoutMs,
  );
});
