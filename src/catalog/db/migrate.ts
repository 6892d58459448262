import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'drizzle-orm';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { packageRoot } from '../../program-files.ts';
import type { Db } from './database.ts';
import { planMigrations, type Migration } from './plan-migrations.ts';

/** The migrations of this version, shipped with the sources. */
export const migrationsDirectory = pathToFileURL(join(packageRoot, 'migrations/'));

/** Key of the advisory lock that lets one process migrate at a time. Any number that is not used elsewhere. */
const migrationLockKey = 0x6669_726e;

/**
 * Migrates a database to this version: applies the missing files, in order, all in one transaction under a lock, and
 * records name and SHA-256 of each in the table `migrations`. Usually nothing is missing. Rejects as `planMigrations`
 * does, and with `internal` when a file fails; the database is then unchanged.
 */
export async function migrate(db: Db, directory: URL = migrationsDirectory): Promise<void> {
  const files = await readMigrations(directory);
  await db.transaction(async (tx) => {
    // PGlite has one connection, so the lock never waits; on a server it waits for another process.
    await tx.rows(sql`select 1 from pg_advisory_xact_lock(${migrationLockKey})`);
    await tx.script(
      'create table if not exists migrations (name text collate "C" primary key, sha256 text not null, ' +
        'applied_at timestamptz not null default now())',
    );
    for (const { name, sha256, text } of planMigrations(files, await appliedTo(tx))) {
      await tx.script(text);
      await tx.rows(sql`insert into migrations (name, sha256) values (${name}, ${sha256}) returning name`);
    }
  });
}

/** Throws `conflict` when a database lacks migrations of this version; else as `planMigrations`. Changes nothing. */
export async function requireMigrated(db: Db, directory: URL = migrationsDirectory): Promise<void> {
  const files = await readMigrations(directory);
  const [table] = await db.rows(sql`select to_regclass('migrations')::text as name`);
  const missing = planMigrations(files, table?.['name'] === null ? [] : await appliedTo(db));
  if (missing.length > 0)
    throw new FirnError(
      'conflict',
      `The catalog lacks ${missing.length} migrations of this version; run firn migrate.`,
    );
}

async function appliedTo(db: Db): Promise<Pick<Migration, 'name' | 'sha256'>[]> {
  return (await db.rows(sql`select name, sha256 from migrations order by name`)) as unknown as Pick<
    Migration,
    'name' | 'sha256'
  >[];
}

/** The `NNNN_name.sql` files of a directory by number, with their digests. */
export async function readMigrations(directory: URL = migrationsDirectory): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  if (names.length === 0) throw new FirnError('internal', 'The migrations are missing from this installation.');
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, directory), 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}
