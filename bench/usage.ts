/**
 * What it costs to sum up usage and to give a body room under a quota, on a Postgres server with many checkpoints:
 * `npx tsx bench/usage.ts [--checkpoints 100000]`. Half of the checkpoints are of one namespace, the rest of nine
 * others; each has four files and a package. Prints medians with the spread, and a query of one row for scale.
 * DATABASE_URL names a server whose user may create databases; without it one is started.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { openPostgresCatalog } from '../src/catalog/postgres/open-postgres.ts';
import { startPostgres } from '../test/postgres/start-postgres.ts';

const namespaces = 10;
const filesPerCheckpoint = 4;
const repeats = 15;

const { values } = parseArgs({ options: { checkpoints: { type: 'string', default: '100000' } } });
const checkpoints = Number(values.checkpoints);
const server =
  process.env['DATABASE_URL'] === undefined
    ? await startPostgres()
    : { url: process.env['DATABASE_URL'], remove: async () => undefined };
const name = `firn_bench_${randomUUID().replaceAll('-', '')}`;
const owner = postgres(server.url, { max: 1, onnotice: () => undefined });
await owner.unsafe(`create database ${name}`);
const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
try {
  const catalog = await openPostgresCatalog({
    url,
    connectionsMax: 4,
    connectMs: 10_000,
    statementMs: 600_000,
    migrate: true,
  });
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await fill(sql);
  const [{ run }] = (await sql`select id as run from runs order by id limit 1`) as unknown as [{ run: string }];
  await catalog.usage.setQuota('ns-0', { storedBytesMax: Number.MAX_SAFE_INTEGER });
  const unlimited = { runBytesMax: Number.MAX_SAFE_INTEGER, bytesMax: Number.MAX_SAFE_INTEGER };
  const body = () => ({ id: randomUUID(), runId: run, checkpointId: 'c', sizeBytes: 1, ttlMs: 60_000 });
  const hub = await catalog.usage.hub();
  const listed = await catalog.usage.namespaces({ limit: 100 });
  const sums = listed.reduce((sum, each) => sum + each.stored.package, 0);
  if (sums !== hub.stored.package || hub.stored.package !== checkpoints * 1000)
    throw new Error(`the sums disagree: ${sums}, ${hub.stored.package}`);
  await time('a query of one row', () => catalog.probe());
  await time('usage of the hub', () => catalog.usage.hub());
  await time('usage of all namespaces', () => catalog.usage.namespaces({ limit: 100 }));
  await time(`usage of the namespace with ${checkpoints / 2} checkpoints`, () =>
    catalog.usage.namespaces({ limit: 1 }, ['ns-0']),
  );
  await time(`room under its quota`, async () => {
    const reservation = body();
    if (typeof (await catalog.bodyReservations.take(reservation, unlimited)) === 'string') throw new Error('refused');
    await catalog.bodyReservations.release(reservation.id);
  });
  await catalog.usage.setQuota('ns-0', undefined);
  await time('room without a quota', async () => {
    const reservation = body();
    await catalog.bodyReservations.take(reservation, unlimited);
    await catalog.bodyReservations.release(reservation.id);
  });
  await sql.end();
  await catalog.close();
} finally {
  await owner.unsafe(`drop database ${name} with (force)`);
  await owner.end();
  await server.remove();
}

/** Rows as a hub has them, made by the server itself. */
async function fill(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    insert into repositories (id, namespace, name, type) select 'repo-' || i, 'ns-' || i, 'lm', 'model' from generate_series(0, ${namespaces - 1}) i;
    insert into runs (id, repository_id, name, fidelity, thresholds, search, seed, layer_types)
      select 'run-' || i, 'repo-' || i, 'train', 'exact', '{}', '{}', '1', '{}' from generate_series(0, ${namespaces - 1}) i;
    insert into checkpoints (id, run_id, sequence, step, state)
      select 'cp-' || i, 'run-' || case when i % 2 = 0 then 0 else 1 + i / 2 % ${namespaces - 1} end, i, i, 'ready' from generate_series(0, ${checkpoints - 1}) i;
    insert into packages (id, checkpoint_id, key, size_bytes, stored_bytes, index_offset_bytes, index_length_bytes, kind, chain_length)
      select 'p-' || i, 'cp-' || i, 'packages/p-' || i, 960, 1000, 0, 0, 'base', 1 from generate_series(0, ${checkpoints - 1}) i;
    update checkpoints set package_id = 'p-' || substr(id, 4);
    insert into checkpoint_files (checkpoint_id, path, role, size_bytes, sha256, received, storage)
      select 'cp-' || i, 'file-' || f, 'model', 10000, repeat('a', 64), true, 'package' from generate_series(0, ${checkpoints - 1}) i, generate_series(1, ${filesPerCheckpoint}) f;
    analyze;`);
}

async function time(what: string, work: () => Promise<unknown>): Promise<void> {
  const ms: number[] = [];
  for (let i = 0; i < repeats; i++) {
    const startedMs = performance.now();
    await work();
    ms.push(performance.now() - startedMs);
  }
  ms.sort((a, b) => a - b);
  const [low, median, high] = [ms[1]!, ms[ms.length >> 1]!, ms.at(-2)!];
  process.stdout.write(`${what.padEnd(50)} ${median.toFixed(1)} ms (${low.toFixed(1)} to ${high.toFixed(1)})\n`);
}
