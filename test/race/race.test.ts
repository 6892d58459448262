import { expect, test } from 'vitest';
import { describeOnPostgres } from '../postgres/create-database.ts';
import { raceOperations } from './race.ts';

/** Three starts, and a few hundred operations on two busy processors. */
const timeoutMs = 240_000;

describeOnPostgres('operations of many clients at once', () => {
  test(
    'leave what a plain twin holds, and no object once everything was deleted',
    async () => {
      const report = await raceOperations({
        operations: 300,
        clients: 16,
        seed: 7,
        graceMs: 20_000,
        stores: 'postgres-folder',
      });
      expect(report.problems).toEqual([]);
      expect(report.leaked).toBe(0);
      expect(report.checkpoints).toBeGreaterThan(0);
    },
    timeoutMs,
  );
});
