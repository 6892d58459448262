import { createHash } from 'node:crypto';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { readMigrations } from '../../src/catalog/db/migrate.ts';
import { openPostgresCatalog } from '../../src/catalog/postgres/open-postgres.ts';
import { startPostgres, type PostgresServer } from './start-postgres.ts';

/**
 * Input of the tests of the Postgres catalog: a server whose user may create databases, with a migrated template; or
 * the reason why there is none.
 */
export type PostgresForTests = { readonly url: string; readonly template: string } | { readonly missing: string };

declare module 'vitest' {
  interface ProvidedContext {
    postgres: PostgresForTests;
  }
}

/**
 * Once per run: the server that DATABASE_URL names, else a new one. TEST_POSTGRES=off skips it, =required (CI) fails if
 * it does not start; by default its tests are then skipped, with the reason.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const wish = process.env['TEST_POSTGRES'];
  let own: PostgresServer | undefined;
  try {
    if (wish === 'off') throw new Error('TEST_POSTGRES=off');
    const given = process.env['DATABASE_URL'];
    own = given === undefined ? await startPostgres() : undefined;
    const url = given ?? own!.url;
    project.provide('postgres', { url, template: await makeTemplate(url) });
  } catch (error) {
    await own?.remove();
    if (wish === 'required') throw error;
    const missing = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The tests on a Postgres server are skipped: ${missing}\n`);
    project.provide('postgres', { missing });
  }
  return async () => own?.remove();
}

/** A migrated database that tests copy. */
async function makeTemplate(url: string): Promise<string> {
  const digest = createHash('sha256').update((await readMigrations()).map(({ sha256 }) => sha256).join());
  const name = `firn_template_${digest.digest('hex').slice(0, 16)}`;
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    if ((await sql`select 1 from pg_database where datname = ${name}`).length > 0) return name;
    const fresh = `${name}_${process.pid}`;
    await sql.unsafe(`create database ${fresh}`);
    const catalog = await openPostgresCatalog({
      url: databaseUrl(url, fresh),
      connectionsMax: 1,
      connectMs: 10_000,
      statementMs: 30_000,
      migrate: true,
    });
    await catalog.close();
    await sql.unsafe(`alter database ${fresh} rename to ${name}`);
    return name;
  } finally {
    await sql.end();
  }
}

function databaseUrl(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}
