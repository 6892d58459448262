import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeOnPostgres } from '../../../test/postgres/create-database.ts';
import { makeRepository } from '../../catalog/catalog-fixtures.test-support.ts';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import { createTestDatabase, type TestCatalogDatabase } from '../../catalog/postgres/test-postgres.test-support.ts';
import type { HubContext } from '../hub-context.ts';
import { deleteRef, emptyCommit } from './refs.ts';

/** How long a deletion that does not wait for the other process may take, in ms. */
const deletionMsMax = 1_000;

describeOnPostgres('a branch that one process deletes while another one moves it', () => {
  let database: TestCatalogDatabase;
  let catalogs: readonly [Catalog, Catalog];
  beforeEach(async () => {
    database = await createTestDatabase();
    catalogs = [await database.open(), await database.open()];
  });
  afterEach(async () => {
    for (const catalog of catalogs) await catalog.close();
    await database.drop();
  });

  test('is deleted: the move does not bring it back', async () => {
    const repository = await makeRepository(catalogs[0]);
    const { id } = repository;
    const branch = { kind: 'branch', name: 'side' } as const;
    await catalogs[0].transaction(async (tx) => {
      const { id: commitId } = await emptyCommit(tx, repository);
      await tx.hub.revisions.setRef(id, { ...branch, commitId });
    });
    let deleting: Promise<void> | undefined;
    // As a commit does, and the publication of a compressed form.
    await catalogs[0].transaction(async (tx) => {
      await tx.hub.revisions.lock(id);
      const ref = await tx.hub.revisions.ref(id, 'branch', 'side');
      deleting = deleteRef({ catalog: catalogs[1] } as HubContext, repository, 'branch', 'side');
      await Promise.race([deleting, new Promise((resolve) => setTimeout(resolve, deletionMsMax))]);
      await tx.hub.revisions.setRef(id, ref!);
    });
    await deleting;
    expect(await catalogs[0].hub.revisions.ref(id, 'branch', 'side')).toBeUndefined();
  });
});
