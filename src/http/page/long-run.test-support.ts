import { PGlite } from '@electric-sql/pglite';
import { makeEvalSet, makeReady, makeRepository } from '../../catalog/catalog-fixtures.test-support.ts';
import type { CheckpointResult } from '../../catalog/contract/checkpoint-records.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { pgliteDatabase } from '../../catalog/pglite/pglite-database.ts';
import { testTemplate } from '../../catalog/test-catalog.test-support.ts';
import { defaultSearchOptions } from '../../checkpoint/options/search-options.ts';
import { createApp } from '../app.ts';
import { openTestGateway } from '../gateway.test-support.ts';

const result: CheckpointResult = {
  fidelity: 'lossy',
  warnings: [],
  kind: 'delta',
  ancestorStep: 1,
  chainLength: 3,
  rawBytes: 1_700_000,
  storedBytes: 20_000,
  baseline: { loss: 4.5 },
  measured: { loss: 4.51 },
  degradation: { loss: 0.002 },
  limits: { loss: { degradationMax: 0.005, boundBy: 'relative' } },
  trialCount: 3,
  seconds: { read: 1, search: 2 },
};

/** Pages of a repository with two runs, `long` and `other`, of `count` ready checkpoints each. */
export interface LongRuns {
  readonly app: ReturnType<typeof createApp>;
  /** Path of the repository's page. */
  readonly path: string;
  /** Statements outside of transactions that the catalog's database answered since it was opened. */
  statements(): number;
  /** Hides the checkpoint with this sequence, as a deletion does. */
  hideCheckpoint(run: 'long' | 'other', sequence: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens a gateway whose catalog is in memory. Steps of the runs are 0, 100, 200 and so on. */
export async function openLongRuns(count: number): Promise<LongRuns> {
  const client = await PGlite.create({ loadDataDir: await testTemplate() });
  let statements = 0;
  // Every statement goes through this, whether it is prepared or not.
  const exclusive = client._runExclusiveTransaction.bind(client);
  client._runExclusiveTransaction = (run) => {
    statements++;
    return exclusive(run);
  };
  const catalog = createCatalog(pgliteDatabase(client), {
    close: () => client.close(),
    connections: () => ({ inUse: 0, waiting: 0, max: 1 }),
  });
  const repository = await makeRepository(catalog);
  const evalSet = await makeEvalSet(catalog, repository);
  for (const name of ['long', 'other']) {
    const run = await catalog.runs.create({
      ...{ repositoryId: repository.id, name, fidelity: 'lossy', thresholds: { loss: 0.005 }, seed: '1' },
      ...{ search: defaultSearchOptions, layerTypes: {}, evalSetId: evalSet.id },
    });
    const { checkpoint, package: record } = await makeReady(catalog, run, 0, undefined, result);
    const packageId = `'${name === 'long' ? 'a' : 'b'}' || lpad(to_hex(n), 31, '0')`;
    const copies = { client, copies: count - 1 };
    await multiply(copies, 'packages', record.id, { id: packageId, key: 'key || n' });
    await multiply(copies, 'checkpoints', checkpoint.id, {
      ...{ id: `'${name}' || n`, sequence: `sequence + n`, step: `100 * n`, package_id: packageId },
      result: `jsonb_set(result, '{storedBytes}', to_jsonb(20000 + n % 977))`,
    });
  }
  // As a hub's upkeep does.
  await client.exec('vacuum analyze');
  const gateway = await openTestGateway({ catalog });
  return {
    app: createApp(gateway),
    path: `/${repository.namespace}/${repository.name}`,
    statements: () => statements,
    hideCheckpoint: async (run, sequence) => {
      await client.query(
        'update checkpoints set deleted_at = now() where sequence = $1 ' +
          'and run_id = (select id from runs where name = $2)',
        [sequence, run],
      );
    },
    close: () => gateway.close(),
  };
}

/** Copies a row so often, with these columns changed: SQL, in which `n` counts the copies from 1. */
async function multiply(
  { client, copies }: { readonly client: PGlite; readonly copies: number },
  table: string,
  id: string,
  changed: Readonly<Record<string, string>>,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  const values = columns.map((name) => changed[name] ?? name);
  await client.query(
    `insert into ${table} (${columns.join()}) select ${values.join()} from ${table}, generate_series(1, ${copies}) n ` +
      `where ${table}.id = $1`,
    [id],
  );
}
