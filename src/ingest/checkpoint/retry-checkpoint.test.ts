import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import { changeRun } from '../run/change-run.ts';
import { commitCheckpoint } from './commit-checkpoint.ts';
import { createRun } from '../run/create-run.ts';
import { encodeJobKind, type IngestContext } from '../ingest-context.ts';
import {
  openIngestHarness,
  safetensorsFile,
  uploadOf,
  type IngestHarness,
  type TestTensor,
} from '../ingest.test-support.ts';
import { pushCheckpoint } from './push-checkpoint.ts';
import { receiveFile } from './receive-file.ts';
import type { FitsEvalSet } from '../ingest-context.ts';
import { reserveCheckpoint } from './reservation/reserve-checkpoint.ts';
import { createFileUpload } from '../resumable/create-upload.ts';
import { retryCheckpoint } from './retry-checkpoint.ts';

const weights: readonly TestTensor[] = [['w', 'F32', [30]]];
const model = safetensorsFile(weights, 1);
const otherModel = safetensorsFile(weights, 2);
const otherLayout = safetensorsFile([['v', 'F32', [30]]], 1);

let harness: IngestHarness;
let ctx: IngestContext;
/** Calls of the fake check, and its answer. */
let asked: Parameters<FitsEvalSet>[0][] = [];
let answer: Error | undefined;
let sets = 0;

beforeAll(async () => {
  harness = await openIngestHarness();
  ctx = {
    ...harness.context(),
    fitsEvalSet: async (input) => {
      asked.push(input);
      if (answer !== undefined) throw answer;
    },
  };
});
afterAll(() => harness.close());

async function newEvalSet(names: readonly string[] = ['loss']): Promise<EvalSet> {
  const spec: EvalSetSpec = { inputs: {}, metrics: names.map((name) => ({ name, kind: 'loss', output: name })) };
  const { id } = await harness.catalog.evalSets.create({
    repositoryId: harness.repository.id,
    name: `set-${sets++}`,
    spec,
  });
  await harness.catalog.evalSets.setState(id, 'ready');
  return (await harness.catalog.evalSets.get(id))!;
}
async function lossyRun(): Promise<{ run: Run; set: EvalSet }> {
  const set = await newEvalSet();
  return { set, run: await harness.newRun({ fidelity: 'lossy', evalSetId: set.id, thresholds: { loss: 0.01 } }) };
}
const push = async (run: Run, step: number, bytes = model): Promise<Checkpoint> =>
  (await pushCheckpoint(ctx, run, { step, upload: uploadOf(bytes) })).checkpoint;
/** Fails a checkpoint as the worker does. */
async function fail(checkpoint: Checkpoint, errorCode: FirnErrorCode = 'graph-missing-weights'): Promise<Checkpoint> {
  const { catalog } = harness;
  const [job] = await catalog.jobs.claim({ kinds: [encodeJobKind], workerId: 'w', leaseMs: 60_000, limit: 1 });
  expect(job!.subjectId).toBe(checkpoint.id);
  await catalog.transaction(async (tx) => {
    await tx.jobs.fail({ jobId: job!.id, workerId: 'w', fence: job!.fence }, 'no', 'never');
    await tx.checkpoints.transition(checkpoint.id, ['queued'], 'failed', { errorCode, errorMessage: 'It lacks "w".' });
  });
  return (await catalog.checkpoints.get(checkpoint.id))!;
}
/** Ends the job, so that the next claim gets one of another test. */
const give = async (checkpoint: Checkpoint): Promise<void> => {
  await harness.catalog.jobs.requestCancel(encodeJobKind, checkpoint.id);
};
const jobOf = ({ id }: Checkpoint) => harness.catalog.jobs.find(encodeJobKind, id);

describe('a checkpoint', () => {
  it('is measured with what its run has at the commit, not at the reservation', async () => {
    const { run, set } = await lossyRun();
    const first = await push(run, 1);
    const reserved = await reserveCheckpoint(ctx, run, { step: 2, files: [] });
    await receiveFile(ctx, reserved.id, { path: 'model.safetensors' }, uploadOf(model));
    const other = await newEvalSet(['loss', 'right']);
    const changed = await changeRun(ctx, run, { evalSet: other.name, thresholds: { right: 0.2 } });
    expect(changed).toMatchObject({ evalSetId: other.id, thresholds: { right: 0.2 } });
    const { checkpoint: second } = await commitCheckpoint(ctx, run, reserved.id);
    expect((await harness.catalog.checkpoints.get(first.id))!).toMatchObject({
      evalSetId: set.id,
      thresholds: { loss: 0.01 },
    });
    expect(second).toMatchObject({ evalSetId: other.id, thresholds: { right: 0.2 } });
    for (const each of [first, second]) await give(each);
  });

  it('of an exact run is measured with nothing, and its run cannot be given anything to measure with', async () => {
    const run = await harness.newRun();
    const pushed = await push(run, 1);
    expect([pushed.evalSetId, pushed.thresholds]).toEqual([undefined, undefined]);
    const { name } = await newEvalSet();
    await expect(changeRun(ctx, run, { evalSet: name })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('exact') as string,
    });
    await give(pushed);
  });
});

describe('a run', () => {
  it('keeps its thresholds with a set that has their metrics, else has the default on its first one', async () => {
    const { run } = await lossyRun();
    const [same, else_] = [await newEvalSet(['right', 'loss']), await newEvalSet(['right', 'wrong'])];
    expect((await changeRun(ctx, run, { evalSet: same.name })).thresholds).toEqual({ loss: 0.01 });
    expect((await changeRun(ctx, run, { evalSet: else_.name })).thresholds).toEqual({ right: 0.005 });
    expect(await changeRun(ctx, run, { thresholds: { wrong: 0.3 } })).toMatchObject({
      evalSetId: else_.id,
      thresholds: { wrong: 0.3 },
    });
    await expect(changeRun(ctx, run, { thresholds: { loss: 0.3 } })).rejects.toMatchObject({ code: 'metric-unknown' });
    await expect(changeRun(ctx, run, { evalSet: 'none' })).rejects.toMatchObject({ code: 'not-found' });
    expect(await harness.catalog.runs.get(run.id)).toMatchObject({ evalSetId: else_.id, thresholds: { wrong: 0.3 } });
  });
});

describe('a failed checkpoint', () => {
  it('is queued again with what its run has now, or with what is named, once', async () => {
    const { run } = await lossyRun();
    const failed = await fail(await push(run, 1));
    const other = await newEvalSet(['right']);
    await changeRun(ctx, run, { evalSet: other.name });
    const queued = await retryCheckpoint(ctx, run, failed, {});
    expect(queued).toMatchObject({
      id: failed.id,
      state: 'queued',
      sequence: 0,
      revision: failed.revision,
      evalSetId: other.id,
      thresholds: { right: 0.005 },
    });
    expect(queued.errorCode).toBeUndefined();
    expect(await jobOf(queued)).toMatchObject({ state: 'queued', attempts: 0, orderKey: run.id, orderSequence: 0 });
    await expect(retryCheckpoint(ctx, run, failed, {})).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is queued') as string,
    });
    await fail(queued);
    const named = await newEvalSet(['loss']);
    expect(
      await retryCheckpoint(ctx, run, failed, { evalSet: named.name, thresholds: { loss: 2 }, allowLarge: true }),
    ).toMatchObject({
      evalSetId: named.id,
      thresholds: { loss: 2 },
    });
    expect((await harness.catalog.runs.get(run.id))!.evalSetId).toBe(other.id);
    await give(queued);
  });

  it('stays failed, without a job, where the retry is refused', async () => {
    const { run } = await lossyRun();
    const failed = await fail(await push(run, 1));
    await expect(retryCheckpoint(ctx, run, failed, { thresholds: { gone: 0.1 } })).rejects.toMatchObject({
      code: 'metric-unknown',
    });
    await expect(retryCheckpoint(ctx, run, failed, { thresholds: { loss: 2 } })).rejects.toMatchObject({
      code: 'invalid-request',
    });
    const { id: subjectId, runId: orderKey, sequence: orderSequence } = failed;
    // One transaction: if its job cannot be restarted, the checkpoint is not queued.
    await harness.catalog.jobs.enqueue({ kind: encodeJobKind, subjectId, orderKey, orderSequence });
    await expect(retryCheckpoint(ctx, run, failed, {})).rejects.toMatchObject({ code: 'conflict' });
    expect(await harness.catalog.checkpoints.get(failed.id)).toEqual(failed);
    await give(failed);
    const later = await push(run, 2, otherLayout);
    await expect(retryCheckpoint(ctx, run, failed, {})).rejects.toMatchObject({ code: 'layout-mismatch' });
    const [file] = await harness.catalog.files.list(failed.id);
    await give(later);
    await harness.store.delete(file!.rawKey!);
    await expect(retryCheckpoint(ctx, run, failed, {})).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('not kept') as string,
    });
    expect(await harness.catalog.checkpoints.get(failed.id)).toEqual(failed);
    expect(await jobOf(failed)).toMatchObject({ state: 'cancelled' });
  });

  it('says why it failed and how to try it again to whoever sends the same bytes in whatever way', async () => {
    const { run } = await lossyRun();
    const { id } = await fail(await push(run, 7));
    const path = 'model.safetensors';
    const reserved = { step: 7, files: [{ path, sizeBytes: model.length }] };
    const checkpoint = (await harness.catalog.checkpoints.get(id))!;
    const resume = (sizeBytes: number) => createFileUpload(ctx, run.repositoryId, { checkpoint, path }, { sizeBytes });
    const again = [
      () => pushCheckpoint(ctx, run, { step: 7, upload: uploadOf(model) }),
      () => reserveCheckpoint(ctx, run, reserved),
      () => receiveFile(ctx, id, { path }, uploadOf(model)),
      () => commitCheckpoint(ctx, run, id),
      () => resume(model.length),
    ];
    const call = `POST /v1/repositories/acme/gpt/runs/${run.name}/checkpoints/7/retry with {"evalSet": "<`;
    for (const way of again) {
      const error: unknown = await way().catch((err: unknown) => err);
      expect(error).toMatchObject({
        code: 'checkpoint-failed',
        message: expect.stringContaining('It lacks "w".') as string,
      });
      expect((error as Error).message).toContain(call);
    }
    const others = [
      () => pushCheckpoint(ctx, run, { step: 7, upload: uploadOf(otherModel) }),
      () => reserveCheckpoint(ctx, run, { step: 7, files: [{ path, sizeBytes: model.length + 1 }] }),
      () => reserveCheckpoint(ctx, run, { step: 7, files: [{ path: 'else.safetensors' }] }),
      () => receiveFile(ctx, id, { path }, uploadOf(otherModel)),
      () => resume(model.length + 1),
    ];
    for (const way of others) await expect(way()).rejects.toMatchObject({ code: 'step-exists' });
    expect(await harness.everything()).toContain((await harness.catalog.files.list(id))[0]!.rawKey);
  });
});

describe('how to try a failed step again', () => {
  const runPath = (run: Run) => `/v1/repositories/acme/gpt/runs/${run.name}`;
  const sayFor = async (run: Run): Promise<string> =>
    ((await push(run, 1).catch((err: unknown) => err)) as FirnError).message;

  it('names the eval set that it failed with, and the calls that replace it', async () => {
    const { run, set } = await lossyRun();
    await fail(await push(run, 1));
    const said = await sayFor(run);
    const body = `{"evalSet": "<name of another eval set>"}`;
    expect(said).toContain(`It was measured with eval set "${set.name}"`);
    expect(said).toContain(`POST ${runPath(run)}/checkpoints/1/retry with ${body}`);
    expect(said).toContain(`PATCH ${runPath(run)} with ${body}`);
    expect(said).not.toContain(`{"evalSet": "${set.name}"}`);
  });

  it('is the plain call where the run has been given another eval set since', async () => {
    const { run, set } = await lossyRun();
    await fail(await push(run, 1));
    const other = await newEvalSet();
    await changeRun(ctx, run, { evalSet: other.name });
    const said = await sayFor(run);
    expect(said).toContain(
      `POST ${runPath(run)}/checkpoints/1/retry without a body tries it with eval set "${other.name}"`,
    );
    expect(said).toContain(`it failed with "${set.name}"`);
  });

  it.each<[string, boolean, FirnErrorCode, boolean]>([
    ['what is not of its eval set', true, 'native-failure', true],
    ['anything, of an exact run', false, 'internal', false],
  ])('is the plain call first after %s', async (_, lossy, errorCode, namesSet) => {
    const run = lossy ? (await lossyRun()).run : await harness.newRun();
    await fail(await push(run, 1), errorCode);
    const said = await sayFor(run);
    expect(said).toContain(`Try it again with POST ${runPath(run)}/checkpoints/1/retry`);
    expect(said.includes('{"evalSet": "<name of another eval set>"}')).toBe(namesSet);
  });
});

describe('what the training job measured', () => {
  it('is kept with a reservation and with a push, and must be the same when repeated', async () => {
    const { run } = await lossyRun();
    const reserved = await reserveCheckpoint(ctx, run, { step: 1, files: [], expects: { loss: 1.8604 } });
    expect(reserved.expects).toEqual({ loss: 1.8604 });
    expect(await reserveCheckpoint(ctx, run, { step: 1, files: [], expects: { loss: 1.8604 } })).toEqual(reserved);
    for (const expects of [undefined, {}, { loss: 1.86 }])
      await expect(
        reserveCheckpoint(ctx, run, { step: 1, files: [], ...(expects && { expects }) }),
      ).rejects.toMatchObject({ code: 'step-exists' });
    const pushed = await pushCheckpoint(ctx, run, { step: 2, expects: { loss: 2 }, upload: uploadOf(model) });
    expect(pushed.checkpoint.expects).toEqual({ loss: 2 });
    expect((await pushCheckpoint(ctx, run, { step: 2, expects: { loss: 2 }, upload: uploadOf(model) })).created).toBe(
      false,
    );
    await expect(
      pushCheckpoint(ctx, run, { step: 2, expects: { loss: 3 }, upload: uploadOf(model) }),
    ).rejects.toMatchObject({ code: 'step-exists' });
    await give(pushed.checkpoint);
  });

  it.each<[string, FirnErrorCode, object, boolean]>([
    ['of a metric that the eval set lacks', 'metric-unknown', { right: 1 }, true],
    ['that is no number', 'invalid-request', { loss: Number.NaN }, true],
    ['without an eval set', 'invalid-request', { loss: 1 }, false],
    [
      'of too many metrics',
      'invalid-request',
      Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`m${i}`, 1])),
      true,
    ],
  ])('%s is %s, and reserves nothing', async (_, code, expects, lossy) => {
    const run = lossy ? (await lossyRun()).run : await harness.newRun();
    const given = expects as Record<string, number>;
    await expect(reserveCheckpoint(ctx, run, { step: 1, files: [], expects: given })).rejects.toMatchObject({ code });
    await expect(pushCheckpoint(ctx, run, { step: 1, expects: given, upload: uploadOf(model) })).rejects.toMatchObject({
      code,
    });
    expect(await harness.catalog.checkpoints.list(run.id, { limit: 5 })).toEqual([]);
  });
});

describe('an eval set that cannot measure a layout', () => {
  const unfit = new FirnError('graph-missing-weights', 'The graph needs "x".');
  const clear = (): void => {
    asked = [];
    answer = undefined;
  };

  it('is found at the commit of the first checkpoint, which leaves the reservation with its files', async () => {
    clear();
    const { run, set } = await lossyRun();
    const reserved = await reserveCheckpoint(ctx, run, { step: 1, files: [] });
    await receiveFile(ctx, reserved.id, { path: 'model.safetensors' }, uploadOf(model));
    answer = unfit;
    await expect(commitCheckpoint(ctx, run, reserved.id)).rejects.toBe(unfit);
    expect((await harness.catalog.checkpoints.get(reserved.id))!.state).toBe('open');
    expect(await harness.catalog.files.list(reserved.id)).toMatchObject([{ received: true }]);
    expect(asked).toEqual([{ evalSet: set, layout: [{ name: 'w', dtype: 'F32', shape: [30] }] }]);
    clear();
    const { checkpoint } = await commitCheckpoint(ctx, run, reserved.id);
    const second = await push(run, 2);
    expect(asked).toHaveLength(1);
    // Another set is checked again.
    await changeRun(ctx, run, { evalSet: (await newEvalSet()).name });
    const third = await push(run, 3);
    expect(asked).toHaveLength(3);
    for (const each of [checkpoint, second, third]) await give(each);
  });

  it('is not waited for by who is gone: nothing is committed, given or tried again', async () => {
    clear();
    const { run, set } = await lossyRun();
    const failed = await fail(await push(run, 1));
    const reserved = await reserveCheckpoint(ctx, run, { step: 2, files: [] });
    await receiveFile(ctx, reserved.id, { path: 'model.safetensors' }, uploadOf(model));
    const other = await newEvalSet();
    answer = new FirnError('unavailable', 'The storage is slow.');
    const gone = AbortSignal.abort();
    const cancelled = { code: 'cancelled' };
    await expect(commitCheckpoint(ctx, run, reserved.id, { signal: gone })).rejects.toMatchObject(cancelled);
    await expect(changeRun(ctx, run, { evalSet: other.name }, { signal: gone })).rejects.toMatchObject(cancelled);
    await expect(retryCheckpoint(ctx, run, failed, {}, { signal: gone })).rejects.toMatchObject(cancelled);
    expect(asked.slice(-3).map(({ signal }) => signal)).toEqual([gone, gone, gone]);
    const going = new AbortController();
    const leaving: IngestContext = {
      ...ctx,
      fitsEvalSet: async ({ signal }) => {
        going.abort();
        signal?.throwIfAborted();
      },
    };
    await expect(
      pushCheckpoint(leaving, run, { step: 3, upload: { ...uploadOf(model), signal: going.signal } }),
    ).rejects.toMatchObject(cancelled);
    expect((await harness.catalog.checkpoints.list(run.id, { limit: 5 })).map(({ state }) => state)).toEqual([
      'failed',
      'open',
    ]);
    expect((await harness.catalog.runs.get(run.id))!.evalSetId).toBe(set.id);
    // An unreachable storage does not delay the commit: the job decides.
    await give((await commitCheckpoint(ctx, run, reserved.id)).checkpoint);
  });

  it('is found at a push, which leaves nothing behind', async () => {
    clear();
    const { run } = await lossyRun();
    const before = await harness.everything();
    answer = unfit;
    await expect(push(run, 1)).rejects.toBe(unfit);
    expect(await harness.catalog.checkpoints.list(run.id, { limit: 5 })).toEqual([]);
    expect(await harness.everything()).toEqual(before);
  });

  it('is not given to a run with a layout, to a fork of it, nor to a retry', async () => {
    clear();
    const { run, set } = await lossyRun();
    const failed = await fail(await push(run, 1));
    const good = await push(run, 2, otherModel);
    const other = await newEvalSet();
    answer = unfit;
    await expect(changeRun(ctx, run, { evalSet: other.name })).rejects.toBe(unfit);
    expect((await harness.catalog.runs.get(run.id))!.evalSetId).toBe(set.id);
    await expect(retryCheckpoint(ctx, run, failed, { evalSet: other.name })).rejects.toBe(unfit);
    expect(await harness.catalog.checkpoints.get(failed.id)).toEqual(failed);
    const forkFrom = { run: run.name, step: 2 };
    const fork = (name: string, evalSet?: string) =>
      createRun({ ...ctx, newSeed: () => '1' }, harness.repository, {
        name,
        forkFrom,
        ...(evalSet !== undefined && { evalSet }),
      });
    await expect(fork('forked', other.name)).rejects.toBe(unfit);
    expect(await harness.catalog.runs.find(harness.repository.id, 'forked')).toBeUndefined();
    asked = [];
    expect((await fork('forked-as-it-is', set.name)).evalSetId).toBe(set.id);
    expect((await fork('forked-with-its-own')).evalSetId).toBe(set.id);
    expect(asked).toEqual([]);
    await give(good);
  });

  it.each<[string, Error]>([
    ['that is busy', new FirnError('overloaded', 'Later.')],
    ['whose storage is away', new FirnError('unavailable', 'Away.')],
    ['whose object is damaged', new FirnError('corrupt-object', 'Damaged.')],
    ['that has a mistake of its own', new TypeError('no such thing')],
  ])('is for the job to find where there is a check %s', async (_, error) => {
    clear();
    answer = error;
    const { run } = await lossyRun();
    const pushed = await push(run, 1);
    expect(pushed.state).toBe('queued');
    expect((await changeRun(ctx, run, { evalSet: (await newEvalSet()).name })).thresholds).toEqual({ loss: 0.01 });
    expect(asked).toHaveLength(2);
    clear();
    await give(pushed);
  });
});
