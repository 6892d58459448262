import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeOnPostgres, onServer } from '../../../test/postgres/create-database.ts';
import { stopBackends } from '../../../test/postgres/stop-backends.ts';
import { startPostgres } from '../../../test/postgres/start-postgres.ts';
import type { Catalog } from '../contract/catalog.ts';
import { expectCode, freshName, makeRepository, makeRun } from '../catalog-fixtures.test-support.ts';
import { readMigrations } from '../db/migrate.ts';
import { openPostgresCatalog } from './open-postgres.ts';
import { createTestDatabase, type TestCatalogDatabase } from './test-postgres.test-support.ts';

/** Number of processes that start at once. */
const starters = 4;
/** Longest wait for the server to be reachable again, in ms. */
const recoveryMs = 20_000;

const endOthers =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and ' +
  'pid <> pg_backend_pid()';

describeOnPostgres('openPostgresCatalog', () => {
  let database: TestCatalogDatabase;
  const catalogs: Catalog[] = [];
  const open: TestCatalogDatabase['open'] = async (options) => {
    const catalog = await database.open(options);
    catalogs.push(catalog);
    return catalog;
  };
  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
  });
  afterEach(async () => {
    for (const catalog of catalogs.splice(0)) await catalog.close();
    await database.drop();
  });

  test('processes that start at once migrate once, and each then works', async () => {
    const script = fileURLToPath(new URL('use-postgres-once.test-support.ts', import.meta.url));
    const codes = await Promise.all(
      Array.from({ length: starters }, async () => {
        const child = spawn(process.execPath, ['--import', 'tsx', script, database.url], {
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        return ((await once(child, 'exit')) as [number | null])[0];
      }),
    );
    expect(codes).toEqual(Array.from({ length: starters }, () => 0));
    const applied = await onServer(database.url, 'select name from migrations order by name');
    expect(applied.map(({ name }) => name)).toEqual((await readMigrations()).map(({ name }) => name));
    expect((await onServer(database.url, 'select count(*)::int as n from repositories'))[0]).toEqual({ n: starters });
  });

  test('a database that lacks migrations is refused if they may not be applied', async () => {
    await expectCode(open({ migrate: false }), 'conflict');
    await open({ migrate: true });
    await open({ migrate: false });
    await onServer(database.url, `insert into migrations (name, sha256) values ('9999_later.sql', 'x')`);
    await expectCode(open({ migrate: false }), 'unsupported-format');
    await expectCode(open({ migrate: true }), 'unsupported-format');
  });

  test('connections that end are replaced, and the work under way fails as overloaded', async () => {
    const catalog = await open({ migrate: true });
    const name = freshName();
    await expectCode(
      catalog.transaction(async (tx) => {
        await tx.repositories.create({ namespace: 'lost', name, type: 'model' });
        await onServer(database.url, endOthers);
        // The connection may be lost before or during the next statement; in neither case may it reach another session.
        for (let statement = 0; statement < 20; statement++) {
          await tx.repositories.create({ namespace: 'lost', name: freshName(), type: 'model' });
          await pause(10);
        }
      }),
      'overloaded',
    );
    expect(await catalog.repositories.list({ limit: 100 })).toEqual([]);
    await catalog.repositories.create({ namespace: 'lost', name, type: 'model' });
  });

  test('statements that were under way on many connections fail or are done, and later ones work', async () => {
    const catalog = await open({ migrate: true });
    await Promise.all(Array.from({ length: 8 }, () => catalog.probe()));
    for (let round = 0; round < 3; round++) {
      const asked = Promise.allSettled(Array.from({ length: 50 }, () => makeRepository(catalog)));
      await onServer(database.url, endOthers);
      for (const each of await asked)
        if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'overloaded' });
    }
    await settle(() => catalog.probe());
    await makeRepository(catalog);
  });

  test('half-open connections cost a request seconds, not the limit of a statement', async () => {
    const catalog = await open({ migrate: true });
    await Promise.all(Array.from({ length: 8 }, () => catalog.probe()));
    // Long enough that an idle connection is checked before its next use.
    await pause(1_100);
    const stopped = await stopBackends(database.url);
    try {
      expect(stopped.count).toBeGreaterThan(1);
      const startedMs = performance.now();
      await makeRepository(catalog);
      expect(performance.now() - startedMs).toBeLessThan(10_000);
    } finally {
      stopped.resume();
    }
  });

  test('a transaction that a deadlock rolled back is repeated', async () => {
    const catalog = await open({ migrate: true });
    const runs = [await makeRun(catalog), await makeRun(catalog)];
    const tries = [0, 0];
    let bothHold = (): void => undefined;
    const holding = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    let holders = 0;
    const lockBoth = (first: number): Promise<void> =>
      catalog.transaction(async (tx) => {
        tries[first]! += 1;
        await tx.runs.lock(runs[first]!.id);
        if (++holders === 2) bothHold();
        await holding;
        await tx.runs.lock(runs[1 - first]!.id);
      });
    await Promise.all([lockBoth(0), lockBoth(1)]);
    expect(tries.reduce((sum, n) => sum + n)).toBe(3);
  });

  test('a failed statement that the work swallows undoes the transaction, and says so', async () => {
    const catalog = await open({ migrate: true });
    const name = freshName();
    await expectCode(
      catalog.transaction(async (tx) => {
        await tx.repositories.create({ namespace: 'swallowed', name, type: 'model' });
        await tx.runs
          .create({
            repositoryId: 'none',
            name,
            fidelity: 'exact',
            thresholds: {},
            search: {} as never,
            seed: '1',
            layerTypes: {},
          })
          .catch(() => undefined);
      }),
      'conflict',
    );
    expect(await catalog.repositories.find('swallowed', name)).toBeUndefined();
  });

  test('a query without a free connection in time is refused as overloaded', async () => {
    const catalog = await open({ migrate: true, connectionsMax: 1, connectMs: 200 });
    await catalog.transaction(async (tx) => {
      await tx.probe();
      // From outside of this transaction, like another request.
      await expectCode(
        outsideOfTransactions(() => catalog.probe()),
        'overloaded',
      );
    });
    await catalog.probe();
  });

  test('a statement beyond its limit is ended', async () => {
    const catalog = await open({ migrate: true, statementMs: 300 });
    const run = await makeRun(catalog);
    await catalog.transaction(async (tx) => {
      await tx.runs.lock(run.id);
      await expectCode(
        outsideOfTransactions(() => catalog.transaction((other) => other.runs.lock(run.id))),
        'overloaded',
      );
    });
    await catalog.runs.lock(run.id);
  });

  test('the outer catalog inside a transaction is refused, and a closed one fails with FirnError', async () => {
    const catalog = await open({ migrate: true });
    await expectCode(
      catalog.transaction(() => catalog.probe()),
      'internal',
    );
    await catalog.close();
    await catalog.close();
    await expectCode(catalog.probe(), 'internal');
  });

  test('a missing server, a wrong name and a bad URL give a sentence without the password', async () => {
    const options = { connectionsMax: 1, connectMs: 500, statementMs: 500, migrate: true, startMs: 0 };
    const failure = (url: string) =>
      openPostgresCatalog({ ...options, url }).then(
        () => undefined,
        (error: Error & { code: string; detail: string }) => error,
      );
    const wrongName = Object.assign(new URL(database.url), { pathname: '/no_such_database', password: 'hush' }).href;
    for (const [url, code] of [
      ['postgres://firn:hush@127.0.0.1:1/firn', 'overloaded'],
      [wrongName, 'internal'],
      ['postgres://firn:hush@:nonsense:/', 'internal'],
    ] as const) {
      const error = await failure(url);
      expect(error).toMatchObject({ name: 'FirnError', code });
      expect(`${error!.message} ${error!.detail}`).not.toContain('hush');
    }
  });
});

describeOnPostgres('a server of its own', () => {
  test('that stops and comes back is used again without a restart', async () => {
    const server = await startPostgres();
    let catalog: Catalog | undefined;
    try {
      catalog = await openPostgresCatalog({
        url: server.url,
        connectionsMax: 4,
        connectMs: 2_000,
        statementMs: 5_000,
        migrate: true,
      });
      await makeRepository(catalog);
      await server.stop();
      await expectCode(makeRepository(catalog), 'overloaded');
      await expectCode(catalog.probe(), 'overloaded');
      await server.start();
      await settle(() => catalog!.probe());
      await makeRepository(catalog);
      expect(await catalog.repositories.list({ limit: 10 })).toHaveLength(2);
    } finally {
      await catalog?.close();
      await server.remove();
    }
  });
});

async function settle(work: () => Promise<void>): Promise<void> {
  for (const deadline = performance.now() + recoveryMs; ; await pause(100)) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}

/** A timer's callback runs in the context that set it, so a timer from outside of the transaction starts the work. */
function outsideOfTransactions<T>(work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    jobs.push(() => void work().then(resolve, reject));
  });
}
const jobs: (() => void)[] = [];
setInterval(() => jobs.shift()?.(), 5).unref();
