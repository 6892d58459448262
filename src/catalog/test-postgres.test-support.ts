import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { describe, inject } from 'vitest';
import type { Catalog } from './catalog.ts';
import { openPostgresCatalog, type PostgresCatalogOptions } from './open-postgres.ts';

/** A server's database for one test, empty but migrated. */
export interface TestDatabase {
  readonly url: string;
  open(options?: Partial<PostgresCatalogOptions>): Promise<Catalog>;
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>;
}

const given = inject('postgres');

/** `describe` on a real server (test/postgres/global-setup.ts); without one it is skipped, with the reason in its name. */
export function describeOnPostgres(name: string, tests: () => void): void {
  if ('missing' in given) describe.skip(`${name} (skipped: ${given.missing})`, tests);
  else describe(name, tests);
}

/** A copy of the migrated template, or an empty database. */
export async function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  if ('missing' in given) throw new Error(given.missing);
  const { url: serverUrl, template } = given;
  const name = `firn_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(serverUrl, `create database ${name} template ${migrated ? template : 'template0'}`);
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  return {
    url,
    open: (options = {}) => openPostgresCatalog({ url, connectionsMax: 8, connectMs: 10_000, statementMs: 30_000, migrate: false, ...options }),
    drop: async () => void (await onServer(serverUrl, `drop database ${name} with (force)`)),
  };
}

/** An empty catalog on a database of its own, which goes with it. */
export async function openPostgresTestCatalog(): Promise<Catalog> {
  const database = await createTestDatabase();
  const catalog = await database.open();
  return {
    ...catalog,
    async close() {
      await catalog.close();
      await database.drop();
    },
  };
}

/** Runs one statement as the server's owner, on a connection of its own. */
export async function onServer(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}
