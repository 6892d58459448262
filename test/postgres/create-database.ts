import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { describe, inject } from 'vitest';

/** An empty database for one test. */
export interface TestDatabase {
  readonly url: string;
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>;
}

/** `describe` if there is a server (global-setup.ts); otherwise the tests are skipped, with the reason in the name. */
export function describeOnPostgres(name: string, tests: () => void): void {
  const given = inject('postgres');
  if ('missing' in given) describe.skip(`${name} (skipped: ${given.missing})`, tests);
  else describe(name, tests);
}

/** With this version's tables, or empty. */
export async function createDatabase({ migrated }: { readonly migrated: boolean }): Promise<TestDatabase> {
  const given = inject('postgres');
  if ('missing' in given) throw new Error(given.missing);
  const name = `firn_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(given.url, `create database ${name} template ${migrated ? given.template : 'template0'}`);
  return {
    url: Object.assign(new URL(given.url), { pathname: `/${name}` }).href,
    drop: async () => void (await onServer(given.url, `drop database ${name} with (force)`)),
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
