import { expect, test } from 'vitest';
import type { Catalog, PackageRecord } from './catalog.ts';
import { expectCode, freshPackageId, makeCheckpoint, makeReady, makeRun } from './catalog-fixtures.test-support.ts';

export function packagesSuite(open: () => Catalog): void {
  test('a chain comes newest first, the base last', async () => {
    const run = await makeRun(open());
    const links: PackageRecord[] = [];
    for (let step = 0; step < 4; step++) links.unshift((await makeReady(open(), run, step, links[0])).package);
    expect(await open().packages.chain(links[0]!.id)).toEqual(links);
    expect(await open().packages.chain(links[3]!.id)).toEqual([links[3]]);
    expect(await open().packages.get(links[1]!.id)).toEqual(links[1]);
    expect(await open().packages.get('none')).toBeUndefined();
    await expectCode(open().packages.chain('none'), 'not-found');
  });

  test('a chain whose lengths do not count down is broken', async () => {
    const run = await makeRun(open());
    const base = await makeReady(open(), run, 0);
    const delta = await makeReady(open(), run, 1, { ...base.package, chainLength: 4 });
    const error = await expectCode(open().packages.chain(delta.package.id), 'internal');
    expect(error.detail).toContain(delta.package.id);
  });

  test('a package is created once, with an ancestor that exists exactly when it is a delta', async () => {
    const run = await makeRun(open());
    const { package: base } = await makeReady(open(), run, 0);
    const { id: checkpointId } = await makeCheckpoint(open(), run, 1);
    const { createdAt: _, ...input } = base;
    await expectCode(open().packages.create(input), 'conflict');
    await expectCode(open().packages.create({ ...input, id: freshPackageId(), checkpointId }), 'conflict');
    const fresh = { ...input, id: freshPackageId(), key: 'packages/fresh', checkpointId };
    await expectCode(open().packages.create({ ...fresh, kind: 'delta', chainLength: 2, ancestorId: 'none' }), 'conflict');
    await expectCode(open().packages.create({ ...fresh, kind: 'delta', chainLength: 2 }), 'internal');
    await expectCode(open().packages.create({ ...fresh, ancestorId: base.id }), 'internal');
  });

  test('package keys are paged', async () => {
    const run = await makeRun(open());
    const keys = [(await makeReady(open(), run, 0)).package.key, (await makeReady(open(), run, 1)).package.key];
    const all: string[] = [];
    for (let after = ''; ;) {
      const [key] = await open().packages.keys({ limit: 1, after });
      if (key === undefined) break;
      all.push((after = key));
    }
    expect(all).toEqual([...new Set(all)].sort());
    expect(all).toEqual(expect.arrayContaining(keys));
  });
}
