import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Catalog } from '../contract/catalog.ts';
import { createCatalog } from '../create-catalog.ts';
import type { Db } from '../db/database.ts';
import { migrate, requireMigrated } from '../db/migrate.ts';
import { postgresDatabase } from './postgres-database.ts';
import { PostgresSession } from './postgres-session.ts';
import { SessionPool } from './session-pool.ts';
import { translating } from '../db/translate-failures.ts';

export interface PostgresCatalogOptions {
  readonly url: string;
  /** Most connections of this process at once. */
  readonly connectionsMax: number;
  /** Longest wait for a connection to the server, or for a free one of the pool, in ms. */
  readonly connectMs: number;
  /** Longest time of a statement, in ms. */
  readonly statementMs: number;
  /** True: migrate the database to this version. False: refuse one that is not migrated (`conflict`). */
  readonly migrate: boolean;
  /** How long to wait for a server that is not reachable yet, in ms. */
  readonly startMs?: number;
}

/** Longest time of a migration, the wait for another process's included, in ms. */
const migrationMs = 30 * 60 * 1000;
/** How long to wait for a server that is just starting, in ms. */
const startMsDefault = 30_000;
/** Pause between two tries, in ms. */
const startPauseMs = 500;

/**
 * The catalog on a Postgres server (15 or later), shared by any number of processes. Rejects with `overloaded` when the
 * server cannot be reached in time, `unsupported-format` when a newer version wrote it, `conflict` when it is not
 * migrated and `migrate` is false, `internal` for anything else, such as a wrong password. While the server is
 * unreachable, every verb rejects with `overloaded`. Acknowledged writes are as durable as the server makes them.
 */
export async function openPostgresCatalog({
  migrate: mayMigrate,
  startMs = startMsDefault,
  ...options
}: PostgresCatalogOptions): Promise<Catalog> {
  const { url, connectionsMax, connectMs } = options;
  const pool = new SessionPool({ open: () => openSession(options), sessionsMax: connectionsMax, waitMs: connectMs });
  const db = postgresDatabase(pool);
  try {
    await answering(db, startMs);
    await translating(() =>
      mayMigrate ? migrateAlone({ url, connectMs, statementMs: migrationMs }) : requireMigrated(db),
    );
  } catch (error) {
    await pool.close();
    throw error;
  }
  return createCatalog(db, { close: () => pool.close(), connections: () => pool.stats() });
}

/** Migrates a database on a connection of its own, whose statements may take long. */
async function migrateAlone(options: ConstructorParameters<typeof PostgresSession>[0]): Promise<void> {
  const pool = new SessionPool({ open: () => openSession(options), sessionsMax: 1, waitMs: options.connectMs });
  try {
    await migrate(postgresDatabase(pool));
  } finally {
    await pool.close();
  }
}

function openSession(options: ConstructorParameters<typeof PostgresSession>[0]): PostgresSession {
  try {
    return new PostgresSession(options);
  } catch (error) {
    // No message contains the URL, because it holds a password.
    throw new FirnError('internal', 'The database URL is not valid.', {
      detail: (error as Error).message.slice(0, 200),
    });
  }
}

async function answering(db: Db, startMs: number): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    try {
      return await translating(async () => void (await db.rows(sql`select 1`)));
    } catch (error) {
      const passing = error instanceof FirnError && error.code === 'overloaded';
      if (!passing || performance.now() - startedMs >= startMs) throw error;
      await pause(startPauseMs);
    }
  }
}
