import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeReady, makeRun } from '../catalog-fixtures.test-support.ts';
import type { Catalog } from '../contract/catalog.ts';
import type { CheckpointResult } from '../contract/checkpoint-records.ts';
import { catalogOf } from '../pglite/open-pglite.ts';
import { testTemplate } from '../test-catalog.test-support.ts';
import { migrationsDirectory } from './migrate.ts';

let client: PGlite;
let catalog: Catalog;

beforeAll(async () => {
  client = await PGlite.create({ loadDataDir: await testTemplate() });
  catalog = await catalogOf(client, () => client.close());
});
afterAll(() => catalog.close());

const result: CheckpointResult = {
  fidelity: 'exact',
  warnings: [],
  kind: 'delta',
  ancestorRun: 'train',
  ancestorStep: 7,
  chainLength: 2,
  rawBytes: 1000,
  storedBytes: 15,
  trialCount: 0,
  seconds: {},
};

test('results from before forget the checkpoint of another repository, and only that', async () => {
  const base = await makeReady(catalog, await makeRun(catalog), 7);
  const tuned = await makeRun(catalog, { parentCheckpointId: base.checkpoint.id });
  const first = await makeReady(catalog, tuned, 0, base.package, result);
  const second = await makeReady(catalog, tuned, 1, first.package, result);
  await client.query(
    `insert into estimates (checkpoint_id, thresholds, state, result) values ($1, '{}', 'done', $2::jsonb)`,
    [first.checkpoint.id, JSON.stringify(result)],
  );
  await client.exec(await readFile(new URL('0031_bases_of_others.sql', migrationsDirectory), 'utf8'));
  const { ancestorRun: _, ancestorStep: __, ...rest } = result;
  expect((await catalog.checkpoints.get(first.checkpoint.id))!.result).toEqual(rest);
  expect((await catalog.checkpoints.get(second.checkpoint.id))!.result).toEqual(result);
  expect((await catalog.estimates.get(first.checkpoint.id))!.result).toEqual(rest);
});
