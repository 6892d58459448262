import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import type { CheckpointResult } from '../../contract/checkpoint-records.ts';
import type { MergedPackages, MergeReason, PackageRecord } from '../../contract/storage/package-records.ts';
import {
  expectCode,
  freshName,
  freshPackageId,
  makeCheckpoint,
  makeReady,
  makeRun,
} from '../../catalog-fixtures.test-support.ts';

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

  test('a chain is placed in the repositories of its packages, of a base model too', async () => {
    const base = await makeReady(open(), await makeRun(open()), 0);
    const tuned = await makeRun(open());
    const first = await makeReady(open(), tuned, 0, base.package);
    const second = await makeReady(open(), tuned, 1, first.package);
    const { repositoryId } = (await open().runs.get(base.checkpoint.runId))!;
    const places = new Map(
      (await open().packages.placesOfChain(second.package.id)).map((link) => [link.packageId, link.repositoryId]),
    );
    expect(places).toEqual(
      new Map([
        [second.package.id, tuned.repositoryId],
        [first.package.id, tuned.repositoryId],
        [base.package.id, repositoryId],
      ]),
    );
    expect(await open().packages.placesOfChain('none')).toEqual([]);
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
    await expectCode(
      open().packages.create({ ...fresh, kind: 'delta', chainLength: 2, ancestorId: 'none' }),
      'conflict',
    );
    await expectCode(open().packages.create({ ...fresh, kind: 'delta', chainLength: 2 }), 'internal');
    await expectCode(open().packages.create({ ...fresh, ancestorId: base.id }), 'internal');
  });

  describe('merging', () => {
    const result: CheckpointResult = {
      fidelity: 'lossy',
      config: { method: 'residual', step: 1 },
      warnings: [],
      kind: 'delta',
      chainLength: 2,
      rawBytes: 1000,
      storedBytes: 15,
      trialCount: 0,
      seconds: {},
    };

    /** A base and `deltas` deltas, each to the package before it. */
    async function makeChain(deltas: number) {
      const run = await makeRun(open());
      const made = [await makeReady(open(), run, 0)];
      for (let step = 1; step <= deltas; step++)
        made.push(await makeReady(open(), run, step, made.at(-1)!.package, result));
      return { run, made };
    }

    const mergedOf = (packages: readonly PackageRecord[], storedBytes: readonly number[]): MergedPackages => ({
      mergedPackageId: freshPackageId(),
      key: `packages/${freshName()}`,
      sizeBytes: 20,
      indexOffsetBytes: 5,
      indexLengthBytes: 6,
      parts: packages.map(({ id, key }, i) => ({ id, key, storedBytes: storedBytes[i]! })),
    });

    test('candidates are the older deltas with an object of their own, with their numbers of dependents', async () => {
      const { run, made } = await makeChain(5);
      await makeReady(open(), await makeRun(open()), 0, made[1]!.package, result);
      const found = (newest: number, reason: MergeReason = 'bytes') =>
        open().packages.mergeable(run.id, { reason, newest, limit: 10, methods: ['residual'] });
      const ids = async (reason: MergeReason) => (await found(2, reason)).map(({ record }) => record.id);
      const idsAt = (places: readonly number[]) => places.map((at) => made[at]!.package.id);
      const named = (await found(2)).map(({ record, checkpoint, descendants, grows }) => [
        record.id,
        checkpoint.sequence,
        descendants,
        grows,
      ]);
      expect(named).toEqual([1, 2, 3].map((at) => [made[at]!.package.id, at, at === 1 ? 2 : 1, at === 3]));
      expect(await found(7)).toEqual([]);
      await open().packages.setMergeTried(made[1]!.package.id, 'bytes');
      expect(await ids('bytes')).toEqual(idsAt([2, 3]));
      expect(await ids('room')).toEqual(idsAt([1, 2, 3]));
      await open().packages.setMergeTried(made[2]!.package.id, 'room');
      expect(await ids('bytes')).toEqual(idsAt([2, 3]));
      expect(await ids('room')).toEqual(idsAt([1, 3]));
    });

    test('merged packages share one object, and their previous objects are pending deletion', async () => {
      const { run, made } = await makeChain(3);
      const packages = made.slice(1, 3).map((each) => each.package);
      const merged = mergedOf(packages, [7, 8]);
      await open().packages.merge(merged);
      const { parts: _, ...object } = merged;
      const now = await Promise.all(packages.map(({ id }) => open().packages.get(id)));
      expect(now).toEqual(
        packages.map((each, position) => ({ ...each, ...object, position, storedBytes: [7, 8][position] })),
      );
      expect((await open().checkpoints.get(made[1]!.checkpoint.id))!.result!.storedBytes).toBe(15 + 7 - 11);
      expect((await open().packages.chain(made[3]!.package.id)).map(({ id }) => id)).toEqual(
        made.map((each) => each.package.id).reverse(),
      );
      expect(
        await open().packages.mergeable(run.id, { reason: 'bytes', newest: 1, limit: 10, methods: ['residual'] }),
      ).toEqual([]);

      const waiting = await open().garbage.pendingDeletions(new Date(Date.now() + 60_000), { limit: 1000 });
      const { repositoryId } = run;
      const replaced = packages.map(({ key, storedBytes }) => ({
        key,
        storedBytes,
        repositoryId,
        reason: 'merged',
        pendingSince: expect.any(Date) as Date,
      }));
      expect(waiting).toEqual(expect.arrayContaining(replaced));
      expect(waiting.map(({ key }) => key)).not.toContain(merged.key);
    });

    test('nothing is merged when one package is not as it was', async () => {
      const { made } = await makeChain(3);
      const packages = made.slice(1).map((each) => each.package);
      await open().packages.merge(mergedOf(packages.slice(1), [1, 1]));
      await expectCode(open().packages.merge(mergedOf(packages, [1, 1, 1])), 'conflict');
      expect(await open().packages.get(packages[0]!.id)).toEqual(packages[0]);
    });

    test('a purged checkpoint leaves its share to the previous one, and the last one frees the object', async () => {
      const { made } = await makeChain(2);
      const merged = mergedOf(
        made.slice(1).map((each) => each.package),
        [7, 8],
      );
      await open().packages.merge(merged);
      expect(await open().checkpoints.purge(made[2]!.checkpoint.id)).toEqual([]);
      expect((await open().packages.get(made[1]!.package.id))!.storedBytes).toBe(15);
      expect((await open().checkpoints.get(made[1]!.checkpoint.id))!.result!.storedBytes).toBe(15 + 15 - 11);
      expect(await open().checkpoints.purge(made[1]!.checkpoint.id)).toEqual([merged.key]);
    });
  });
}
