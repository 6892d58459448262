import { expect, test } from 'vitest';
import { hasS3Server } from '../harness/test-stores.ts';
import { describeOnPostgres } from '../postgres/create-database.ts';
import { killedWorkers } from './killed-workers.ts';

/** About ten starts of processes on two busy processors. */
const timeoutMs = 300_000;
const stores = hasS3Server() ? 'postgres-bucket' : 'postgres-folder';

describeOnPostgres('two gateways and two workers of which one is killed over and over', () => {
  test(
    `do every job once, with the bytes of a single worker, on ${stores}`,
    async () => {
      const report = await killedWorkers({ checkpoints: 12, killEveryMs: 2_000, seed: 2, stores });
      expect(report.problems).toEqual([]);
      expect(report.packagesCompared).toBe(12);
    },
    timeoutMs,
  );
});
