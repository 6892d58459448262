import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import { commitCheckpoint } from './commit-checkpoint.ts';
import { encodeJobKind, type IngestContext } from '../ingest-context.ts';
import {
  openIngestHarness,
  safetensorsFile,
  uploadOf,
  type IngestHarness,
  type TestTensor,
} from '../ingest.test-support.ts';
import { receiveFile } from './receive-file.ts';
import { reserveCheckpoint, type AnnouncedFile, type Reservation } from './reservation/reserve-checkpoint.ts';

const weights: readonly TestTensor[] = [
  ['w', 'F32', [30]],
  ['n', 'I64', []],
  ['empty', 'BF16', [0, 4]],
];
const model = safetensorsFile(weights, 1);
const otherModel = safetensorsFile(weights, 2);

describe('a checkpoint on its way in', () => {
  let harness: IngestHarness;
  let ctx: IngestContext;

  beforeAll(async () => {
    harness = await openIngestHarness();
    ctx = harness.context();
  });
  afterAll(() => harness.close());

  const reserve = (run: Run, step: number, files: readonly AnnouncedFile[] = [], more: Partial<Reservation> = {}) =>
    reserveCheckpoint(ctx, run, { step, files, ...more });
  const send = (checkpoint: Checkpoint, path: string, bytes: Buffer, role?: FileRole) =>
    receiveFile(ctx, checkpoint.id, { path, ...(role !== undefined && { role }) }, uploadOf(bytes));
  /** Reserves, sends and commits the given files. */
  const commit = async (run: Run, step: number, files: Readonly<Record<string, Buffer>>) => {
    const checkpoint = await reserve(run, step);
    for (const [path, bytes] of Object.entries(files))
      await send(checkpoint, path, bytes, path.includes('.grad.') ? 'sensitivity' : undefined);
    return commitCheckpoint(ctx, run, checkpoint.id);
  };
  const jobOf = (checkpoint: Checkpoint) => harness.catalog.jobs.find(encodeJobKind, checkpoint.id);

  describe('reserved', () => {
    it('has its place in the order and a held job', async () => {
      const run = await harness.newRun();
      const later = await reserve(run, 200, [{ path: 'model.safetensors', sizeBytes: 5 }]);
      const earlier = await reserve(run, 100);
      expect([later.sequence, earlier.sequence]).toEqual([0, 1]);
      expect(await jobOf(later)).toMatchObject({ state: 'held', orderKey: run.id, orderSequence: 0 });
      expect(await harness.catalog.files.list(later.id)).toMatchObject([
        { path: 'model.safetensors', role: 'model', sizeBytes: 5, received: false },
      ]);
    });

    it('is the same when repeated, and not when it differs', async () => {
      const run = await harness.newRun();
      const files: AnnouncedFile[] = [{ path: 'model.safetensors', sha256: 'A'.repeat(64) }, { path: 'config.json' }];
      const first = await reserve(run, 1, files);
      expect(await reserve(run, 1, [...files].reverse())).toEqual(first);
      for (const others of [
        [],
        files.slice(1),
        [...files, { path: 'x' }],
        [files[0]!, { path: 'config.yaml' }],
        [{ path: 'model.safetensors', sha256: 'b'.repeat(64) }, files[1]!],
      ]) {
        await expect(reserve(run, 1, others)).rejects.toMatchObject({
          code: 'step-exists',
          message: expect.stringContaining('delete it first') as string,
        });
      }
      const fixedConfig = {
        method: 'inshrinkerator',
        bins: 8,
        embeddingBins: 16,
        pruneFraction: 0,
        pruneMetric: 'magnitude',
        protectFraction: 0,
      } as const;
      await expect(reserve(run, 1, files, { fixedConfig })).rejects.toMatchObject({ code: 'step-exists' });
      await reserve(run, 2, [], { fixedConfig });
      expect((await reserve(run, 2, [], { fixedConfig: { ...fixedConfig } })).fixedConfig).toEqual(fixedConfig);
      const layerTypes = { w: 'norm', v: 'linear' } as const;
      await expect(reserve(run, 1, files, { layerTypes })).rejects.toMatchObject({ code: 'step-exists' });
      await reserve(run, 3, [], { layerTypes });
      expect((await reserve(run, 3, [], { layerTypes: { v: 'linear', w: 'norm' } })).layerTypes).toEqual(layerTypes);
      for (const other of [{}, { w: 'norm' }, { w: 'norm', v: 'norm' }, { w: 'norm', u: 'linear' }] as const)
        await expect(reserve(run, 3, [], { layerTypes: other })).rejects.toMatchObject({ code: 'step-exists' });
    });

    it('after it was cancelled, is a conflict that says what to do, not one with other bytes', async () => {
      const run = await harness.newRun();
      const checkpoint = await reserve(run, 1);
      await harness.catalog.checkpoints.transition(checkpoint.id, ['open'], 'cancelled');
      await expect(reserve(run, 1)).rejects.toMatchObject({
        code: 'conflict',
        message: 'The checkpoint is cancelled and takes no files; delete it to upload the step again.',
      });
    });

    it.each<[string, string, Partial<Reservation>]>([
      ['a negative step', 'invalid-request', { step: -1 }],
      ['a fractional step', 'invalid-request', { step: 1.5 }],
      ['a path twice', 'invalid-request', { files: [{ path: 'a' }, { path: 'a' }] }],
      [
        'a path that is a folder of another',
        'invalid-request',
        { files: [{ path: 'a/b/c' }, { path: 'a.b' }, { path: 'a' }] },
      ],
      ['a path that leaves', 'invalid-request', { files: [{ path: '../../a' }] }],
      ['a path with a name no disk takes', 'invalid-request', { files: [{ path: `a/${'x'.repeat(256)}` }] }],
      ['an empty model', 'invalid-request', { files: [{ path: 'a.safetensors', sizeBytes: 0 }] }],
      ['a wrong digest', 'invalid-request', { files: [{ path: 'a', sha256: 'x' }] }],
      ['a pickle as model', 'invalid-request', { files: [{ path: 'model.pt', role: 'model' }] }],
      [
        'too many levels',
        'invalid-request',
        {
          fixedConfig: {
            method: 'inshrinkerator',
            bins: 255,
            embeddingBins: 16,
            pruneFraction: 0.5,
            pruneMetric: 'magnitude',
            protectFraction: 0.1,
          },
        },
      ],
      ['too many files', 'payload-too-large', { files: Array.from({ length: 5000 }, (_, i) => ({ path: `f${i}` })) }],
      ['a file too large', 'payload-too-large', { files: [{ path: 'a', sizeBytes: 2 ** 40 }] }],
      [
        'files too large together',
        'payload-too-large',
        { files: ['a', 'b', 'c'].map((path) => ({ path, sizeBytes: 60 * 2 ** 30 })) },
      ],
    ])('with %s is %s', async (_what, code, reservation) => {
      const run = await harness.newRun();
      await expect(reserve(run, 0, [], reservation)).rejects.toMatchObject({ code });
      expect(await harness.catalog.checkpoints.list(run.id, { limit: 10 })).toEqual([]);
    });
  });

  describe('committed', () => {
    it('is queued with a revision and its job released, and the answer stays', async () => {
      const run = await harness.newRun();
      const { checkpoint, created } = await commit(run, 7, {
        'model.safetensors': model,
        'config.json': Buffer.from('{}'),
      });
      expect(created).toBe(true);
      expect(checkpoint).toMatchObject({
        state: 'queued',
        step: 7,
        revision: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      });
      expect(await jobOf(checkpoint)).toMatchObject({ state: 'queued' });
      expect(await commitCheckpoint(ctx, run, checkpoint.id)).toEqual({ checkpoint, created: false });
      await harness.catalog.checkpoints.transition(checkpoint.id, ['queued'], 'working');
      expect(await commitCheckpoint(ctx, run, checkpoint.id)).toMatchObject({
        checkpoint: { revision: checkpoint.revision },
        created: false,
      });
      await expect(reserve(run, 7)).rejects.toMatchObject({
        code: 'step-exists',
        message: expect.stringContaining('forkFrom') as string,
      });
    });

    it('several times at once, is committed once', async () => {
      const run = await harness.newRun();
      const checkpoint = await reserve(run, 1);
      await send(checkpoint, 'model.safetensors', model);
      const answers = await Promise.all([1, 2, 3].map(() => commitCheckpoint(ctx, run, checkpoint.id)));
      expect(answers.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(answers.map(({ checkpoint: { revision } }) => revision)).size).toBe(1);
    });

    it('out of order, keeps the order of reservation', async () => {
      const run = await harness.newRun();
      const [first, second] = [await reserve(run, 10), await reserve(run, 20)];
      await send(second, 'model.safetensors', otherModel);
      await commitCheckpoint(ctx, run, second.id);
      const claim = () =>
        harness.catalog.jobs.claim({ kinds: [encodeJobKind], workerId: 'w', leaseMs: 60_000, limit: 100 });
      expect((await claim()).map(({ subjectId }) => subjectId)).not.toContain(second.id);
      await send(first, 'model.safetensors', model);
      await commitCheckpoint(ctx, run, first.id);
      const claimed = (await claim()).map(({ subjectId }) => subjectId);
      expect(claimed).toContain(first.id);
      expect(claimed).not.toContain(second.id);
    });

    it('lacking files is upload-incomplete and stays open', async () => {
      const run = await harness.newRun();
      const checkpoint = await reserve(run, 1, [{ path: 'model.safetensors' }, { path: 'config.json' }]);
      await send(checkpoint, 'model.safetensors', model);
      await expect(commitCheckpoint(ctx, run, checkpoint.id)).rejects.toMatchObject({
        code: 'upload-incomplete',
        message: expect.stringContaining('"config.json"') as string,
      });
      await expect(commitCheckpoint(ctx, run, (await reserve(run, 2)).id)).rejects.toMatchObject({
        code: 'upload-incomplete',
      });
      await send(checkpoint, 'config.json', Buffer.from('{}'));
      expect(await commitCheckpoint(ctx, run, checkpoint.id)).toMatchObject({ created: true });
    });

    it('whose object is gone is not acknowledged', async () => {
      const run = await harness.newRun();
      const checkpoint = await reserve(run, 1);
      const { file } = await send(checkpoint, 'config.json', Buffer.from('{}'));
      await harness.store.delete(file.rawKey!);
      await expect(commitCheckpoint(ctx, run, checkpoint.id)).rejects.toMatchObject({
        code: 'upload-incomplete',
        message: expect.stringContaining('sent again') as string,
      });
    });

    it('cancelled before, is a conflict', async () => {
      const run = await harness.newRun();
      const checkpoint = await reserve(run, 1);
      await send(checkpoint, 'model.safetensors', model);
      await harness.catalog.checkpoints.transition(checkpoint.id, ['open'], 'cancelled');
      await expect(commitCheckpoint(ctx, run, checkpoint.id)).rejects.toMatchObject({ code: 'conflict' });
      await expect(send(checkpoint, 'model.safetensors', model)).rejects.toMatchObject({ code: 'conflict' });
    });

    it('has each tensor in one shard', async () => {
      const run = await harness.newRun();
      const shards = {
        'model-1.safetensors': safetensorsFile([['a', 'F32', [2]]]),
        'model-2.safetensors': safetensorsFile([
          ['b', 'F32', [2]],
          ['a', 'F32', [2]],
        ]),
      };
      await expect(commit(run, 1, shards)).rejects.toMatchObject({ code: 'tensor-duplicate' });
      await commit(run, 2, { ...shards, 'model-2.safetensors': safetensorsFile([['b', 'F32', [2]]]) });
      // The same tensors in one file make the same layout.
      await commit(run, 3, {
        'model.safetensors': safetensorsFile([
          ['b', 'F32', [2]],
          ['a', 'F32', [2]],
        ]),
      });
    });

    it('says which shard of its index is missing, and where to send it, when what is there does not fit', async () => {
      const spec: EvalSetSpec = { inputs: {}, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] };
      const { id: evalSetId } = await harness.catalog.evalSets.create({
        repositoryId: harness.repository.id,
        name: 'sharded',
        spec,
      });
      const run = await harness.newRun({ fidelity: 'lossy', evalSetId });
      const unfit = new FirnError('graph-missing-weights', 'The graph needs "b".');
      const judging: IngestContext = {
        ...ctx,
        fitsEvalSet: async ({ layout }) => {
          if (layout.length < 2) throw unfit;
        },
      };
      const [a, b] = [safetensorsFile([['a', 'F32', [2]]]), safetensorsFile([['b', 'F32', [2]]])];
      const index = Buffer.from(JSON.stringify({ weight_map: { a: 'model-1.safetensors', b: 'model-2.safetensors' } }));
      const missing = (step: number) =>
        'The shard index "model.safetensors.index.json" names "model-2.safetensors", which has not arrived: ' +
        `PUT /v1/repositories/acme/gpt/runs/${run.name}/checkpoints/${step}/files/model-2.safetensors, ` +
        'then commit again.';
      const first = await reserve(run, 1);
      await send(first, 'model-1.safetensors', a);
      // Without an index there are no shards to name.
      await expect(commitCheckpoint(judging, run, first.id)).rejects.toBe(unfit);
      await send(first, 'model.safetensors.index.json', index);
      await expect(commitCheckpoint(judging, run, first.id)).rejects.toMatchObject({
        code: unfit.code,
        message: `${missing(1)} ${unfit.message}`,
      });
      await send(first, 'model-2.safetensors', b);
      await commitCheckpoint(judging, run, first.id);
      // Later checkpoints are compared with the layout of the run.
      const second = await reserve(run, 2);
      for (const [path, bytes] of Object.entries({ 'model-1.safetensors': a, 'model.safetensors.index.json': index }))
        await send(second, path, bytes);
      const refusal = { code: 'layout-mismatch', message: expect.stringContaining(missing(2)) as string };
      await expect(commitCheckpoint(judging, run, second.id)).rejects.toMatchObject(refusal);
      expect((await harness.catalog.checkpoints.get(second.id))!.state).toBe('open');
    });

    it('has sensitivities that fit its tensors', async () => {
      const run = await harness.newRun();
      await commit(run, 1, {
        'model.safetensors': model,
        'model.grad.safetensors': safetensorsFile([['w', 'BF16', [30]]]),
      });
      await expect(
        commit(run, 2, {
          'model.safetensors': model,
          'model.grad.safetensors': safetensorsFile([['w', 'BF16', [15]]]),
        }),
      ).rejects.toMatchObject({
        code: 'layout-mismatch',
      });
      await expect(
        commit(run, 3, { 'model.grad.safetensors': safetensorsFile([['w', 'BF16', [30]]]) }),
      ).rejects.toMatchObject({ code: 'layout-mismatch' });
    });

    it('has the tensors of its run, or names the first that differs', async () => {
      const run = await harness.newRun();
      await commit(run, 1, { 'model.safetensors': model });
      await commit(run, 2, { 'model.safetensors': otherModel });
      const other = await reserve(run, 3);
      await send(
        other,
        'model.safetensors',
        safetensorsFile([
          ['w', 'F32', [31]],
          ['n', 'I64', []],
          ['empty', 'BF16', [0, 4]],
        ]),
      );
      await expect(commitCheckpoint(ctx, run, other.id)).rejects.toMatchObject({
        code: 'layout-mismatch',
        message: 'Tensor "w" is F32 [31]; in the run it is F32 [30].',
      });
      expect(await harness.catalog.checkpoints.get(other.id)).toMatchObject({ state: 'open' });
      await send(other, 'model.safetensors', model);
      await commitCheckpoint(ctx, run, other.id);
    });

    it('of a fork has the tensors of the parent', async () => {
      const parent = await harness.newRun();
      const { checkpoint } = await commit(parent, 1, { 'model.safetensors': model });
      const fork = await harness.newRun({ parentCheckpointId: checkpoint.id });
      await expect(
        commit(fork, 1, { 'model.safetensors': safetensorsFile([['w', 'F32', [30]]]) }),
      ).rejects.toMatchObject({ code: 'layout-mismatch' });
      await commit(fork, 2, { 'model.safetensors': otherModel });
    });

    it('sets the layout anew where nothing was ever built with the old one', async () => {
      const run = await harness.newRun();
      const { checkpoint } = await commit(run, 1, { 'model.safetensors': safetensorsFile([['wrong', 'F32', [1]]]) });
      await expect(commit(run, 2, { 'model.safetensors': model })).rejects.toMatchObject({ code: 'layout-mismatch' });
      await harness.catalog.checkpoints.transition(checkpoint.id, ['queued'], 'failed');
      await commit(run, 3, { 'model.safetensors': model });
      await commit(run, 4, { 'model.safetensors': otherModel });
      await expect(
        commit(run, 5, { 'model.safetensors': safetensorsFile([['wrong', 'F32', [1]]]) }),
      ).rejects.toMatchObject({ code: 'layout-mismatch' });
    });

    it('may hold no model at all', async () => {
      const run = await harness.newRun();
      await commit(run, 1, { 'tokenizer.json': Buffer.from('{}'), 'training.bin': Buffer.from([0x80, 2]) });
      await commit(run, 2, { 'tokenizer.json': Buffer.from('[]') });
    });
  });
});
