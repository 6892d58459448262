import { createHash } from 'node:crypto';
import { existsSync, openAsBlob } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { Catalog } from './contract/catalog.ts';
import { migrate, readMigrations } from './db/migrate.ts';
import { catalogOf } from './pglite/open-pglite.ts';
import { pgliteDatabase } from './pglite/pglite-database.ts';

/** Databases in memory that no test uses now, all empty: one is emptied in a tenth of the time that a new one takes. */
const unused: PGlite[] = [];

/**
 * An empty catalog in memory, ready in half a second: a copy of a migrated template, or what another test has closed.
 * The template is made once per set of migrations and cached in the temporary directory (40 MB).
 */
export async function openTestCatalog(): Promise<Catalog> {
  const client = unused.pop() ?? (await PGlite.create({ loadDataDir: await testTemplate() }));
  let closed = false;
  return catalogOf(
    closable(client, () => closed),
    async () => {
      if (closed) return;
      closed = true;
      await empty(client);
      unused.push(client);
    },
  );
}

/** The client as one catalog sees it: closed with the catalog, though another may go on with the database. */
function closable(client: PGlite, isClosed: () => boolean): PGlite {
  return new Proxy(client, {
    get(target, key) {
      if (key === 'closed') return isClosed();
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** As the template is: without rows, but for those that migrations write, and without prepared statements. */
async function empty(client: PGlite): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables
    where schemaname = 'public' and tablename not in ('migrations', 'hub_keys')`,
  );
  const deletes = rows.map(({ name }) => `delete from "${name}"`).join(';');
  // In this role the order of the tables does not matter, because references are not checked.
  await client.exec(
    `begin; set local session_replication_role = replica; ${deletes}; commit; deallocate all;
    select setval(seqrelid::regclass, seqstart, false) from pg_sequence`,
  );
}

/** The dump of a migrated database. */
export async function testTemplate(): Promise<Blob> {
  const digest = createHash('sha256')
    .update((await readMigrations()).map(({ sha256 }) => sha256).join())
    .digest('hex');
  const path = join(tmpdir(), `firn-test-catalog-${digest.slice(0, 16)}.tar`);
  if (!existsSync(path)) {
    const client = await PGlite.create();
    await migrate(pgliteDatabase(client));
    const dump = await client.dumpDataDir('none');
    await client.close();
    // Several test processes may write it at once; each renames a complete file.
    await writeFile(`${path}.${process.pid}`, new Uint8Array(await dump.arrayBuffer()));
    await rename(`${path}.${process.pid}`, path);
  }
  return openAsBlob(path);
}
