import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { expectCode, freshName, makeRepository, makeRun } from '../../catalog-fixtures.test-support.ts';
import type { Catalog } from '../../contract/catalog.ts';
import type { PendingDeletion } from '../../contract/storage/garbage-records.ts';
import type { StoredXorb } from '../../contract/hub/xorb-records.ts';
import { sha256Of } from './sha256-of.test-support.ts';

const unlimited = { runBytesMax: 1e15, bytesMax: 1e15 };

/** Files by content and xorbs of repositories: their life, their garbage, and what they count. */
export function hubBlobsSuite(open: () => Catalog): void {
  const blobs = () => open().hub.blobs;
  const xorbs = () => open().hub.xorbs;
  const soon = (): Date => new Date(Date.now() + 60_000);
  const pending = async (key: string): Promise<PendingDeletion | undefined> =>
    (await open().garbage.pendingDeletions(soon(), { limit: 1000 })).find((each) => each.key === key);
  const blobOf = (repositoryId: string, content: string, storedBytes = 100) => ({
    repositoryId,
    sha256: sha256Of(content),
    sizeBytes: 90,
    rawKey: `blobs/${repositoryId}/${freshName()}`,
    rawStoredBytes: storedBytes,
  });
  const xorbOf = (repositoryId: string, content: string): StoredXorb => ({
    repositoryId,
    hash: sha256Of(content),
    key: `xorbs/${repositoryId}/${freshName()}`,
    sizeBytes: 50,
    storedBytes: 60,
    chunks: [{ hash: sha256Of('chunk'), rawBytes: 70, offset: 0, lengthBytes: 50 }],
  });
  /** Past the time of every row up to now. */
  const past = async (): Promise<Date> => {
    await pause(3);
    const now = await open().now();
    await pause(3);
    return now;
  };
  /** A file of a ready checkpoint of the repository. */
  const makeFile = async (repositoryId: string, content: string, step = 1) => {
    const run = await makeRun(open(), { repositoryId });
    const { id } = await open().checkpoints.reserve({ runId: run.id, step });
    const file = { path: 'm', sizeBytes: 90, sha256: sha256Of(content), rawKey: freshName(), rawStoredBytes: 100 };
    await open().files.receive(id, file);
    await open().checkpoints.transition(id, ['open'], 'failed');
    return { run, checkpointId: id, file: (await open().files.find(id, 'm'))! };
  };

  test('a file is stored once in a repository; the object that came second is not taken', async () => {
    const { id } = await makeRepository(open());
    const [first, second] = [blobOf(id, 'a'), blobOf(id, 'a')];
    expect(await blobs().add(first)).toEqual({ created: true });
    expect(await blobs().add(second)).toEqual({ created: false });
    expect(await blobs().find(id, [first.sha256, sha256Of('none')])).toEqual([{ ...first, isCommitted: false }]);
    expect(await blobs().find(id, [])).toEqual([]);
    expect(await open().objects.named([first.rawKey, second.rawKey])).toEqual([first.rawKey]);
  });

  test('many files are recorded at once, and one refused key refuses all', async () => {
    const { id } = await makeRepository(open());
    const [known, again, fresh, refused] = ['known', 'known', 'fresh', 'refused'].map((text) => blobOf(id, text));
    expect(await blobs().addAll([])).toEqual(new Set());
    await blobs().add(known!);
    expect(await blobs().addAll([again!, fresh!])).toEqual(new Set([known!.rawKey, fresh!.rawKey]));
    const found = await blobs().find(id, [known!.sha256, fresh!.sha256]);
    expect(found.map(({ rawKey }) => rawKey).sort()).toEqual([known!.rawKey, fresh!.rawKey].sort());
    while ((await blobs().expire(await past(), 100)) > 0);
    await expectCode(blobs().addAll([refused!, fresh!]), 'conflict');
    expect(await blobs().find(id, [refused!.sha256])).toEqual([]);
  });

  test('the same file of two repositories is two, and neither shows in the other', async () => {
    const [a, b] = [await makeRepository(open()), await makeRepository(open())];
    const blob = blobOf(a.id, 'shared');
    await blobs().add(blob);
    expect(await blobs().find(b.id, [blob.sha256])).toEqual([]);
    await blobs().touch(b.id, [blob.sha256]);
    await expectCode(blobs().commit(b.id, [blob.sha256]), 'conflict');
    expect(await blobs().add(blobOf(b.id, 'shared'))).toEqual({ created: true });
    await blobs().commit(b.id, [blob.sha256]);
    expect(await blobs().find(a.id, [blob.sha256])).toMatchObject([{ isCommitted: false }]);
  });

  test('a commit names all of its files or none', async () => {
    const { id } = await makeRepository(open());
    const blob = blobOf(id, 'b');
    await blobs().add(blob);
    const all = [blob.sha256, sha256Of('never uploaded')];
    await expectCode(
      open().transaction((tx) => tx.hub.blobs.commit(id, all)),
      'conflict',
    );
    expect(await blobs().find(id, [blob.sha256])).toMatchObject([{ isCommitted: false }]);
    await blobs().commit(id, [blob.sha256, blob.sha256]);
    expect(await blobs().find(id, [blob.sha256])).toMatchObject([{ isCommitted: true }]);
    await blobs().commit(id, []);
  });

  test('what no commit named in time expires, with its object; what was touched, named or kept stays', async () => {
    const { id } = await makeRepository(open());
    const [old, touched, named, released] = ['o', 't', 'n', 'r'].map((text) => blobOf(id, text));
    for (const blob of [old!, touched!, named!, released!]) await blobs().add(blob);
    await blobs().commit(id, [named!.sha256, released!.sha256]);
    const before = await past();
    await blobs().touch(id, [touched!.sha256]);
    await blobs().touch(id, []);
    await blobs().release(id, [named!.sha256]);
    while ((await blobs().expire(before, 1)) > 0);
    const left = async () =>
      (
        await blobs().find(
          id,
          [old, touched, named, released].map((blob) => blob!.sha256),
        )
      )
        .map((blob) => blob.rawKey)
        .sort();
    expect(await left()).toEqual([touched!.rawKey, named!.rawKey, released!.rawKey].sort());
    expect(await pending(old!.rawKey)).toMatchObject({ reason: 'discarded', storedBytes: 100, repositoryId: id });
    // What a squash left without a commit expires like an upload, from then on.
    while ((await blobs().expire(await past(), 100)) > 0);
    expect(await left()).toEqual([named!.rawKey]);
    expect(await pending(released!.rawKey)).toMatchObject({ reason: 'discarded' });
  });

  test('releasing without any file to keep releases all', async () => {
    const { id } = await makeRepository(open());
    const blob = blobOf(id, 'x');
    await blobs().add(blob);
    await blobs().commit(id, [blob.sha256]);
    await blobs().release(id, []);
    expect(await blobs().find(id, [blob.sha256])).toMatchObject([{ isCommitted: false }]);
  });

  test('an expired file can be uploaded again, but never under a key that waits to be deleted', async () => {
    const { id } = await makeRepository(open());
    const blob = blobOf(id, 'again');
    await blobs().add(blob);
    while ((await blobs().expire(await past(), 100)) > 0);
    await expectCode(blobs().add(blob), 'conflict');
    const xorb = xorbOf(id, 'x');
    await open().garbage.markOrphans([{ key: xorb.key, storedBytes: 60 }]);
    await expectCode(xorbs().add(xorb), 'conflict');
    expect(await blobs().find(id, [blob.sha256])).toEqual([]);
    expect(await blobs().add(blobOf(id, 'again'))).toEqual({ created: true });
  });

  test('a checkpoint takes the object over, which then has one owner', async () => {
    const { id } = await makeRepository(open());
    const blob = blobOf(id, 'weights');
    await blobs().add(blob);
    await blobs().commit(id, [blob.sha256]);
    const { file } = await makeFile(id, 'weights');
    await blobs().giveToFile(id, blob.sha256, file.id);
    expect(await blobs().find(id, [blob.sha256])).toEqual([
      { repositoryId: id, sha256: blob.sha256, sizeBytes: 90, fileId: file.id, isCommitted: true },
    ]);
    // Later uploads of these bytes are not stored.
    expect(await blobs().add(blobOf(id, 'weights'))).toEqual({ created: false });
    await expectCode(blobs().giveToFile(id, sha256Of('none'), file.id), 'conflict');
  });

  test('a file of a checkpoint stands for bytes that are absent, and not for bytes that are there', async () => {
    const { id } = await makeRepository(open());
    const [absent, stored] = [await makeFile(id, 'f1'), await makeFile(id, 'f2')];
    const blob = blobOf(id, 'f2');
    await blobs().add(blob);
    for (const [content, { file }] of [
      ['f1', absent],
      ['f2', stored],
    ] as const)
      for (let twice = 0; twice < 2; twice++)
        await blobs().addFile({ repositoryId: id, sha256: sha256Of(content), sizeBytes: 90, fileId: file.id });
    expect(await blobs().find(id, [sha256Of('f1')])).toMatchObject([{ fileId: absent.file.id, isCommitted: true }]);
    const [kept] = await blobs().find(id, [sha256Of('f2')]);
    expect([kept!.rawKey, kept!.fileId, kept!.isCommitted]).toEqual([blob.rawKey, undefined, true]);
  });

  test.each(['hidden', 'deleted'])(
    'the bytes of a %s checkpoint are absent, and can be uploaded again',
    async (how) => {
      const { id } = await makeRepository(open());
      const { checkpointId, file } = await makeFile(id, how);
      const sha256 = sha256Of(how);
      await blobs().addFile({ repositoryId: id, sha256, sizeBytes: 90, fileId: file.id });
      await open().checkpoints.hide(checkpointId);
      if (how === 'deleted') await open().checkpoints.purge(checkpointId);
      expect(await blobs().find(id, [sha256])).toEqual([
        { repositoryId: id, sha256, sizeBytes: 90, isCommitted: true },
      ]);
      await expectCode(blobs().commit(id, [sha256]), 'conflict');
      const again = blobOf(id, how);
      expect(await blobs().add(again)).toEqual({ created: true });
      await blobs().commit(id, [sha256]);
      expect(await blobs().find(id, [sha256])).toMatchObject([{ rawKey: again.rawKey, isCommitted: true }]);
    },
  );

  test('bytes that were released are absent unless the download has them, and can be uploaded again', async () => {
    const { id } = await makeRepository(open());
    const [lossy, exact] = [await makeFile(id, 'lossy'), await makeFile(id, 'exact')];
    for (const [content, { file, checkpointId }] of [
      ['lossy', lossy],
      ['exact', exact],
    ] as const) {
      await blobs().addFile({ repositoryId: id, sha256: sha256Of(content), sizeBytes: 90, fileId: file.id });
      const result = { storage: 'package', resultSha256: sha256Of('exact'), resultBytes: 90 } as const;
      await open().files.setResults(checkpointId, [{ path: 'm', ...result }]);
      await open().files.releaseRaw(checkpointId, ['m']);
    }
    const { rawKey: releasedKey } = lossy.file;
    const [released] = await blobs().find(id, [sha256Of('lossy')]);
    expect(released).toEqual({
      repositoryId: id,
      sha256: sha256Of('lossy'),
      sizeBytes: 90,
      releasedKey,
      readableKey: releasedKey,
      isCommitted: true,
    });
    await open().garbage.forget([releasedKey!]);
    expect((await blobs().find(id, [sha256Of('lossy')]))[0]).toEqual({ ...released, readableKey: undefined });
    expect((await blobs().find(id, [sha256Of('exact')]))[0]!.fileId).toBe(exact.file.id);
    const again = ['lossy', 'exact'].map((content) => blobOf(id, content));
    expect(await blobs().addAll(again)).toEqual(new Set([again[0]!.rawKey]));
    expect((await blobs().find(id, [sha256Of('lossy')]))[0]!.releasedKey).toBeUndefined();
  });

  test('bytes that another checkpoint has, too, stay; those of another repository do not count', async () => {
    const { id } = await makeRepository(open());
    const [first, second] = [await makeFile(id, 'shared'), await makeFile(id, 'shared')];
    await makeFile((await makeRepository(open())).id, 'shared');
    const sha256 = sha256Of('shared');
    await blobs().addFile({ repositoryId: id, sha256, sizeBytes: 90, fileId: first.file.id });
    await open().checkpoints.hide(first.checkpointId);
    expect(await blobs().find(id, [sha256])).toMatchObject([{ fileId: second.file.id, isCommitted: true }]);
    await open().checkpoints.hide(second.checkpointId);
    expect((await blobs().find(id, [sha256]))[0]!.fileId).toBeUndefined();
  });

  test('the bytes of a hidden run are absent, too', async () => {
    const { id } = await makeRepository(open());
    const { run, file } = await makeFile(id, 'of a run');
    await blobs().addFile({ repositoryId: id, sha256: file.sha256!, sizeBytes: 90, fileId: file.id });
    await open().runs.hide(run.id);
    const [blob] = await blobs().find(id, [file.sha256!]);
    expect(blob!.fileId).toBeUndefined();
  });

  test('xorbs are stored once in a repository, and expire when nothing named them for a while', async () => {
    const { id } = await makeRepository(open());
    const [first, second, other] = [xorbOf(id, '1'), xorbOf(id, '1'), xorbOf(id, '2')];
    expect([await xorbs().add(first), await xorbs().add(second), await xorbs().add(other)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await xorbs().find(id, [first.hash])).toEqual([first]);
    expect(await xorbs().find((await makeRepository(open())).id, [first.hash])).toEqual([]);
    expect(await xorbs().find(id, [])).toEqual([]);
    const before = await past();
    await xorbs().touch(id, [other.hash]);
    await xorbs().touch(id, []);
    while ((await xorbs().expire(before, 1)) > 0);
    expect(await xorbs().find(id, [first.hash, other.hash])).toEqual([other]);
    expect(await pending(first.key)).toMatchObject({ reason: 'discarded', storedBytes: 60, repositoryId: id });
    expect(await xorbs().add(xorbOf(id, '1'))).toBe(true);
  });

  test('their objects are named: the scrubber reads them, and they are no orphans', async () => {
    const { id } = await makeRepository(open());
    const [blob, xorb] = [blobOf(id, 'k'), xorbOf(id, 'k')];
    await blobs().add(blob);
    await xorbs().add(xorb);
    expect(await open().objects.keys({ limit: 10 }, id)).toEqual([blob.rawKey, xorb.key]);
    const [lost, arriving] = [`blobs/${id}/${freshName()}`, await makeRepository(open())];
    const found = [blob.rawKey, xorb.key, lost].map((key) => ({ key, storedBytes: 7, ownerId: id }));
    expect(await open().garbage.orphans(found)).toEqual([found[2]]);
    // While a body of the repository arrives, any object below its name may be that body's.
    const body = { id: freshName(), repositoryId: id, sizeBytes: 1, ttlMs: 60_000 };
    expect(await open().bodyReservations.take(body, unlimited)).toEqual({ takenBytes: 1 });
    expect(await open().garbage.orphans(found)).toEqual([]);
    const foreign = { key: `blobs/${arriving.id}/x`, storedBytes: 7, ownerId: arriving.id };
    expect(await open().garbage.orphans([foreign])).toEqual([foreign]);
    await open().bodyReservations.release(body.id);
    await open().garbage.markOrphans([found[2]!]);
    expect(await pending(lost)).toMatchObject({ reason: 'orphan', repositoryId: id });
  });

  test('every stored byte is counted once, by what it is for, and against the quota', async () => {
    const namespace = freshName();
    const { id } = await open().repositories.create({ namespace, name: 'r', type: 'model' });
    const usage = async () => (await open().usage.namespaces({ limit: 1 }, [namespace]))[0]!;
    const blob = blobOf(id, 'u', 1000);
    await blobs().add(blob);
    await xorbs().add(xorbOf(id, 'u'));
    const body = { id: freshName(), repositoryId: id, sizeBytes: 30, ttlMs: 60_000 };
    await open().bodyReservations.take(body, unlimited);
    expect(await usage()).toMatchObject({ logical: 0, reserved: 30, stored: { staged: 1060, hub: 0 } });
    await blobs().commit(id, [blob.sha256]);
    expect(await usage()).toMatchObject({ logical: 90, stored: { staged: 60, hub: 1000 } });
    await open().usage.setQuota(namespace, { storedBytesMax: 1100 });
    expect(await open().bodyReservations.take({ ...body, sizeBytes: 40 }, unlimited)).toEqual({ takenBytes: 40 });
    expect(await open().bodyReservations.take({ ...body, sizeBytes: 41 }, unlimited)).toBe('over-quota');
    const more = { ...body, id: freshName(), sizeBytes: 1 };
    expect(await open().bodyReservations.take(more, unlimited)).toBe('over-quota');
    await open().bodyReservations.release(body.id);
    expect(await open().bodyReservations.take(more, unlimited)).toEqual({ takenBytes: 1 });
    await open().bodyReservations.release(more.id);
    await open().repositories.delete(id);
    expect(await usage()).toMatchObject({ logical: 0, stored: { staged: 0, hub: 0, pendingDeletion: 1060 } });
  });
}
