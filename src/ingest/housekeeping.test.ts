import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvalSet } from '../catalog/contract/eval-set-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { bodyOf } from '../store/body-of.ts';
import { commitCheckpoint } from './checkpoint/commit-checkpoint.ts';
import { discardReservation } from './checkpoint/reservation/discard-reservation.ts';
import { expireReservations } from './checkpoint/reservation/expire-reservations.ts';
import { createIngest } from './ingest.ts';
import { encodeJobKind, type IngestContext } from './ingest-context.ts';
import {
  openIngestHarness,
  piecesOf,
  safetensorsFile,
  unreadBody,
  uploadOf,
  type IngestHarness,
} from './ingest.test-support.ts';
import { defaultIngestLimits } from './ingest-limits.ts';
import { pushCheckpoint } from './checkpoint/push-checkpoint.ts';
import { receiveFile } from './checkpoint/receive-file.ts';
import { reserveCheckpoint } from './checkpoint/reservation/reserve-checkpoint.ts';
import { collectNow } from '../upkeep/garbage/collect-now.test-support.ts';
import { markOrphans } from '../upkeep/garbage/mark-orphans.ts';
import { deletePending } from '../upkeep/garbage/delete-pending.ts';

const model = safetensorsFile([['w', 'F32', [30]]], 1);
const { reservationTtlMs } = defaultIngestLimits;

let harness: IngestHarness;
let ctx: IngestContext;
beforeAll(async () => {
  harness = await openIngestHarness();
  ctx = harness.context();
});
afterAll(() => harness.close());

describe('an abandoned reservation', () => {
  it('is given up with files, objects and job, and frees the step', async () => {
    const run = await harness.newRun();
    const checkpoint = await reserveCheckpoint(ctx, run, { step: 1, files: [{ path: 'config.json' }] });
    await receiveFile(ctx, checkpoint.id, { path: 'model.safetensors' }, uploadOf(model));
    expect(await discardReservation(ctx, checkpoint.id)).toBe(true);
    expect((await harness.everything()).filter((key) => key.includes(checkpoint.id))).toEqual([]);
    expect(await harness.catalog.jobs.find(encodeJobKind, checkpoint.id)).toMatchObject({ state: 'cancelled' });
    expect(await harness.catalog.checkpoints.get(checkpoint.id)).toBeUndefined();
    expect(await discardReservation(ctx, checkpoint.id)).toBe(false);
    expect(await pushCheckpoint(ctx, run, { step: 1, upload: uploadOf(model) })).toMatchObject({ created: true });
  });

  it('once committed, is not given up', async () => {
    const run = await harness.newRun();
    const { checkpoint } = await pushCheckpoint(ctx, run, { step: 1, upload: uploadOf(model) });
    expect(await discardReservation(ctx, checkpoint.id)).toBe(false);
    expect(await harness.catalog.jobs.find(encodeJobKind, checkpoint.id)).toMatchObject({ state: 'queued' });
  });

  it('expires after its time, unless a body is arriving, and lets the run go on', async () => {
    const run = await harness.newRun();
    const dead = await reserveCheckpoint(ctx, run, { step: 1, files: [] });
    const alive = await reserveCheckpoint(ctx, run, { step: 2, files: [] });
    const { checkpoint: waiting } = await pushCheckpoint(ctx, run, { step: 3, upload: uploadOf(model) });
    expect(await expireReservations(ctx)).toBe(0);
    harness.pass(reservationTtlMs + 60_000);
    await receiveFile(
      ctx,
      alive.id,
      { path: 'model.safetensors' },
      {
        body: (async function* () {
          expect(await expireReservations(ctx)).toBe(1);
          yield* piecesOf(model);
        })(),
      },
    );
    expect(await harness.catalog.checkpoints.get(dead.id)).toBeUndefined();
    await commitCheckpoint(ctx, run, alive.id);
    const claimed = await harness.catalog.jobs.claim({
      kinds: [encodeJobKind],
      workerId: 'w',
      leaseMs: 60_000,
      limit: 100,
    });
    expect(claimed.map(({ subjectId }) => subjectId)).toContain(alive.id);
    expect(claimed.map(({ subjectId }) => subjectId)).not.toContain(waiting.id);
  });
});

describe('the collection of garbage', () => {
  it('removes what no record refers to, after a grace, and nothing else', async () => {
    await collectNow(ctx);
    const run = await harness.newRun();
    const { checkpoint } = await pushCheckpoint(ctx, run, { step: 1, upload: uploadOf(model) });
    const open = await reserveCheckpoint(ctx, run, { step: 2, files: [] });
    await receiveFile(ctx, open.id, { path: 'model.safetensors' }, uploadOf(model));
    const evalSet = await newEvalSet('swept');
    await verbs().receiveEvalSetPart(evalSet, 'graph', uploadOf(Buffer.from('graph')));
    const before = await harness.everything();
    const orphans = [
      `staged/${checkpoint.id}/${'e'.repeat(32)}`,
      `staged/${'f'.repeat(32)}/${'e'.repeat(32)}`,
      `evalsets/${evalSet.id}/${'e'.repeat(32)}`,
      `evalsets/${'f'.repeat(32)}/0`,
    ];
    for (const key of orphans) await harness.store.put(key, bodyOf(Buffer.from('lost')), { sizeMaxBytes: 10 });
    // Objects under prefixes that no part of the hub writes stay.
    await harness.store.put('others/x', bodyOf(Buffer.from('package')), { sizeMaxBytes: 10 });
    // Objects this young may be about to be recorded, and objects just marked wait for the grace.
    const hourMs = 3_600_000;
    expect(await markOrphans(ctx, { graceMs: hourMs })).toEqual({ objects: 0, bytes: 0 });
    expect((await markOrphans(ctx, { graceMs: 0 })).objects).toBe(orphans.length);
    expect((await deletePending(ctx, { graceMs: hourMs })).objects).toBe(0);
    for (const key of orphans) expect(await harness.store.stat(key)).toBeDefined();
    expect(await collectNow(ctx)).toBe(orphans.length);
    expect(await harness.everything()).toEqual([...before, 'others/x'].sort());
    expect(await collectNow(ctx)).toBe(0);
  });

  it('stops between two objects when it is told to', async () => {
    const orphan = `staged/${'d'.repeat(32)}/${'e'.repeat(32)}`;
    await harness.store.put(orphan, bodyOf(Buffer.from('lost')), { sizeMaxBytes: 10 });
    await expect(collectNow(ctx, AbortSignal.abort(new Error('stopping')))).rejects.toThrow('stopping');
    expect(await harness.everything()).toContain(orphan);
    expect(await collectNow(ctx, new AbortController().signal)).toBe(1);
  });
});

const spec = { inputs: { x: 'inputs' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] } as const;
const newEvalSet = (name: string): Promise<EvalSet> =>
  harness.catalog.evalSets.create({ repositoryId: harness.repository.id, name, spec });
const verbs = (check: (evalSet: EvalSet) => Promise<void> = () => Promise.resolve()) => createIngest(ctx, check);
const batches = safetensorsFile([['inputs', 'I64', [4, 8]]]);

describe('an eval set', () => {
  const objectsOf = async (evalSet: EvalSet): Promise<string[]> =>
    (await harness.everything()).filter((key) => key.includes(evalSet.id));

  it('is ready once both parts have arrived and pass the check', async () => {
    const evalSet = await newEvalSet('good');
    await expect(verbs().commitEvalSet(evalSet)).rejects.toMatchObject({
      code: 'upload-incomplete',
      message: expect.stringContaining('graph') as string,
    });
    await verbs().receiveEvalSetPart(evalSet, 'graph', uploadOf(Buffer.from('first graph')));
    await verbs().receiveEvalSetPart(evalSet, 'graph', uploadOf(Buffer.from('graph')));
    await expect(verbs().commitEvalSet(evalSet)).rejects.toMatchObject({
      code: 'upload-incomplete',
      message: expect.stringContaining('batches') as string,
    });
    await verbs().receiveEvalSetPart(evalSet, 'batches', uploadOf(batches, {}));
    expect(await objectsOf(evalSet)).toHaveLength(2);
    let checked: EvalSet | undefined;
    const ready = await verbs(async (given) => {
      checked = given;
    }).commitEvalSet(evalSet);
    expect(ready).toMatchObject({ state: 'ready', graphBytes: 5, batchesBytes: batches.length });
    expect(checked).toMatchObject({ graphKey: ready.graphKey, batchesKey: ready.batchesKey });
    expect(await verbs(() => Promise.reject(new Error('checked twice'))).commitEvalSet(evalSet)).toEqual(ready);
    await expect(verbs().receiveEvalSetPart(evalSet, 'graph', { body: unreadBody })).rejects.toMatchObject({
      code: 'conflict',
    });
    await verbs().deleteEvalSet(evalSet);
    expect(await objectsOf(evalSet)).toEqual([]);
  });

  it('leaves nothing of a refused part', async () => {
    const evalSet = await newEvalSet('refused');
    await expect(
      verbs().receiveEvalSetPart(evalSet, 'batches', uploadOf(Buffer.from('not safetensors at all'))),
    ).rejects.toMatchObject({
      code: 'not-safetensors',
    });
    await expect(
      verbs().receiveEvalSetPart(
        evalSet,
        'batches',
        uploadOf(batches.subarray(0, -1), { lengthBytes: batches.length }),
      ),
    ).rejects.toMatchObject({
      code: 'length-mismatch',
    });
    await expect(
      verbs().receiveEvalSetPart(evalSet, 'graph', { body: unreadBody, lengthBytes: 0 }),
    ).rejects.toMatchObject({ code: 'empty-body' });
    await expect(
      verbs().receiveEvalSetPart(evalSet, 'graph', { body: unreadBody, lengthBytes: 3 * 2 ** 30 }),
    ).rejects.toMatchObject({
      code: 'payload-too-large',
    });
    expect(await objectsOf(evalSet)).toEqual([]);
  });

  it('that fails its check says why, for good; a passing trouble leaves it open', async () => {
    const evalSet = await newEvalSet('bad');
    await verbs().receiveEvalSetPart(evalSet, 'graph', uploadOf(Buffer.from('graph')));
    await verbs().receiveEvalSetPart(evalSet, 'batches', uploadOf(batches));
    await expect(
      verbs(() => Promise.reject(new FirnError('overloaded', 'Busy.'))).commitEvalSet(evalSet),
    ).rejects.toMatchObject({ code: 'overloaded' });
    expect(await harness.catalog.evalSets.get(evalSet.id)).toMatchObject({ state: 'open' });
    const refusal = { code: 'graph-missing-weights', message: 'Nothing provides "w".' } as const;
    await expect(
      verbs(() => Promise.reject(new FirnError(refusal.code, refusal.message))).commitEvalSet(evalSet),
    ).rejects.toMatchObject(refusal);
    expect(await harness.catalog.evalSets.get(evalSet.id)).toMatchObject({
      state: 'failed',
      errorCode: refusal.code,
      errorMessage: refusal.message,
    });
    await expect(verbs().commitEvalSet(evalSet)).rejects.toMatchObject(refusal);
  });

  it('whose part changes under the check is not ready', async () => {
    const evalSet = await newEvalSet('changing');
    await verbs().receiveEvalSetPart(evalSet, 'graph', uploadOf(Buffer.from('graph')));
    await verbs().receiveEvalSetPart(evalSet, 'batches', uploadOf(batches));
    const changing = verbs(() => verbs().receiveEvalSetPart(evalSet, 'graph', uploadOf(Buffer.from('other graph'))));
    await expect(changing.commitEvalSet(evalSet)).rejects.toMatchObject({ code: 'conflict' });
    expect(await harness.catalog.evalSets.get(evalSet.id)).toMatchObject({ state: 'open' });
    expect(await verbs().commitEvalSet(evalSet)).toMatchObject({ state: 'ready' });
  });
});
