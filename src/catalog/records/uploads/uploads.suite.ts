import { expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import { expectCode, freshName, makeCheckpoint, makeEvalSet, makeRun } from '../../catalog-fixtures.test-support.ts';
import type { UploadPiece, UploadRecord } from '../../contract/uploads/upload-records.ts';

const ttlMs = 60_000;
const finishMs = 60_000;
const limits = { openMax: 2, ttlMs };
/** A term that has ended before it begins, in ms. */
const lapsedMs = -1_000;

/** Uploads in several requests: who may append, what is acknowledged, when they end. */
export function uploadsSuite(open: () => Catalog): void {
  async function makeUpload(
    set: { sizeBytes?: number; partBytes?: number; checkpointId?: string; ttlMs?: number } = {},
  ): Promise<UploadRecord> {
    const { ttlMs: givenMs = ttlMs, sizeBytes = 100, partBytes, checkpointId } = set;
    const run = await makeRun(open());
    const id = checkpointId ?? (await makeCheckpoint(open(), run)).id;
    const upload = {
      repositoryId: run.repositoryId,
      checkpointId: id,
      path: freshName(),
      sizeBytes,
      ...(partBytes !== undefined && { partBytes }),
    };
    return open().uploads.create(upload, { openMax: 2, ttlMs: givenMs });
  }
  const piece = (offsetBytes: number, sizeBytes: number): UploadPiece => ({
    offsetBytes,
    sizeBytes,
    storedBytes: sizeBytes + 36,
    key: `pieces/${freshName()}`,
  });

  test('bytes are added at the end, by the last who claimed that', async () => {
    const { uploads } = open();
    const upload = await makeUpload();
    await uploads.claim(upload, 'one', 0);
    expect(await uploads.append(upload, 'one', piece(0, 40), ttlMs)).toMatchObject({
      receivedBytes: 40,
      pieceCount: 1,
    });
    await expectCode(uploads.claim(upload, 'two', 0), 'conflict');
    await uploads.claim(upload, 'two', 40);
    await expectCode(uploads.append(upload, 'one', piece(40, 10), ttlMs), 'upload-busy');
    await uploads.append(upload, 'two', piece(40, 10), ttlMs);
    expect(await uploads.find(upload.repositoryId, upload.id)).toMatchObject({ receivedBytes: 50, isComplete: false });
    expect(await uploads.find(freshName(), upload.id)).toBeUndefined();
  });

  test('of two who claim at once one can add', async () => {
    const { uploads } = open();
    const upload = await makeUpload();
    const answers = await Promise.allSettled(
      ['one', 'two', 'three'].map(async (writer) => {
        await uploads.claim(upload, writer, 0);
        return uploads.append(upload, writer, piece(0, 10), ttlMs);
      }),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await uploads.find(upload.repositoryId, upload.id)).toMatchObject({ receivedBytes: 10, pieceCount: 1 });
  });

  test('the last piece is acknowledged with completion, and until then nobody adds', async () => {
    const { uploads } = open();
    const upload = await makeUpload();
    const [first, last, again] = [piece(0, 60), piece(60, 40), piece(60, 40)];
    await uploads.claim(upload, 'one', 0);
    await uploads.append(upload, 'one', first, ttlMs);
    await uploads.appendLast(upload, 'one', last, finishMs);
    expect((await uploads.find(upload.repositoryId, upload.id))!.receivedBytes).toBe(60);
    await expectCode(uploads.claim(upload, 'two', 60), 'upload-busy');
    await uploads.keepFinishing(upload, 'one', { finishMs: lapsedMs, ttlMs });
    expect(await uploads.claim(upload, 'two', 60)).toEqual([last.key]);
    expect(await open().objects.named([first.key, last.key])).toEqual([first.key]);
    await expectCode(uploads.keepFinishing(upload, 'one', { finishMs, ttlMs }), 'upload-busy');
    await uploads.appendLast(upload, 'two', again, finishMs);
    expect((await open().objects.named([first.key, last.key, again.key])).sort()).toEqual(
      [first.key, again.key].sort(),
    );
    expect((await uploads.complete(upload, ttlMs)).sort()).toEqual([first.key, again.key].sort());
    expect(await uploads.find(upload.repositoryId, upload.id)).toMatchObject({ receivedBytes: 100, isComplete: true });
    await expectCode(uploads.claim(upload, 'three', 100), 'conflict');
  });

  test('one that is being finished does not expire', async () => {
    const { uploads } = open();
    const upload = await makeUpload();
    const all = piece(0, 100);
    await uploads.claim(upload, 'one', 0);
    await uploads.appendLast(upload, 'one', all, finishMs);
    await uploads.keepFinishing(upload, 'one', { finishMs, ttlMs: lapsedMs });
    await uploads.endExpired(1000);
    expect(await uploads.find(upload.repositoryId, upload.id)).toMatchObject({ isComplete: false });
    expect(await uploads.complete(upload, ttlMs)).toEqual([all.key]);
  });

  test('who is no longer the writer cannot end it', async () => {
    const { uploads } = open();
    const upload = await makeUpload();
    await uploads.claim(upload, 'one', 0);
    await uploads.claim(upload, 'two', 0);
    await uploads.append(upload, 'two', piece(0, 10), ttlMs);
    expect(await uploads.end(upload.id, 'one')).toEqual([]);
    expect(await uploads.find(upload.repositoryId, upload.id)).toMatchObject({ receivedBytes: 10 });
    expect(await uploads.end(upload.id, 'two')).toHaveLength(1);
    expect(await uploads.find(upload.repositoryId, upload.id)).toBeUndefined();
  });

  test('parts come in any order, replace each other, and wait for finishing to end', async () => {
    const { uploads } = open();
    const upload = await makeUpload({ partBytes: 40 });
    const [first, second, third, other] = [piece(0, 40), piece(40, 40), piece(80, 20), piece(40, 40)];
    expect(await uploads.putPart(upload, third, ttlMs)).toBeUndefined();
    await uploads.putPart(upload, second, ttlMs);
    await expectCode(uploads.beginFinishing(upload, 'one', finishMs), 'upload-incomplete');
    expect(await uploads.putPart(upload, other, ttlMs)).toBe(second.key);
    await uploads.putPart(upload, first, ttlMs);
    expect(await uploads.pieces(upload.id, { limit: 2 })).toEqual([first, other]);
    expect(await uploads.pieces(upload.id, { limit: 2, after: '40' })).toEqual([third]);
    await uploads.beginFinishing(upload, 'one', finishMs);
    await expectCode(uploads.beginFinishing(upload, 'two', finishMs), 'upload-busy');
    await expectCode(uploads.putPart(upload, piece(0, 40), ttlMs), 'upload-busy');
    await uploads.stopFinishing(upload, 'one');
    await uploads.beginFinishing(upload, 'two', finishMs);
    await uploads.complete(upload, ttlMs);
    await expectCode(uploads.beginFinishing(upload, 'two', finishMs), 'conflict');
  });

  test('only so many are open, and each counts with its whole size until it ends', async () => {
    const { uploads, files } = open();
    const run = await makeRun(open());
    const { id: checkpointId } = await makeCheckpoint(open(), run);
    const upload = await makeUpload({ checkpointId });
    await makeUpload({ checkpointId, sizeBytes: 7 });
    expect(await files.stagedBytes(run.id)).toBe(107);
    await expectCode(makeUpload({ checkpointId }), 'overloaded');
    await uploads.complete(upload, ttlMs);
    expect(await files.stagedBytes(run.id)).toBe(7);
    const last = await makeUpload({ checkpointId });
    await uploads.claim(last, 'w', 0);
    await uploads.append(last, 'w', piece(0, 30), ttlMs);
    expect(await files.stagedBytes(run.id)).toBe(107);
    await open().checkpoints.transition(checkpointId, ['open'], 'queued');
    expect(await files.stagedBytes(run.id)).toBe(30);
    const ofAll = await files.stagedBytes();
    const evalSet = await makeEvalSet(open());
    await uploads.create(
      { repositoryId: evalSet.repositoryId, evalSetId: evalSet.id, part: 'graph', sizeBytes: 9 },
      limits,
    );
    expect(await files.stagedBytes(evalSet.id)).toBe(9);
    expect(await files.stagedBytes()).toBe(ofAll);
    await open().evalSets.setState(evalSet.id, 'ready');
    expect(await files.stagedBytes(evalSet.id)).toBe(0);
    await expectCode(
      uploads.create(
        { repositoryId: evalSet.repositoryId, evalSetId: evalSet.id, part: 'graph', sizeBytes: 9 },
        limits,
      ),
      'conflict',
    );
  });

  test('an upload ends after a long silence, with its checkpoint, and with its eval set', async () => {
    const { uploads, checkpoints, evalSets } = open();
    await uploads.endExpired(1000);
    const [expired, discarded, evalSet] = [
      await makeUpload(),
      await makeUpload({ partBytes: 40 }),
      await makeEvalSet(open()),
    ];
    const [one, two, three] = [piece(0, 10), piece(0, 40), piece(0, 5)];
    await uploads.claim(expired, 'w', 0);
    await uploads.append(expired, 'w', one, lapsedMs);
    expect(await uploads.find(expired.repositoryId, expired.id)).toBeUndefined();
    await expectCode(uploads.claim(expired, 'w', 10), 'not-found');
    expect(await uploads.endExpired(10)).toEqual({ count: 1, keys: [one.key] });
    await uploads.putPart(discarded, two, ttlMs);
    expect(await checkpoints.discard(discarded.checkpointId!)).toEqual([two.key]);
    expect(await uploads.find(discarded.repositoryId, discarded.id)).toBeUndefined();
    const ofSet = await uploads.create(
      { repositoryId: evalSet.repositoryId, evalSetId: evalSet.id, part: 'graph', sizeBytes: 9, partBytes: 5 },
      limits,
    );
    await uploads.putPart(ofSet, three, ttlMs);
    expect(await evalSets.delete(evalSet.id)).toEqual([three.key]);
  });

  test('every received byte is a sign of life of the checkpoint', async () => {
    const upload = await makeUpload();
    const before = await open().now();
    await open().uploads.claim(upload, 'w', 0);
    await open().uploads.append(upload, 'w', piece(0, 10), ttlMs);
    expect((await open().checkpoints.staleOpen(before, 1000)).map(({ id }) => id)).not.toContain(upload.checkpointId);
    await expectCode(open().checkpoints.discard(upload.checkpointId!, { untouchedSince: before }), 'conflict');
  });
}
