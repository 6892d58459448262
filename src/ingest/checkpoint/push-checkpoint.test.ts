import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { commitCheckpoint } from './commit-checkpoint.ts';
import { encodeJobKind, type IngestContext } from '../ingest-context.ts';
import {
  openIngestHarness,
  piecesOf,
  safetensorsFile,
  unreadBody,
  uploadOf,
  type IngestHarness,
  type TestTensor,
} from '../ingest.test-support.ts';
import { pushCheckpoint } from './push-checkpoint.ts';
import { receiveFile } from './receive-file.ts';
import { reserveCheckpoint, type AnnouncedFile } from './reservation/reserve-checkpoint.ts';
import { collectNow } from '../../upkeep/garbage/collect-now.test-support.ts';
import type { Upload } from '../stage/upload.ts';

const weights: readonly TestTensor[] = [
  ['w', 'F32', [30]],
  ['n', 'I64', []],
];
const model = safetensorsFile(weights, 1);
const otherModel = safetensorsFile(weights, 2);
const pickle = Buffer.from('\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9 pickle', 'latin1');
const forkCall = 'POST /v1/repositories/acme/gpt/runs with "forkFrom"';

describe('a checkpoint pushed in one request', () => {
  let harness: IngestHarness;
  let ctx: IngestContext;
  let run: Run;
  /** Objects stored before a test. */
  let before: string[];

  beforeAll(async () => {
    harness = await openIngestHarness();
    ctx = harness.context();
  });
  afterAll(() => harness.close());
  beforeEach(async () => {
    run = await harness.newRun();
    before = await harness.everything();
  });

  const reserve = (step: number, files: readonly AnnouncedFile[]) => reserveCheckpoint(ctx, run, { step, files });
  const pushUpload = (step: number, upload: Upload) => pushCheckpoint(ctx, run, { step, upload });
  const push = (step: number, bytes: Buffer, announced: Partial<Upload> = {}) =>
    pushUpload(step, { lengthBytes: bytes.length, ...uploadOf(bytes, announced) });
  const added = async (): Promise<string[]> => (await harness.everything()).filter((key) => !before.includes(key));
  const listed = async (): Promise<Checkpoint[]> => harness.catalog.checkpoints.list(run.id, { limit: 10 });
  const stored = async ({ id }: Checkpoint): Promise<Buffer> => {
    const reader = await harness.store.open((await harness.catalog.files.find(id, 'model.safetensors'))!.rawKey!);
    const bytes = Buffer.from(await reader.read(0, reader.sizeBytes));
    await reader.close();
    return bytes;
  };

  it('is queued, and existing when pushed again', async () => {
    const { checkpoint, created } = await push(5, model);
    expect(created).toBe(true);
    expect(checkpoint).toMatchObject({
      state: 'queued',
      step: 5,
      sequence: 0,
      revision: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
    });
    expect(await harness.catalog.jobs.find(encodeJobKind, checkpoint.id)).toMatchObject({
      state: 'queued',
      orderKey: run.id,
      orderSequence: 0,
    });
    expect(await harness.catalog.files.list(checkpoint.id)).toMatchObject([
      { path: 'model.safetensors', role: 'model', received: true },
    ]);
    expect(await push(5, model)).toEqual({ checkpoint, created: false });
    expect(await added()).toHaveLength(1);
  });

  it('has its place in the run once it has arrived, and is not there before', async () => {
    const first = pushUpload(1, {
      lengthBytes: model.length,
      body: (async function* () {
        yield model.subarray(0, 100);
        expect(await listed()).toEqual([]);
        await push(2, otherModel);
        yield model.subarray(100);
      })(),
    });
    expect((await first).checkpoint).toMatchObject({ step: 1, sequence: 1 });
    expect((await listed()).map(({ step }) => step)).toEqual([2, 1]);
  });

  it('with other bytes for the step names the fork call', async () => {
    await push(5, model);
    await expect(push(5, otherModel)).rejects.toMatchObject({
      code: 'step-exists',
      message: expect.stringContaining(forkCall) as string,
    });
    expect(await added()).toHaveLength(1);
    // A step of several files does not equal the push, though one of its files does.
    const several = await reserve(6, [{ path: 'model.safetensors' }, { path: 'config.json' }]);
    await receiveFile(ctx, several.id, { path: 'model.safetensors' }, uploadOf(model));
    await receiveFile(ctx, several.id, { path: 'config.json' }, uploadOf(Buffer.from('{}')));
    await commitCheckpoint(ctx, run, several.id);
    await expect(push(6, model)).rejects.toMatchObject({ code: 'step-exists' });
  });

  const refusals: readonly [string, string, Buffer, Partial<Upload>][] = [
    ['a pickle', 'not-safetensors', pickle, {}],
    ['a cut body', 'length-mismatch', model.subarray(0, -1), { lengthBytes: model.length }],
    ['another digest', 'digest-mismatch', model, { sha256: '0'.repeat(64) }],
    ['no byte', 'empty-body', Buffer.alloc(0), {}],
    ['a model of another run', 'layout-mismatch', safetensorsFile([['w', 'F32', [1]]]), {}],
  ];

  it.each(refusals)(
    'and refused for %s, leaves neither object nor reservation',
    async (_what, code, bytes, announced) => {
      const { checkpoint } = await push(1, model);
      before = await harness.everything();
      await expect(push(2, bytes, announced)).rejects.toMatchObject({ code });
      expect(await added()).toEqual([]);
      expect((await listed()).map(({ id }) => id)).toEqual([checkpoint.id]);
      expect(await push(2, otherModel)).toMatchObject({ created: true });
    },
  );

  it.each(refusals)(
    'and refused for %s, leaves the reservation that the client made itself, with what had arrived',
    async (_what, code, bytes, announced) => {
      await push(1, model);
      const reserved = await reserve(2, [{ path: 'model.safetensors' }]);
      await receiveFile(ctx, reserved.id, { path: 'model.safetensors' }, uploadOf(otherModel));
      before = await harness.everything();
      await expect(push(2, bytes, announced)).rejects.toMatchObject({ code });
      expect(await harness.everything()).toEqual(before);
      expect(await harness.catalog.jobs.find(encodeJobKind, reserved.id)).toMatchObject({ state: 'held' });
      expect(await commitCheckpoint(ctx, run, reserved.id)).toMatchObject({
        created: true,
        checkpoint: { id: reserved.id },
      });
      expect((await stored(reserved)).equals(otherModel)).toBe(true);
    },
  );

  describe('for a reservation of the one file', () => {
    it('commits it, and replaces what had arrived', async () => {
      const reserved = await reserve(1, [{ path: 'model.safetensors', role: 'model' }]);
      expect(await push(1, model)).toMatchObject({ created: true, checkpoint: { id: reserved.id, state: 'queued' } });
      const received = await reserve(2, [{ path: 'model.safetensors', role: 'model' }]);
      await receiveFile(ctx, received.id, { path: 'model.safetensors' }, uploadOf(otherModel));
      expect(await push(2, model)).toMatchObject({ created: true, checkpoint: { id: received.id } });
      expect((await stored(received)).equals(model)).toBe(true);
      expect(await added()).toHaveLength(2);
    });

    it('is held to its announcement', async () => {
      const reserved = await reserve(1, [
        { path: 'model.safetensors', sizeBytes: model.length, sha256: '0'.repeat(64) },
      ]);
      await expect(push(1, model)).rejects.toMatchObject({ code: 'digest-mismatch' });
      await expect(pushUpload(1, { body: unreadBody, lengthBytes: 7 })).rejects.toMatchObject({
        code: 'length-mismatch',
      });
      expect(await harness.catalog.checkpoints.get(reserved.id)).toMatchObject({ state: 'open' });
      expect(await added()).toEqual([]);
    });

    it('is kept alive by the body that arrives', async () => {
      const reserved = await reserve(1, [{ path: 'model.safetensors' }]);
      let arriving = false;
      const body = (async function* () {
        arriving = await harness.catalog.bodyReservations.has(reserved.id);
        yield model;
      })();
      await pushUpload(1, { body });
      expect(arriving).toBe(true);
    });
  });

  it('does not take over a reservation of other files', async () => {
    for (const [step, files] of [
      [{ path: 'model.safetensors' }, { path: 'config.json' }],
      [{ path: 'config.json' }],
      [],
    ].entries()) {
      const reserved = await reserve(step, files);
      await expect(pushUpload(step, { body: unreadBody, lengthBytes: model.length })).rejects.toMatchObject({
        code: 'step-exists',
      });
      expect(await harness.catalog.checkpoints.get(reserved.id)).toMatchObject({ state: 'open' });
    }
  });

  it('brings its own layer types', async () => {
    const layerTypes = { w: 'norm' } as const;
    const upload = (): Upload => uploadOf(model);
    const { checkpoint } = await pushCheckpoint(ctx, run, { step: 1, upload: upload(), layerTypes });
    expect(checkpoint.layerTypes).toEqual(layerTypes);
    expect(await pushCheckpoint(ctx, run, { step: 1, upload: upload(), layerTypes: { ...layerTypes } })).toMatchObject({
      created: false,
    });
    expect(await pushCheckpoint(ctx, run, { step: 1, upload: upload() })).toMatchObject({ created: false });
    await expect(
      pushCheckpoint(ctx, run, { step: 1, upload: upload(), layerTypes: { w: 'linear' } }),
    ).rejects.toMatchObject({ code: 'step-exists' });
    const reserved = await reserveCheckpoint(ctx, run, { step: 2, files: [{ path: 'model.safetensors' }], layerTypes });
    await expect(
      pushCheckpoint(ctx, run, { step: 2, upload: upload(), layerTypes: { w: 'linear' } }),
    ).rejects.toMatchObject({ code: 'step-exists' });
    expect((await pushCheckpoint(ctx, run, { step: 2, upload: upload() })).checkpoint).toMatchObject({
      id: reserved.id,
      layerTypes,
    });
  });

  it('is not collected, though its object has no checkpoint in its key', async () => {
    const { checkpoint } = await push(1, model);
    await collectNow(ctx);
    expect((await stored(checkpoint)).equals(model)).toBe(true);
  });

  it('is acknowledged when the transaction happened and only its answer was lost', async () => {
    const lossy: IngestContext = {
      ...ctx,
      catalog: {
        ...ctx.catalog,
        transaction: async (work) => {
          await ctx.catalog.transaction(work);
          throw new FirnError('overloaded', 'The catalog is busy or out of reach; try again.');
        },
      },
    };
    const { checkpoint, created } = await pushCheckpoint(lossy, run, { step: 1, upload: uploadOf(model) });
    expect([checkpoint.state, created]).toEqual(['queued', true]);
    expect((await stored(checkpoint)).equals(model)).toBe(true);
  });

  describe('twice at the same time', () => {
    const slow = (bytes: Buffer, announced: Partial<Upload> = {}) =>
      pushUpload(1, { body: piecesOf(bytes, 50), lengthBytes: bytes.length, ...announced });
    /** A body of which the second half comes once `until` is settled. */
    const waiting = (bytes: Buffer, until: () => Promise<unknown>, announced: Partial<Upload> = {}) =>
      pushUpload(1, {
        lengthBytes: bytes.length,
        ...announced,
        body: (async function* () {
          yield bytes.subarray(0, 90);
          await until().catch(() => undefined);
          yield bytes.subarray(90);
        })(),
      });

    it('with the same bytes, is one checkpoint', async () => {
      const same = await Promise.all([slow(model), slow(model), slow(model)]);
      expect(same.map(({ created }) => created).sort()).toEqual([false, false, true]);
      expect(new Set(same.map(({ checkpoint }) => checkpoint.id)).size).toBe(1);
      expect(await added()).toHaveLength(1);
    });

    /** Exactly one push succeeded, whole; the others got an error that says how to go on. */
    async function expectOneWinner(
      bodies: readonly Buffer[],
      outcomes: readonly PromiseSettledResult<Awaited<ReturnType<typeof push>>>[],
    ): Promise<void> {
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled')
          expect(outcome.value).toMatchObject({ created: true, checkpoint: { state: 'queued' } });
        else
          expect(outcome.reason).toMatchObject({
            code: 'step-exists',
            message: expect.stringContaining(forkCall) as string,
          });
      }
      const [checkpoint, ...others] = await listed();
      expect(others).toEqual([]);
      expect((await stored(checkpoint!)).equals(bodies[winner]!)).toBe(true);
      expect(await added()).toHaveLength(1);
    }

    it('with different bytes, has one winner', async () => {
      for (let round = 0; round < 5; round++) {
        run = await harness.newRun();
        before = await harness.everything();
        await expectOneWinner([model, otherModel], await Promise.allSettled([slow(model), slow(otherModel)]));
      }
    });

    it('with different bytes for a reservation, has one winner', async () => {
      const reserved = await reserve(1, [{ path: 'model.safetensors' }]);
      await expectOneWinner([model, otherModel], await Promise.allSettled([slow(model), slow(otherModel)]));
      expect((await listed())[0]!.id).toBe(reserved.id);
    });

    it('with different bytes, is won by the first to arrive whole, whichever began first', async () => {
      let quick: Promise<unknown> | undefined;
      const first = waiting(model, () => (quick = slow(otherModel)));
      await expect(first).rejects.toMatchObject({ code: 'step-exists' });
      expect(await quick).toMatchObject({ created: true });
      expect((await stored((await listed())[0]!)).equals(otherModel)).toBe(true);
      expect(await added()).toHaveLength(1);
    });

    it.each(refusals.filter(([, code]) => code !== 'layout-mismatch'))(
      'is not harmed by one that is refused for %s meanwhile',
      async (_what, code, bytes, announced) => {
        let bad: Promise<unknown> | undefined;
        const good = await waiting(model, () => (bad = push(1, bytes, announced)));
        await expect(bad).rejects.toMatchObject({ code });
        expect(good).toMatchObject({ created: true, checkpoint: { state: 'queued' } });
        expect((await stored(good.checkpoint)).equals(model)).toBe(true);
        expect(await added()).toHaveLength(1);
      },
    );

    it('is not harmed by one that is refused after it', async () => {
      let good: Promise<{ checkpoint: Checkpoint }> | undefined;
      const bad = waiting(model, () => (good = push(1, otherModel)), { sha256: '0'.repeat(64) });
      await expect(bad).rejects.toMatchObject({ code: 'digest-mismatch' });
      expect((await stored((await good!).checkpoint)).equals(otherModel)).toBe(true);
      expect(await added()).toHaveLength(1);
    });

    it('racing good and bad ones leave exactly the good one', async () => {
      for (let round = 0; round < 5; round++) {
        run = await harness.newRun();
        const outcomes = await Promise.allSettled([slow(model, { sha256: '0'.repeat(64) }), slow(model), slow(pickle)]);
        expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
        expect((await stored((await listed())[0]!)).equals(model)).toBe(true);
      }
    });
  });
});
