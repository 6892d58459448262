import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyOf } from '../../store/body-of.ts';
import { openIngestHarness, type IngestHarness } from '../ingest.test-support.ts';
import { reserveCheckpoint } from '../checkpoint/reservation/reserve-checkpoint.ts';
import { collectNow } from '../../upkeep/garbage/collect-now.test-support.ts';
import { createFileUpload } from './create-upload.ts';
import { expireUploads } from './expire-uploads.ts';
import { receiveBytes } from './receive-bytes.ts';

let harness: IngestHarness;
beforeAll(async () => {
  harness = await openIngestHarness();
});
afterAll(() => harness.close());

async function begin(uploadTtlMs: number) {
  const ctx = harness.context({ uploadTtlMs });
  const checkpoint = await reserveCheckpoint(ctx, await harness.newRun(), { step: 1, files: [] });
  const upload = await createFileUpload(ctx, harness.repository.id, { checkpoint, path: 'a.bin' }, { sizeBytes: 10 });
  return { ctx, checkpoint, upload };
}

it('an upload to which nothing comes is given up with its bytes, and others stay', async () => {
  const kept = await begin(60_000);
  await receiveBytes(kept.ctx, kept.upload, { offsetBytes: 0, body: bodyOf(Buffer.from('12345')) });
  const before = await harness.everything();
  const left = await begin(60_000);
  const short = harness.context({ uploadTtlMs: -1 });
  await receiveBytes(short, left.upload, { offsetBytes: 0, body: bodyOf(Buffer.from('123')) });
  expect(await harness.everything()).toHaveLength(before.length + 1);
  expect(await expireUploads(kept.ctx)).toBe(1);
  expect(await harness.everything()).toEqual(before);
  expect(await collectNow(kept.ctx)).toBe(1);

  // Between its put and its row, only the upload protects a piece.
  await harness.store.put(`pieces/${kept.upload.id}/1`, bodyOf(Buffer.from('x')), { sizeMaxBytes: 1 });
  await harness.store.put('pieces/nobody/1', bodyOf(Buffer.from('x')), { sizeMaxBytes: 1 });
  expect(await collectNow(kept.ctx)).toBe(1);
  expect(await harness.everything()).toEqual([...before, `pieces/${kept.upload.id}/1`].sort());
});

it('a piece that is not there any more or too many bytes leave the upload where it was', async () => {
  const { ctx, upload } = await begin(60_000);
  const first = await receiveBytes(ctx, upload, { offsetBytes: 0, body: bodyOf(Buffer.from('12345')) });
  await expect(
    receiveBytes(ctx, first, { offsetBytes: 5, body: bodyOf(Buffer.from('6789012')) }),
  ).rejects.toMatchObject({ code: 'length-mismatch' });
  expect((await ctx.catalog.uploads.find(harness.repository.id, upload.id))!.receivedBytes).toBe(5);
  const [piece] = await ctx.catalog.uploads.pieces(upload.id, { limit: 1 });
  await ctx.store.delete(piece!.key);
  await expect(receiveBytes(ctx, first, { offsetBytes: 5, body: bodyOf(Buffer.from('67890')) })).rejects.toMatchObject({
    code: 'not-found',
  });
  expect((await ctx.catalog.uploads.find(harness.repository.id, upload.id))!.receivedBytes).toBe(5);
});
