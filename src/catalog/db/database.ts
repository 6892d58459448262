import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/**
 * What the records need of a database, whatever the driver. An implementation is one file (pglite-database.ts) that
 * hides how its driver shapes results and opens transactions.
 */
export interface Db {
  /**
   * Drizzle's builder: select, insert, update, delete. Its own `execute` and `transaction` differ between drivers; use
   * the two below.
   */
  readonly query: QueryBuilder;
  /**
   * The rows of a statement that the builder cannot say. Values come as the driver gives them, so select only text and
   * integers.
   */
  rows(statement: SQL): Promise<Readonly<Record<string, unknown>>[]>;
  /** Several statements without parameters; for migrations. */
  script(text: string): Promise<void>;
  /** Inside a transaction `work` joins it: nothing of an inner call is undone alone. Read committed. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
}

export type QueryBuilder = Omit<PgDatabase<PgQueryResultHKT, Record<string, never>>, 'execute' | 'transaction'>;
