import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Run } from '../catalog/contract/run-records.ts';
import type { NamespaceUsage } from '../catalog/contract/storage/usage-records.ts';
import { storedSize } from '../store/frame/object-frame.ts';
import {
  openIngestHarness,
  piecesOf,
  safetensorsFile,
  unreadBody,
  uploadOf,
  type IngestHarness,
} from './ingest.test-support.ts';
import type { IngestContext } from './ingest-context.ts';
import { pushCheckpoint } from './checkpoint/push-checkpoint.ts';
import { receiveEvalSetPart } from './eval-set/receive-eval-set-part.ts';
import { receiveFile } from './checkpoint/receive-file.ts';
import { reserveCheckpoint } from './checkpoint/reservation/reserve-checkpoint.ts';
import type { Upload } from './stage/upload.ts';

let harness: IngestHarness;
let ctx: IngestContext;
let run: Run;
beforeAll(async () => {
  harness = await openIngestHarness();
  ctx = harness.context();
  run = await harness.newRun();
});
afterAll(() => harness.close());

const model = safetensorsFile([['w', 'F32', [64]]]);
const modelStored = storedSize(model.length);
const usage = async (): Promise<NamespaceUsage> => (await harness.catalog.usage.namespaces({ limit: 1 }, ['acme']))[0]!;
const stored = async (): Promise<number> =>
  Object.entries((await usage()).stored).reduce(
    (sum, [part, bytes]) => sum + (part === 'pendingDeletion' ? 0 : bytes),
    0,
  );
/** Leaves the namespace this much room. */
const leave = async (bytes: number): Promise<void> =>
  harness.catalog.usage.setQuota('acme', { storedBytesMax: (await stored()) + bytes });

let steps = 0;
/** Every way in which bytes enter a namespace, each with a body of this size. */
const ways: Record<string, (upload: Upload) => Promise<unknown>> = {
  'a file of a reservation': async (upload) => {
    const { id } = await reserveCheckpoint(ctx, run, { step: ++steps, files: [] });
    return receiveFile(ctx, id, { path: 'model.safetensors' }, upload);
  },
  'a push': (upload) => pushCheckpoint(ctx, run, { step: ++steps, upload }),
  'a part of an eval set': async (upload) => {
    const spec = { inputs: { x: 'w' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] } as const;
    const { id } = await harness.catalog.evalSets.create({
      repositoryId: harness.repository.id,
      name: `set-${++steps}`,
      spec,
    });
    return receiveEvalSetPart(ctx, { evalSetId: id, part: 'batches' }, upload);
  },
};

test.each(Object.entries(ways))(
  '%s: refused before its body where the quota leaves too little room, taken where it is just enough',
  async (_, send) => {
    await leave(modelStored - 1);
    await expect(send({ body: unreadBody, lengthBytes: model.length })).rejects.toMatchObject({
      code: 'quota-exceeded',
    });
    await leave(modelStored);
    await send(uploadOf(model));
    expect(await usage()).toMatchObject({ reserved: 0, quota: { storedBytesMax: await stored() } });
  },
);

test.each(Object.entries(ways))(
  '%s of unknown length: stopped where it outgrows the quota, and nothing stays of it',
  async (_, send) => {
    const before = await harness.everything();
    await leave(modelStored - 1);
    await expect(send({ body: piecesOf(model, 100) })).rejects.toMatchObject({ code: 'quota-exceeded' });
    expect(await harness.everything()).toEqual(before);
    expect((await usage()).reserved).toBe(0);
    await send({ body: piecesOf(model, 100), lengthBytes: model.length }).then(
      () => expect.unreachable(),
      (error: { code: string }) => expect(error.code).toBe('quota-exceeded'),
    );
    await leave(modelStored);
    await send({ body: piecesOf(model, 100) });
  },
);

test('uploads at once never go beyond the quota, and as many are taken as fit', async () => {
  await leave(5 * modelStored + 10);
  const quota = (await usage()).quota!.storedBytesMax;
  const sent = await Promise.allSettled(
    Array.from({ length: 12 }, (_, i) => Object.values(ways)[i % 3]!(uploadOf(model))),
  );
  expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  for (const outcome of sent)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'quota-exceeded' });
  expect(quota - (await stored())).toBe(10);
});
