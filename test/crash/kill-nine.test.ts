import { expect, test } from 'vitest';
import { describeOnPostgres } from '../postgres/create-database.ts';
import { hubOperations } from '../harness/hub/hub-actors.ts';
import { hasS3Server, type StorePair } from '../harness/test-stores.ts';
import { killNine } from './kill-nine.ts';

/** Five starts and two checks of everything, on two busy processors. */
const timeoutMs = 600_000;

async function losesNothing(kills: number, stores: StorePair): Promise<void> {
  const report = await killNine({ kills, seed: 5, stores });
  expect(report.problems).toEqual([]);
  // How many depends on how busy the machine is; the last kill waits for one of each.
  expect(report.acknowledgedCheckpoints).toBeGreaterThan(0);
  expect(Object.keys(report.hubOperations).sort()).toEqual(hubOperations);
}

test(
  'loses nothing it has acknowledged when it is killed three times, and leaves nothing for ever',
  () => losesNothing(3, 'pglite-folder'),
  timeoutMs,
);

describeOnPostgres('on a Postgres server', () => {
  test.skipIf(!hasS3Server())(
    `loses nothing with its objects in a bucket${hasS3Server() ? '' : ' (skipped: FIRN_TEST_S3_ENDPOINT is not set)'}`,
    () => losesNothing(2, 'postgres-bucket'),
    timeoutMs,
  );
});
