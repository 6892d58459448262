import { createDatabase } from '../../../test/postgres/create-database.ts';
import type { Catalog } from '../contract/catalog.ts';
import { openPostgresCatalog, type PostgresCatalogOptions } from './open-postgres.ts';

/** A server's database for one test. */
export interface TestCatalogDatabase {
  readonly url: string;
  open(options?: Partial<PostgresCatalogOptions>): Promise<Catalog>;
  drop(): Promise<void>;
}

export async function createTestDatabase({ migrated = true } = {}): Promise<TestCatalogDatabase> {
  const { url, drop } = await createDatabase({ migrated });
  return {
    url,
    open: (options = {}) =>
      openPostgresCatalog({
        url,
        connectionsMax: 8,
        connectMs: 10_000,
        statementMs: 30_000,
        migrate: false,
        ...options,
      }),
    drop,
  };
}

/** An empty catalog on a new database, which is dropped with it. */
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
