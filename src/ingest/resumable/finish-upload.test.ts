import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyOf } from '../../store/body-of.ts';
import { openIngestHarness, safetensorsFile, type IngestHarness } from '../ingest.test-support.ts';
import { reserveCheckpoint } from '../checkpoint/reservation/reserve-checkpoint.ts';
import { createFileUpload } from './create-upload.ts';
import { finishUpload } from './finish-upload.ts';
import { receiveBytes } from './receive-bytes.ts';

let harness: IngestHarness;
beforeAll(async () => {
  harness = await openIngestHarness();
});
afterAll(() => harness.close());

/** A term that has ended before it begins, in ms. */
const lapsedMs = -1;

async function begin(path: string, sizeBytes: number) {
  const ctx = harness.context();
  const checkpoint = await reserveCheckpoint(ctx, await harness.newRun(), { step: 1, files: [] });
  return {
    ctx,
    checkpoint,
    upload: await createFileUpload(ctx, harness.repository.id, { checkpoint, path }, { sizeBytes }),
  };
}

it('a process that was stuck while it finished takes nothing from the one that goes on', async () => {
  const { ctx, checkpoint, upload } = await begin('a.bin', 10);
  const { uploads } = ctx.catalog;
  const half = await receiveBytes(ctx, upload, { offsetBytes: 0, body: bodyOf(Buffer.from('12345')) });
  await uploads.claim(half, 'stuck', 5);
  const last = await ctx.store.put('pieces/stuck', bodyOf(Buffer.from('67890')), { sizeMaxBytes: 5 });
  await uploads.appendLast(
    half,
    'stuck',
    { offsetBytes: 5, sizeBytes: 5, storedBytes: last.storedBytes, key: last.key },
    lapsedMs,
  );

  expect(await uploads.claim(half, 'next', 5)).toEqual([last.key]);
  await expect(finishUpload(ctx, half, 'stuck')).rejects.toMatchObject({ code: 'upload-busy' });
  expect(await uploads.find(harness.repository.id, upload.id)).toMatchObject({ receivedBytes: 5, isComplete: false });
  expect(await receiveBytes(ctx, half, { offsetBytes: 5, body: bodyOf(Buffer.from('67890')) })).toMatchObject({
    isComplete: true,
  });
  expect(await ctx.catalog.files.find(checkpoint.id, 'a.bin')).toMatchObject({ received: true, sizeBytes: 10 });
});

it('a process that ended before it acknowledged the file is followed by one that does', async () => {
  const { ctx, checkpoint, upload } = await begin('b.bin', 10);
  const half = await receiveBytes(ctx, upload, { offsetBytes: 0, body: bodyOf(Buffer.from('12345')) });
  const forgetful = {
    ...ctx,
    catalog: {
      ...ctx.catalog,
      uploads: { ...ctx.catalog.uploads, complete: () => Promise.reject(new Error('the process ended')) },
    },
  };
  await expect(receiveBytes(forgetful, half, { offsetBytes: 5, body: bodyOf(Buffer.from('67890')) })).rejects.toThrow(
    'the process ended',
  );
  expect(await ctx.catalog.uploads.find(harness.repository.id, upload.id)).toMatchObject({
    receivedBytes: 5,
    isComplete: false,
  });
  const before = await ctx.catalog.files.find(checkpoint.id, 'b.bin');
  expect(await receiveBytes(ctx, half, { offsetBytes: 5, body: bodyOf(Buffer.from('67890')) })).toMatchObject({
    isComplete: true,
  });
  expect(await ctx.catalog.files.find(checkpoint.id, 'b.bin')).toEqual(before);
  expect((await harness.everything()).filter((key) => key.includes(upload.id))).toEqual([]);
  expect(await ctx.catalog.files.stagedBytes((await ctx.catalog.checkpoints.get(checkpoint.id))!.runId)).toBe(
    before!.rawStoredBytes,
  );
});

it('a header that no safetensors file begins with ends the upload with its first bytes', async () => {
  const sizeBytes = 64 * 2 ** 20;
  const wrong = await begin('model.safetensors', sizeBytes);
  await expect(
    receiveBytes(wrong.ctx, wrong.upload, { offsetBytes: 0, body: bodyOf(Buffer.alloc(100, 65)) }),
  ).rejects.toMatchObject({
    code: expect.stringMatching(/^(header-|not-safetensors)/) as string,
  });
  expect(await wrong.ctx.catalog.uploads.find(harness.repository.id, wrong.upload.id)).toBeUndefined();

  const summed = await begin('model.safetensors', sizeBytes);
  const checksum = {
    algorithm: 'sha256',
    digest: createHash('sha256').update(Buffer.alloc(100, 65)).digest('hex'),
  } as const;
  expect(
    await receiveBytes(summed.ctx, summed.upload, { offsetBytes: 0, body: bodyOf(Buffer.alloc(100, 65)), checksum }),
  ).toMatchObject({
    receivedBytes: 100,
  });

  const file = safetensorsFile([['w', 'F32', [256]]]);
  const right = await begin('model.safetensors', file.length);
  const begun = await receiveBytes(right.ctx, right.upload, { offsetBytes: 0, body: bodyOf(file.subarray(0, 5)) });
  expect(await receiveBytes(right.ctx, begun, { offsetBytes: 5, body: bodyOf(file.subarray(5)) })).toMatchObject({
    isComplete: true,
  });
});
