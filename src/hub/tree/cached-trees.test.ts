import { expect, test } from 'vitest';
import { openTestCatalog } from '../../catalog/test-catalog.test-support.ts';
import { makeReady, makeRepository, makeRun } from '../../catalog/catalog-fixtures.test-support.ts';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Tree, TreeEntry } from '../../catalog/contract/hub/revision-records.ts';
import { ByteCache } from '../../restore/byte-cache.ts';
import { withTreeCache } from './cached-trees.ts';
import { treeOid } from './git-object.ts';

function treeWith(name: string): Tree {
  const file: TreeEntry = {
    kind: 'file',
    name,
    oid: 'a'.repeat(40),
    sizeBytes: 1,
    sha256: 'b'.repeat(64),
    isLarge: false,
  };
  return { id: treeOid([file]), entries: [file] };
}

/** The catalog, and the ids that it was asked for. */
function recorded(catalog: Catalog): { catalog: Catalog; asked: string[] } {
  const asked: string[] = [];
  const { revisions } = catalog.hub;
  const trees: typeof revisions.trees = (repositoryId, ids) => {
    asked.push(...ids);
    return revisions.trees(repositoryId, ids);
  };
  return { catalog: { ...catalog, hub: { ...catalog.hub, revisions: { ...revisions, trees } } }, asked };
}

test('a tree is read once, and only what is missing is asked for', async () => {
  const { catalog, asked } = recorded(await openTestCatalog());
  const { id } = await makeRepository(catalog);
  const [one, two] = [treeWith('one'), treeWith('two')];
  await catalog.hub.revisions.putTrees(id, [one, two]);
  const { revisions } = withTreeCache(catalog, new ByteCache(100_000)).hub;
  expect(await revisions.trees(id, [one.id])).toEqual([one]);
  expect(await revisions.trees(id, [one.id, two.id])).toEqual([one, two]);
  expect(await revisions.trees(id, [two.id, one.id])).toEqual([two, one]);
  expect(asked).toEqual([one.id, two.id]);
});

test('what is absent is asked for again, and a tree of one repository shows in no other', async () => {
  const { catalog } = recorded(await openTestCatalog());
  const [a, b] = [await makeRepository(catalog), await makeRepository(catalog)];
  const tree = treeWith('later');
  const { revisions } = withTreeCache(catalog, new ByteCache(100_000)).hub;
  expect(await revisions.trees(a.id, [tree.id])).toEqual([]);
  await catalog.hub.revisions.putTrees(a.id, [tree]);
  expect(await revisions.trees(a.id, [tree.id])).toEqual([tree]);
  expect(await revisions.trees(b.id, [tree.id])).toEqual([]);
});

test('trees beyond the bound are read each time', async () => {
  const { catalog, asked } = recorded(await openTestCatalog());
  const { id } = await makeRepository(catalog);
  const tree = treeWith('large');
  await catalog.hub.revisions.putTrees(id, [tree]);
  const { revisions } = withTreeCache(catalog, new ByteCache(100)).hub;
  for (let i = 0; i < 3; i++) expect(await revisions.trees(id, [tree.id])).toEqual([tree]);
  expect(asked).toHaveLength(3);
});

test('the digests of the files of a checkpoint are read once', async () => {
  const plain = await openTestCatalog();
  const { checkpoint } = await makeReady(plain, await makeRun(plain), 1);
  let reads = 0;
  const digests: typeof plain.files.digests = (id) => {
    reads += 1;
    return plain.files.digests(id);
  };
  const { files } = withTreeCache({ ...plain, files: { ...plain.files, digests } }, new ByteCache(100_000));
  const first = await files.digests(checkpoint.id);
  expect(await files.digests(checkpoint.id)).toBe(first);
  expect(reads).toBe(1);
});
