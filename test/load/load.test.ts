import { expect, test } from 'vitest';
import { describeOnPostgres } from '../postgres/create-database.ts';
import { besideBareServer } from './beside-bare-server.ts';
import { gatewayMemory } from './gateway-memory.ts';
import { manyClients } from './many-clients.ts';

/** Some starts and a few hundred requests on two busy processors. */
const timeoutMs = 240_000;

describeOnPostgres('short loads', () => {
  test(
    'many clients: no request fails',
    async () => {
      const report = await manyClients({ clients: 16, minutes: 0.1, seed: 1 });
      expect(report.problems).toEqual([]);
      expect(report.uploads).toBeGreaterThan(0);
    },
    timeoutMs,
  );

  test(
    'several large files at once: the gateway stays small and the bytes are right',
    async () => {
      const report = await gatewayMemory({ mib: 96, uploads: 2, downloads: 2, stores: 'postgres-folder' });
      expect(report.problems).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'beside a bare server: both take and give the same bytes',
    async () => {
      // Speed is only meaningful on an idle machine, so no ratio is required here.
      const report = await besideBareServer({ mib: 8, rounds: 1, ratioMin: 0 });
      expect(report.problems).toEqual([]);
    },
    timeoutMs,
  );
});
