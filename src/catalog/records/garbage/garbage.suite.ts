import { expect, test } from 'vitest';
import {
  expectCode,
  freshName,
  freshPackageId,
  makeCheckpoint,
  makeEvalSet,
  makeReady,
  makeRun,
} from '../../catalog-fixtures.test-support.ts';
import type { Catalog } from '../../contract/catalog.ts';
import type { Checkpoint } from '../../contract/checkpoint-records.ts';
import { pendingDeletionKeys } from '../pending-deletion-keys.test-support.ts';
import type { PendingDeletion, FoundObject } from '../../contract/storage/garbage-records.ts';

/** Pending deletions and orphans. */
export function garbageSuite(open: () => Catalog): void {
  const everything = { limit: 1000 };
  const soon = (): Date => new Date(Date.now() + 60_000);
  const pending = async (key: string): Promise<PendingDeletion | undefined> =>
    (await open().garbage.pendingDeletions(soon(), everything)).find((each) => each.key === key);
  const receive = (id: string, rawKey: string, path = 'm') =>
    open().files.receive(id, { path, sizeBytes: 3, sha256: 's', rawKey, rawStoredBytes: 5 });
  const orphan = (key: string, set: Partial<FoundObject> = {}): FoundObject => ({ key, storedBytes: 7, ...set });
  const orphanKeys = async (objects: readonly FoundObject[]): Promise<string[]> =>
    (await open().garbage.orphans(objects)).map(({ key }) => key);

  test('an object that loses its last name enters it, with its bytes, its repository and why', async () => {
    const run = await makeRun(open());
    const { repositoryId } = run;
    const entry = (key: string, reason: string, storedBytes = 5) => ({
      key,
      reason,
      storedBytes,
      repositoryId,
      pendingSince: expect.any(Date) as Date,
    });
    const keys = {
      replaced: freshName(),
      discarded: freshName(),
      released: freshName(),
      raw: freshName(),
      graph: freshName(),
      batches: freshName(),
    };

    const open1 = await makeCheckpoint(open(), run, 1);
    await receive(open1.id, keys.replaced);
    await receive(open1.id, keys.discarded);
    expect(await pending(keys.replaced)).toEqual(entry(keys.replaced, 'replaced'));
    await open().checkpoints.discard(open1.id);
    expect(await pending(keys.discarded)).toEqual(entry(keys.discarded, 'discarded'));

    const failed = await makeCheckpoint(open(), run, 2);
    await receive(failed.id, keys.released);
    await receive(failed.id, keys.raw, 'n');
    await open().files.releaseRaw(failed.id, ['m']);
    expect(await pending(keys.released)).toEqual(entry(keys.released, 'released'));
    await open().checkpoints.transition(failed.id, ['open'], 'failed');
    await open().checkpoints.hide(failed.id);
    expect(await pending(keys.raw)).toEqual(entry(keys.raw, 'deleted'));

    const ready = await makeReady(open(), run, 3);
    await open().checkpoints.hide(ready.checkpoint.id);
    expect(await pending(ready.package.key)).toBeUndefined();
    await open().checkpoints.purge(ready.checkpoint.id);
    expect(await pending(ready.package.key)).toEqual(entry(ready.package.key, 'deleted', 11));

    const { id } = await makeEvalSet(open(), (await open().repositories.get(repositoryId))!);
    for (const key of [keys.graph, freshName()])
      await open().evalSets.setPart(id, 'graph', { key, sha256: 's', sizeBytes: 1, storedBytes: 37 });
    await open().evalSets.setPart(id, 'batches', { key: keys.batches, sha256: 's', sizeBytes: 1, storedBytes: 38 });
    expect(await pending(keys.graph)).toEqual(entry(keys.graph, 'replaced', 37));
    await open().evalSets.delete(id);
    expect(await pending(keys.batches)).toEqual(entry(keys.batches, 'deleted', 38));
  });

  test('a transaction that is undone marks nothing for deletion', async () => {
    const { id } = await makeCheckpoint(open());
    const key = freshName();
    await receive(id, key);
    const undone = open().transaction(async (tx) => {
      await tx.checkpoints.discard(id);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow();
    expect(await pending(key)).toBeUndefined();
    expect(await open().objects.named([key])).toEqual([key]);
  });

  test('a key that waits to be deleted is never named again, by whatever verb', async () => {
    const run = await makeRun(open());
    const key = freshName();
    await open().garbage.markOrphans([orphan(key)]);
    const { id } = await makeCheckpoint(open(), run, 1);
    await expectCode(receive(id, key), 'conflict');
    const evalSet = await makeEvalSet(open());
    await expectCode(
      open().evalSets.setPart(evalSet.id, 'graph', { key, sha256: 's', sizeBytes: 1, storedBytes: 2 }),
      'conflict',
    );
    const record = {
      id: freshPackageId(),
      checkpointId: id,
      key,
      sizeBytes: 1,
      storedBytes: 1,
      indexOffsetBytes: 0,
      indexLengthBytes: 0,
      kind: 'base',
      chainLength: 1,
    } as const;
    await expectCode(open().packages.create(record), 'conflict');
    const merged = { mergedPackageId: freshPackageId(), key, sizeBytes: 1, indexOffsetBytes: 0, indexLengthBytes: 0 };
    const { package: part } = await makeReady(open(), run, 2);
    await expectCode(
      open().packages.merge({ ...merged, parts: [{ id: part.id, key: part.key, storedBytes: 1 }] }),
      'conflict',
    );
    expect(await open().objects.named([key])).toEqual([]);
    await open().garbage.forget([key]);
    await receive(id, key);
  });

  test('an orphan is named by nothing, not even a pending upload, job or deletion', async () => {
    const run = await makeRun(open());
    const ready = await makeReady(open(), run, 0);
    const reserved = await makeCheckpoint(open(), run, 1);
    const named = `staged/${reserved.id}/a`;
    await receive(reserved.id, named);
    const body = { id: freshName(), runId: run.id, checkpointId: reserved.id, sizeBytes: 1, ttlMs: 60_000 };
    await open().bodyReservations.take(body, { runBytesMax: 1e15, bytesMax: 1e15 });
    const lost = orphan(`staged/${reserved.id}/b`, { ownerId: reserved.id });
    const objects = [
      orphan(named, { ownerId: reserved.id }),
      lost,
      orphan(ready.package.key),
      orphan(freshName(), { ownerId: freshName() }),
    ];
    // A body of the same checkpoint is arriving, and this may be its object.
    expect(await orphanKeys(objects)).toEqual([objects[3]!.key]);
    await open().bodyReservations.release(body.id);
    expect(await orphanKeys(objects)).toEqual([lost.key, objects[3]!.key]);
    await open().garbage.markOrphans([lost]);
    expect(await orphanKeys(objects)).toEqual([objects[3]!.key]);
    expect(await pending(lost.key)).toMatchObject({ reason: 'orphan', storedBytes: 7, repositoryId: run.repositoryId });
    expect(await open().garbage.orphans([])).toEqual([]);
  });

  test('the body of a part of an eval set is known while it arrives, too', async () => {
    const { id, repositoryId } = await makeEvalSet(open());
    const body = { id: freshName(), evalSetId: id, sizeBytes: 1, ttlMs: 60_000 };
    expect(await open().bodyReservations.take(body, { runBytesMax: 0, bytesMax: 0 })).toEqual({ takenBytes: 1 });
    const part = orphan(`evalsets/${id}/${freshName()}`, { ownerId: id });
    expect(await orphanKeys([part])).toEqual([]);
    await open().bodyReservations.release(body.id);
    expect(await orphanKeys([part])).toEqual([part.key]);
    await open().garbage.markOrphans([part]);
    expect(await pending(part.key)).toMatchObject({ repositoryId });
  });

  test('the package of a running job is no orphan until the job has ended or another claim has it', async () => {
    const run = await makeRun(open());
    const kind = freshName();
    const claim = async (subjectId: string) => {
      const [job] = await open().jobs.claim({ kinds: [kind], workerId: 'w', leaseMs: 60_000, limit: 1 });
      expect(job!.subjectId).toBe(subjectId);
      return { jobId: job!.id, workerId: 'w', fence: job!.fence };
    };
    const { id }: Checkpoint = await makeCheckpoint(open(), run, 1);
    await open().jobs.enqueue({ kind, subjectId: id });
    const first = await claim(id);
    const ofFirst = orphan(`packages/${id}-${first.fence}`, { ownerId: id, fence: first.fence });
    const foreign = orphan(`packages/${freshName()}-${first.fence}`, { ownerId: freshName(), fence: first.fence });
    expect(await orphanKeys([ofFirst, foreign])).toEqual([foreign.key]);
    await open().jobs.defer(first, 0);
    const second = await claim(id);
    expect(await orphanKeys([ofFirst])).toEqual([ofFirst.key]);
    await open().jobs.complete(second);

    // A job whose subject is not a checkpoint may write any package.
    await open().jobs.enqueue({ kind, subjectId: run.id });
    const merging = await claim(run.id);
    const mergedPackage = orphan(`packages/${freshName()}-${merging.fence}`, {
      ownerId: freshName(),
      fence: merging.fence,
    });
    expect(await orphanKeys([mergedPackage])).toEqual([]);
    await open().jobs.complete(merging);
    expect(await orphanKeys([mergedPackage])).toEqual([mergedPackage.key]);
  });

  test('pending deletions marked until a time are listed by key in pages; unknown sizes are filled in', async () => {
    const keys = Array.from({ length: 5 }, (_, i) => `zz/${freshName()}-${i}`).sort();
    const before = await open().now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await open().garbage.markOrphans(keys.map((key) => orphan(key)));
    expect((await open().garbage.pendingDeletions(before, { limit: 1000, after: 'zz/' })).length).toBe(0);
    const paged: string[] = [];
    for (let after = 'zz/'; ;) {
      const page = await open().garbage.pendingDeletions(soon(), { limit: 2, after });
      if (page.length === 0) break;
      paged.push(...page.map(({ key }) => key));
      after = paged.at(-1)!;
    }
    expect(paged).toEqual(keys);
    // Marking again changes nothing: a known size stays.
    await open().garbage.markOrphans([orphan(keys[0]!, { storedBytes: 9 })]);
    await open().garbage.noteSizes([orphan(keys[0]!, { storedBytes: 9 })]);
    expect(await pending(keys[0]!)).toMatchObject({ storedBytes: 7 });
    await open().garbage.forget(keys);
    expect([...(await pendingDeletionKeys(open()))].filter((key) => key.startsWith('zz/'))).toEqual([]);
    await open().garbage.forget([]);
    await open().garbage.noteSizes([]);
    await open().garbage.markOrphans([]);
  });
}
