import { expect, test } from 'vitest';
import { describeOnPostgres } from '../postgres/create-database.ts';
import { hubOperations } from '../harness/hub/hub-actors.ts';
import { hasS3Server, type StorePair } from '../harness/test-stores.ts';
import { killNine } from './kill-nine.ts';

/** Four starts and two checks of everything, on two busy processors. */
const timeoutMs = 600_000;
/**
 * With this seed, one kill hits all clients at work and one hits hub clients alone. Between them a start and a
 * collection are killed. More of the same is what the long form is for; `kill-merge.test.ts` kills merges.
 */
const kills = 2;
const seed = 106;

async function losesNothing(stores: StorePair): Promise<void> {
  const report = await killNine({ kills, seed, stores });
  expect(report.problems).toEqual([]);
  // How many depends on how busy the machine is.
  expect(report.acknowledgedCheckpoints).toBeGreaterThan(0);
  expect(Object.keys(report.hubOperations).sort()).toEqual(hubOperations);
}

test(
  'loses nothing it has acknowledged when it is killed twice, and leaves nothing for ever',
  () => losesNothing('pglite-folder'),
  timeoutMs,
);

describeOnPostgres('on a Postgres server', () => {
  test.skipIf(!hasS3Server())(
    `loses nothing with its objects in a bucket${hasS3Server() ? '' : ' (skipped: FIRN_TEST_S3_ENDPOINT is not set)'}`,
    () => losesNothing('postgres-bucket'),
    timeoutMs,
  );
});
