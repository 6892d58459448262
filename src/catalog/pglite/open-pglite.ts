import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Catalog } from '../contract/catalog.ts';
import { createCatalog } from '../create-catalog.ts';
import type { Db } from '../db/database.ts';
import { lockDirectory, type DirectoryLock } from './directory-lock.ts';
import { migrate } from '../db/migrate.ts';
import { pgliteDatabase } from './pglite-database.ts';
import { translating } from '../db/translate-failures.ts';

/**
 * Instead of 128 MB, which PGlite touches at once: the catalog's working set is a few MB. Saves about 150 MB of
 * resident memory.
 */
const sharedBuffers = '16MB';
/** Tables whose rows change or go. PGlite has no autovacuum; the rest only grows. */
const changingTables =
  'jobs, checkpoints, checkpoint_files, packages, trials, runs, eval_sets, idempotency, body_reservations, processes';

export type PgliteCatalogOptions =
  /** Kept in this directory, which is made when absent. */
  | { readonly directory: string }
  /** Gone when closed; for tests. A template is the dump of a migrated one, which opens several times faster. */
  | { readonly memory: true; readonly template?: Blob };

/**
 * The embedded catalog: Postgres inside this process, migrated to this version. One process at a time: a second one is
 * refused with `conflict`, what a killed one left is taken over. Other failures: `storage-full`, `unsupported-format`
 * (a newer version wrote it), `internal`. Opening takes seconds the first time, under one second later. What was
 * acknowledged survives the death of the process, but not of the machine: PGlite does not call fsync. Queries run on
 * the JavaScript thread.
 */
export async function openPgliteCatalog(options: PgliteCatalogOptions): Promise<Catalog> {
  if ('memory' in options) return openClient(options.template === undefined ? {} : { loadDataDir: options.template });
  const directory = resolve(options.directory);
  try {
    return await openLocked(directory);
  } catch (error) {
    // Whatever was written when the room ran out: the one thing to know is where.
    throw isFull(error) ? noSpace(directory, error) : error;
  }
}

async function openLocked(directory: string): Promise<Catalog> {
  await mkdir(directory, { recursive: true });
  const lock = lockDirectory(directory);
  try {
    return await openDirectory(directory, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function isFull(error: unknown): boolean {
  return (
    (error as NodeJS.ErrnoException).code === 'ENOSPC' || (error instanceof FirnError && error.code === 'storage-full')
  );
}

function noSpace(detail: string, cause: unknown): FirnError {
  return new FirnError('storage-full', 'The catalog has no space left.', { detail, cause });
}

/**
 * The marker says that the database was whole once. Without it a database directory is what a process left that died
 * while making it: nothing in it was ever acknowledged, so it is set aside and made again.
 */
async function openDirectory(directory: string, lock: DirectoryLock): Promise<Catalog> {
  const dataDir = join(directory, 'postgres');
  const marker = join(directory, 'created');
  if (!existsSync(marker) && existsSync(dataDir)) {
    await rm(`${dataDir}.unfinished`, { recursive: true, force: true });
    await rename(dataDir, `${dataDir}.unfinished`);
  }
  const catalog = await openClient({ dataDir }, lock);
  if (!existsSync(marker))
    await writeFile(marker, 'The database in postgres/ is complete; without this file it is made again.\n');
  return catalog;
}

async function openClient(options: { dataDir?: string; loadDataDir?: Blob }, lock?: DirectoryLock): Promise<Catalog> {
  const client = await start(options);
  try {
    const db = pgliteDatabase(client);
    await translating(() => prepare(db));
    return createCatalog(db, {
      connections: () => ({ inUse: 0, waiting: 0, max: 0 }),
      tidy: () => tidy(db),
      async close() {
        if (client.closed) return;
        await client.close();
        lock?.release();
      },
    });
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function start(options: { dataDir?: string; loadDataDir?: Blob }): Promise<PGlite> {
  try {
    return await PGlite.create({
      ...options,
      startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${sharedBuffers}`],
    });
  } catch (error) {
    const detail = options.dataDir ?? 'memory';
    throw isFull(error)
      ? noSpace(detail, error)
      : new FirnError('internal', 'The catalog could not be opened.', { detail, cause: error });
  }
}

/**
 * No other process exists, so a keyed request that is still running died with an earlier one, and so did a body that is
 * still arriving, and whoever gave a sign of life.
 */
async function prepare(db: Db): Promise<void> {
  await migrate(db);
  await tidy(db);
  await db.script('delete from idempotency where status is null; delete from body_reservations; delete from processes');
}

function tidy(db: Db): Promise<void> {
  return db.script(`vacuum (analyze) ${changingTables}`);
}
