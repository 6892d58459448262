import { PGlite } from '@electric-sql/pglite';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeEvalSet, makeReady, makeRepository } from '../../catalog/catalog-fixtures.test-support.ts';
import type { CheckpointResult } from '../../catalog/contract/checkpoint-records.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { pgliteDatabase } from '../../catalog/pglite/pglite-database.ts';
import { testTemplate } from '../../catalog/test-catalog.test-support.ts';
import { defaultSearchOptions } from '../../checkpoint/options/search-options.ts';
import type { AppEnv } from '../app-env.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';

const count = 10_000;
/** Largest page, in bytes. */
const pageBytesMax = 100_000;
/** Longest median of the time that a page takes, in ms. The slowest took 1355 on two cores with a load of 27. */
const renderMsMax = 10_000;

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

let client: PGlite;
let gateway: TestGateway;
let app: OpenAPIHono<AppEnv>;
let path: string;

beforeAll(async () => {
  client = await PGlite.create({ loadDataDir: await testTemplate() });
  const catalog = createCatalog(pgliteDatabase(client), {
    close: () => client.close(),
    connections: () => ({ inUse: 0, waiting: 0, max: 1 }),
  });
  const repository = await makeRepository(catalog);
  const evalSet = await makeEvalSet(catalog, repository);
  const [run, other] = await Promise.all(
    ['long', 'other'].map((name) =>
      catalog.runs.create({
        ...{ repositoryId: repository.id, name, fidelity: 'lossy', thresholds: { loss: 0.005 }, seed: '1' },
        ...{ search: defaultSearchOptions, layerTypes: {}, evalSetId: evalSet.id },
      }),
    ),
  );
  for (const each of [run!, other!]) {
    const { checkpoint, package: record } = await makeReady(catalog, each, 0, undefined, result);
    await multiply('packages', record.id, { id: idOf(each.name), key: 'key || n' });
    await multiply('checkpoints', checkpoint.id, {
      ...{ id: `'${each.name}' || n`, sequence: `sequence + n`, step: `100 * n` },
      package_id: idOf(each.name),
      result: `jsonb_set(result, '{storedBytes}', to_jsonb(20000 + n % 977))`,
    });
  }
  await client.exec('analyze');
  gateway = await openTestGateway({ catalog });
  app = createApp(gateway);
  path = `/${repository.namespace}/${repository.name}`;
}, 300_000);
afterAll(async () => {
  await gateway?.close();
});

/** The id of the n-th package of a run, as SQL. */
function idOf(run: string): string {
  return `'${run === 'long' ? 'a' : 'b'}' || lpad(to_hex(n), 31, '0')`;
}

/** Copies a row, with these columns changed, until there are `count`. */
async function multiply(table: string, id: string, changed: Readonly<Record<string, string>>): Promise<void> {
  const { fields } = await client.query(`select * from ${table} limit 0`);
  const columns = fields.map(({ name }) => name);
  const values = columns.map((name) => changed[name] ?? name);
  await client.query(
    `insert into ${table} (${columns.join()}) select ${values.join()} from ${table}, generate_series(1, ${count - 1}) n ` +
      `where ${table}.id = $1`,
    [id],
  );
}

async function open(where: string): Promise<string> {
  const answer = await app.request(where, { headers: { accept: 'text/html' } });
  expect(answer.status).toBe(200);
  return answer.text();
}

async function medianMs(where: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 7; i++) {
    const startMs = performance.now();
    await open(where);
    times.push(performance.now() - startMs);
  }
  return times.sort((a, b) => a - b)[3]!;
}

describe(`a run of ${count} checkpoints`, () => {
  it.each(['/', '', '/runs/long', '/runs/long?after=5000', '/runs/long/500000', '/compare?one=long&two=other'])(
    'keeps %s small, and answers within a bound',
    async (tail) => {
      const where = tail === '/' ? tail : `${path}${tail}`;
      expect(Buffer.byteLength(await open(where))).toBeLessThan(pageBytesMax);
      const ms = await medianMs(where);
      if (process.env['FIRN_SHOW_TIMES'] === '1') process.stderr.write(`${tail}: ${ms.toFixed(1)} ms\n`);
      expect(ms).toBeLessThan(renderMsMax);
    },
    60_000,
  );

  it('draws a sample and says so, and lists all of it in pages', async () => {
    const text = await open(`${path}/runs/long`);
    expect(text).toMatch(/draw 1\d\d of 10,000 checkpoints/);
    expect(text).toContain('10,000 ready');
    expect(text.match(/<circle/g)!.length).toBeLessThanOrEqual(121);
    const steps = [...text.matchAll(/runs\/long\/(\d+)">\1</g)].map(([, step]) => Number(step));
    expect(steps).toEqual(Array.from({ length: 50 }, (_, at) => 100 * (count - 1 - at)));
    const [, next] = /href="([^"]*after=[^"]*)">Next page/.exec(text)!;
    expect(await open(next!)).toContain(`runs/long/${100 * (count - 51)}">`);
  });
});
