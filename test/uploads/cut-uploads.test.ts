import { expect, test } from 'vitest';
import { createDatabase, describeOnPostgres } from '../postgres/create-database.ts';
import { cutUploads, givenEnvironment, type CutReport } from './cut-uploads.ts';

/** Several starts of processes on two busy processors. */
const timeout = 600_000;

function expectWhole(report: CutReport, cuts: number): void {
  expect(report.problems).toEqual([]);
  expect([report.cuts, report.kills, report.resumedKills]).toEqual([cuts, 2, 2]);
}

test(
  'uploads cut at random bytes, some by a kill of the hub, go on where they were, and come out whole',
  { timeout },
  async () => {
    const { DATABASE_URL: _ofOtherTests, ...environment } = process.env;
    expectWhole(await cutUploads({ cuts: 24, seed: 3, killEvery: 12, environment: givenEnvironment(environment) }), 24);
  },
);

describeOnPostgres('gateways of one database', () => {
  test('an upload cut at one of them goes on at the other, a killed one included', { timeout }, async () => {
    const database = await createDatabase({ migrated: true });
    try {
      const { FIRN_DATABASE_URL: _given, ...bucket } = givenEnvironment(process.env);
      const environment = { ...bucket, FIRN_DATABASE_URL: database.url };
      expectWhole(await cutUploads({ cuts: 16, seed: 4, killEvery: 8, gateways: 2, environment }), 16);
    } finally {
      await database.drop();
    }
  });
});
