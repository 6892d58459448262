import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Catalog } from '../contract/catalog.ts';
import { createCatalog } from '../create-catalog.ts';
import type { Db } from '../db/database.ts';
import { emptyDatabase } from './empty-database.ts';
import { lockDirectory, type DirectoryLock } from './directory-lock.ts';
import { migrate } from '../db/migrate.ts';
import { pgliteDatabase } from './pglite-database.ts';
import { translating } from '../db/translate-failures.ts';

/**
 * Instead of 128 MB, which PGlite touches at once: the catalog's working set is a few MB. Saves about 150 MB of
 * resident memory.
 */
const sharedBuffers = '16MB';
/**
 * How much of a WebAssembly function runs before V8 compiles it again, optimized: what Node 24 does by default, seven
 * times the budget of Node 20, which spends a fifth of a hub's start on functions that are hardly used afterwards.
 */
setFlagsFromString('--wasm-tiering-budget=13000000');
/** Tables whose rows are updated or deleted. PGlite has no autovacuum; the other tables only grow. */
const changingTables =
  'jobs, checkpoints, checkpoint_files, packages, trials, estimates, runs, eval_sets, idempotency, ' +
  'body_reservations, processes';

type EmptyDatabase = () => Promise<Blob | undefined>;

export interface PgliteCatalogOptions {
  /** Created if absent, from the files of an empty database if there are any. */
  readonly directory: string;
  readonly empty?: EmptyDatabase;
}

interface FilesOptions {
  readonly dataDir: string;
  readonly loadDataDir?: Blob;
}

/**
 * The embedded catalog: Postgres inside this process, migrated to this version. One process at a time: a second one is
 * refused with `conflict`, and a killed process's directory is taken over. Other failures: `storage-full`,
 * `unsupported-format` (a newer version wrote it), `internal`. Opening takes a second or two the first time (ten if no
 * empty database was built), under one second later. Acknowledged writes survive the death of the process, but not of
 * the machine: PGlite does not call fsync. Queries run on the JavaScript thread.
 */
export async function openPgliteCatalog(options: PgliteCatalogOptions): Promise<Catalog> {
  const directory = resolve(options.directory);
  try {
    return await openLocked(directory, options.empty ?? (() => emptyDatabase()));
  } catch (error) {
    // If the disk is full, the directory is the most useful detail.
    throw isFull(error) ? noSpace(directory, error) : error;
  }
}

async function openLocked(directory: string, empty: EmptyDatabase): Promise<Catalog> {
  await mkdir(directory, { recursive: true });
  const lock = lockDirectory(directory);
  try {
    return await openDirectory(directory, lock, empty);
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
 * The marker proves that the database was complete once. A database directory without it is the remains of a process
 * that died while creating it. Nothing in it was ever acknowledged, so it is moved aside and created again.
 */
async function openDirectory(directory: string, lock: DirectoryLock, empty: EmptyDatabase): Promise<Catalog> {
  const dataDir = join(directory, 'postgres');
  const marker = join(directory, 'created');
  if (!existsSync(marker) && existsSync(dataDir)) {
    await rm(`${dataDir}.unfinished`, { recursive: true, force: true });
    await rename(dataDir, `${dataDir}.unfinished`);
  }
  const catalog = existsSync(marker)
    ? await openClient({ dataDir }, lock)
    : await createDatabase(dataDir, lock, await empty());
  if (!existsSync(marker))
    await writeFile(marker, 'The database in postgres/ is complete; without this file it is made again.\n');
  return catalog;
}

/** From the files of an empty database if there are any and they can be read, else anew. */
async function createDatabase(dataDir: string, lock: DirectoryLock, loadDataDir: Blob | undefined): Promise<Catalog> {
  if (loadDataDir !== undefined) {
    try {
      return await openClient({ dataDir, loadDataDir }, lock);
    } catch (error) {
      if (isFull(error)) throw error;
      await rm(dataDir, { recursive: true, force: true });
    }
  }
  return openClient({ dataDir }, lock);
}

async function openClient(options: FilesOptions, lock: DirectoryLock): Promise<Catalog> {
  const client = await start(options);
  const close = async (): Promise<void> => {
    if (client.closed) return;
    await client.close();
    lock.release();
  };
  try {
    return await catalogOf(client, close);
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The catalog in a database that no other process uses; it is migrated to this version first. */
export async function catalogOf(client: PGlite, close: () => Promise<void>): Promise<Catalog> {
  const db = pgliteDatabase(client);
  await translating(() => prepare(db));
  return createCatalog(db, {
    connections: () => ({ inUse: 0, waiting: 0, max: 0 }),
    tidy: () => tidy(db),
    close,
  });
}

async function start(options: FilesOptions): Promise<PGlite> {
  try {
    return await PGlite.create({
      ...options,
      startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${sharedBuffers}`],
    });
  } catch (error) {
    throw isFull(error)
      ? noSpace(options.dataDir, error)
      : new FirnError('internal', 'The catalog could not be opened.', { detail: options.dataDir, cause: error });
  }
}

/**
 * No other process uses the database. So running keyed requests, arriving bodies and signs of life all belong to dead
 * processes.
 */
async function prepare(db: Db): Promise<void> {
  await migrate(db);
  await tidy(db);
  await db.script('delete from idempotency where status is null; delete from body_reservations; delete from processes');
}

function tidy(db: Db): Promise<void> {
  return db.script(`vacuum (analyze) ${changingTables}`);
}
