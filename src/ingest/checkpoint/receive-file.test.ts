import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { commitCheckpoint } from './commit-checkpoint.ts';
import type { IngestContext } from '../ingest-context.ts';
import {
  openIngestHarness,
  piecesOf,
  safetensorsFile,
  unreadBody,
  uploadOf,
  type IngestHarness,
} from '../ingest.test-support.ts';
import { receiveFile } from './receive-file.ts';
import { reserveCheckpoint, type AnnouncedFile } from './reservation/reserve-checkpoint.ts';
import type { Upload } from '../stage/upload.ts';

const model = safetensorsFile(
  [
    ['w', 'F32', [300]],
    ['n', 'I64', []],
  ],
  1,
);
const otherModel = safetensorsFile(
  [
    ['w', 'F32', [300]],
    ['n', 'I64', []],
  ],
  2,
);
const config = Buffer.from('{"layers": 2}');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('receiving a file', () => {
  let harness: IngestHarness;
  let ctx: IngestContext;
  let run: Run;
  let checkpoint: Checkpoint;
  let step = 0;

  beforeAll(async () => {
    harness = await openIngestHarness();
    ctx = harness.context();
    run = await harness.newRun();
  });
  afterAll(() => harness.close());
  afterEach(async () => {
    // After every test a later body finds all the room again.
    expect(await harness.catalog.bodyReservations.has(checkpoint.id)).toBe(false);
  });

  const reserve = async (...files: AnnouncedFile[]): Promise<Checkpoint> =>
    (checkpoint = await reserveCheckpoint(ctx, run, { step: step++, files }));
  const receive = (path: string, upload: Upload, context = ctx) =>
    receiveFile(context, checkpoint.id, { path }, upload);
  const objects = async (): Promise<string[]> =>
    (await harness.everything()).filter((key) => key.includes(checkpoint.id) || !key.includes('/'));
  const stored = async (key: string): Promise<Buffer> => {
    const reader = await harness.store.open(key);
    const bytes = Buffer.from(await reader.read(0, reader.sizeBytes));
    await reader.close();
    return bytes;
  };

  it('keeps it, announced or not, with size and digests', async () => {
    await reserve({ path: 'model.safetensors', role: 'model', sizeBytes: model.length, sha256: sha256(model) });
    const received = await receive('model.safetensors', uploadOf(model));
    expect(received).toMatchObject({
      created: true,
      file: {
        path: 'model.safetensors',
        role: 'model',
        received: true,
        sizeBytes: model.length,
        sha256: sha256(model),
      },
    });
    expect((await stored(received.file.rawKey!)).equals(model)).toBe(true);
    const { file } = await receive('config.json', uploadOf(config, {}));
    expect(file).toMatchObject({
      role: 'other',
      received: true,
      sizeBytes: config.length,
      gitSha1: createHash('sha1').update(`blob ${config.length}\0`).update(config).digest('hex'),
    });
    expect(await objects()).toHaveLength(2);
    expect(await harness.catalog.files.stagedBytes(run.id)).toBeGreaterThanOrEqual(model.length + config.length);
  });

  it.each([
    ['a', 'a/b'],
    ['a/b', 'a'],
    ['x/y/z', 'x'],
  ])('refuses %s and %s in one checkpoint, in this order and at once', async (first, second) => {
    await reserve({ path: 'a0' }, { path: 'a-b/c' });
    await receive(first, uploadOf(config));
    const before = await objects();
    await expect(receive(second, { body: unreadBody, lengthBytes: 5 })).rejects.toMatchObject({
      code: 'invalid-request',
    });
    expect(await objects()).toEqual(before);

    await reserve();
    const outcomes = await Promise.allSettled([first, second].map((path) => receive(path, uploadOf(config))));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'invalid-request' } });
    expect(await objects()).toHaveLength(1);
    expect(await harness.catalog.files.list(checkpoint.id)).toHaveLength(1);
  });

  it('takes the same bytes again, and lets other bytes replace them while it is open', async () => {
    await reserve();
    const first = await receive('model.safetensors', uploadOf(model));
    expect(await receive('model.safetensors', uploadOf(model))).toEqual({ file: first.file, created: false });
    expect(await objects()).toEqual([first.file.rawKey]);
    const second = await receive('model.safetensors', uploadOf(otherModel));
    expect(second).toMatchObject({ created: true, file: { sha256: sha256(otherModel) } });
    expect(await objects()).toEqual([second.file.rawKey]);
  });

  it('after the commit takes only the same bytes, without storing them, and names the fork call', async () => {
    await reserve();
    const { file } = await receive('model.safetensors', uploadOf(model));
    await commitCheckpoint(ctx, run, checkpoint.id);
    expect(await receive('model.safetensors', uploadOf(model, {}))).toMatchObject({
      created: false,
      file: { id: file.id },
    });
    const refusal = {
      code: 'step-exists',
      message: expect.stringContaining(
        `POST /v1/repositories/acme/gpt/runs with "forkFrom": {"run": "${run.name}"`,
      ) as string,
    };
    await expect(receive('model.safetensors', uploadOf(otherModel))).rejects.toMatchObject(refusal);
    await expect(receive('config.json', uploadOf(config))).rejects.toMatchObject(refusal);
    // A different length is refused without reading.
    await expect(receive('model.safetensors', { body: unreadBody, lengthBytes: 5 })).rejects.toMatchObject(refusal);
    expect(await objects()).toEqual([file.rawKey]);
  });

  it('decides a race against the commit by the bytes', async () => {
    await reserve();
    await receive('model.safetensors', uploadOf(model));
    const late = (bytes: Buffer): Upload => ({
      body: (async function* () {
        yield* piecesOf(bytes);
        await commitCheckpoint(ctx, run, checkpoint.id);
      })(),
    });
    // The checkpoint is committed while the first body arrives. The store has both bodies until the record is refused.
    await expect(receive('config.json', late(config))).rejects.toMatchObject({ code: 'step-exists' });
    expect(await objects()).toHaveLength(1);
    expect(await receive('model.safetensors', late(model))).toMatchObject({ created: false });
  });

  const cut = (bytes: Buffer, at: number): Upload['body'] =>
    (async function* () {
      yield* piecesOf(bytes.subarray(0, at));
      throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    })();
  it.each<[string, string, () => Upload]>([
    ['shorter than announced', 'length-mismatch', () => uploadOf(model.subarray(0, -1), { lengthBytes: model.length })],
    [
      'longer than announced',
      'length-mismatch',
      () => uploadOf(Buffer.concat([model, Buffer.alloc(1)]), { lengthBytes: model.length }),
    ],
    ['of another digest', 'digest-mismatch', () => uploadOf(model, { sha256: sha256(otherModel) })],
    ['of no byte', 'empty-body', () => uploadOf(Buffer.alloc(0), {})],
    ['announced to have no byte', 'empty-body', () => ({ body: unreadBody, lengthBytes: 0 })],
    ['whose client vanishes', 'upload-aborted', () => ({ body: cut(model, 700), lengthBytes: model.length })],
    ['whose client vanishes before the first byte', 'upload-aborted', () => ({ body: cut(model, 0) })],
    [
      'that is a pickle',
      'not-safetensors',
      () =>
        uploadOf(Buffer.concat([Buffer.from([0x80, 2, 0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9]), Buffer.alloc(2000)])),
    ],
    ['whose header is cut', 'header-truncated', () => uploadOf(model.subarray(0, 50))],
    [
      'whose header is too large',
      'header-too-large',
      () =>
        uploadOf(
          Buffer.concat([Buffer.from(new BigUint64Array([30_000_000n]).buffer), Buffer.from('{'), Buffer.alloc(100)]),
        ),
    ],
    ['larger than a file may be', 'payload-too-large', () => ({ body: unreadBody, lengthBytes: 2 ** 40 })],
  ])('leaves nothing of a body %s: %s', async (_what, code, upload) => {
    await reserve({ path: 'model.safetensors', role: 'model' });
    await expect(receive('model.safetensors', upload())).rejects.toMatchObject({ code });
    expect(await objects()).toEqual([]);
    expect((await harness.catalog.files.list(checkpoint.id)).map(({ received }) => received)).toEqual([false]);
    // The same request with the right bytes is accepted.
    expect(await receive('model.safetensors', uploadOf(model))).toMatchObject({ created: true });
  });

  it('refuses unread what contradicts the reservation', async () => {
    await reserve({ path: 'model.safetensors', sizeBytes: model.length, sha256: sha256(model) });
    await expect(receive('model.safetensors', { body: unreadBody, lengthBytes: 5 })).rejects.toMatchObject({
      code: 'length-mismatch',
    });
    await expect(receive('model.safetensors', { body: unreadBody, sha256: sha256(otherModel) })).rejects.toMatchObject({
      code: 'digest-mismatch',
    });
    await expect(
      receiveFile(ctx, checkpoint.id, { path: 'model.safetensors', role: 'other' }, { body: unreadBody }),
    ).rejects.toMatchObject({
      code: 'invalid-request',
    });
    await expect(receive('../../model.safetensors', { body: unreadBody })).rejects.toMatchObject({
      code: 'invalid-request',
    });
    await expect(receive('model.safetensors', uploadOf(otherModel))).rejects.toMatchObject({ code: 'digest-mismatch' });
    await expect(receiveFile(ctx, 'f'.repeat(32), { path: 'a' }, { body: unreadBody })).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(await objects()).toEqual([]);
  });

  it('leaves nothing when the disk is full', async () => {
    await reserve();
    const full: ObjectStore = Object.assign(Object.create(harness.store) as ObjectStore, {
      async put(...[, body]: Parameters<ObjectStore['put']>): Promise<never> {
        for await (const piece of body) if (piece.length > 0) break;
        throw new FirnError('storage-full', 'The storage is full.');
      },
    });
    await expect(receive('model.safetensors', uploadOf(model), harness.context({}, full))).rejects.toMatchObject({
      code: 'storage-full',
    });
    expect(await objects()).toEqual([]);
    expect(await harness.catalog.files.list(checkpoint.id)).toEqual([]);
  });

  it('admits bodies only while staged bytes stay below the limits, before reading them', async () => {
    run = await harness.newRun();
    await reserve();
    await reserve();
    await receive('config.json', uploadOf(config));
    const staged = await harness.catalog.files.stagedBytes();
    const ofRun = await harness.catalog.files.stagedBytes(run.id);
    for (const limits of [{ stagedBytesMax: staged + 999 }, { stagedBytesPerRunMax: ofRun + 999 }]) {
      const tight = harness.context(limits);
      await expect(receive('a.bin', { body: unreadBody, lengthBytes: 1000 }, tight)).rejects.toMatchObject({
        code: 'overloaded',
      });
      // A body of unknown length is refused once it has grown too large.
      await expect(receive('a.bin', uploadOf(Buffer.alloc(2000), {}), tight)).rejects.toMatchObject({
        code: 'overloaded',
      });
      expect(await receive('a.bin', uploadOf(Buffer.alloc(400)), tight)).toMatchObject({ created: true });
      // Two bodies at a time share the room.
      let arrived = (): void => undefined;
      let first: Promise<unknown> = Promise.resolve();
      await new Promise<void>((reading) => {
        first = receive(
          'b.bin',
          {
            body: (async function* () {
              await new Promise<void>((resolve) => {
                arrived = resolve;
                reading();
              });
              yield Buffer.alloc(400);
            })(),
            lengthBytes: 400,
          },
          tight,
        );
      });
      await expect(receive('c.bin', { body: unreadBody, lengthBytes: 500 }, tight)).rejects.toMatchObject({
        code: 'overloaded',
      });
      arrived();
      await first;
      await harness.catalog.checkpoints.discard(checkpoint.id);
      await reserve();
      await receive('config.json', uploadOf(config));
    }
  });

  it('lets the checkpoint its run waits for in, when those after it have taken the room', async () => {
    run = await harness.newRun();
    const next = await reserve();
    const after = await reserve();
    const tight = harness.context({ stagedBytesPerRunMax: 1500 });
    const send = ({ id }: Checkpoint, path: string) => receiveFile(tight, id, { path }, uploadOf(Buffer.alloc(1000)));
    await send(after, 'a.bin');
    await expect(send(after, 'b.bin')).rejects.toMatchObject({ code: 'overloaded' });
    await send(next, 'a.bin');
    // The larger room is limited, too.
    await expect(send(next, 'b.bin')).rejects.toMatchObject({ code: 'overloaded' });
    await harness.catalog.checkpoints.discard(after.id);
    await send(next, 'b.bin');
  });

  it('takes no more files than a checkpoint may have', async () => {
    await reserve({ path: 'a.json' }, { path: 'b.json' });
    const two = harness.context({ filesPerCheckpointMax: 2 });
    await expect(receive('c.json', { body: unreadBody }, two)).rejects.toMatchObject({ code: 'payload-too-large' });
    expect(await receive('b.json', uploadOf(config), two)).toMatchObject({ created: true });
  });

  it('leaves an object to the collection of orphans when the record may exist after all', async () => {
    await reserve();
    const failing: IngestContext = {
      ...ctx,
      catalog: {
        ...ctx.catalog,
        transaction: () => Promise.reject(new FirnError('internal', 'The connection to the database was lost.')),
      },
    };
    await expect(receive('config.json', uploadOf(config), failing)).rejects.toMatchObject({ code: 'internal' });
    expect(await objects()).toHaveLength(1);
  });
});
