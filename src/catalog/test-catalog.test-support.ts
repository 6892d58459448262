import { createHash } from 'node:crypto';
import { existsSync, openAsBlob } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { Catalog } from './contract/catalog.ts';
import { migrate, readMigrations } from './db/migrate.ts';
import { openPgliteCatalog } from './pglite/open-pglite.ts';
import { pgliteDatabase } from './pglite/pglite-database.ts';

/**
 * An empty catalog in memory, ready in half a second: a copy of a migrated template. The template is made once per set
 * of migrations and cached in the temporary directory (40 MB).
 */
export async function openTestCatalog(): Promise<Catalog> {
  return openPgliteCatalog({ memory: true, template: await testTemplate() });
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
