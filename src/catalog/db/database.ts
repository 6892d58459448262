import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/**
 * The database interface of the records, independent of the driver. An implementation is one file (pglite-database.ts)
 * that hides how its driver shapes results and opens transactions.
 */
export interface Db {
  /**
   * Drizzle's builder: select, insert, update, delete. Its own `execute` and `transaction` differ between drivers; use
   * the two below.
   */
  readonly query: QueryBuilder;
  /**
   * The rows of a statement that the builder cannot express. Values come as the driver gives them, so select only text
   * and integers.
   */
  rows(statement: SQL): Promise<Readonly<Record<string, unknown>>[]>;
  /** Several statements without parameters; for migrations. */
  script(text: string): Promise<void>;
  /** Inside a transaction `work` joins it: an inner call cannot be rolled back alone. Read committed. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
}

export type QueryBuilder = Omit<PgDatabase<PgQueryResultHKT, Record<string, never>>, 'execute' | 'transaction'>;
