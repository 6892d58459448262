import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import { openTestCatalog } from '../../catalog/test-catalog.test-support.ts';
import { administerInCatalog } from './administer-in-catalog.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openTestCatalog();
});
afterAll(() => catalog.close());

test('the catalog of this machine knows which repositories are there', async () => {
  await catalog.repositories.create({ namespace: 'me', name: 'gpt', type: 'model', visibility: 'private' });
  const tokens = administerInCatalog(catalog);
  expect(await Promise.all(['gpt', 'gtp'].map((name) => tokens.hasRepository('me', name)))).toEqual([true, false]);
});
