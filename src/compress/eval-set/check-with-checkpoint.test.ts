import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { Examination } from '../../evaluate/examine/examination.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import { ByteCache } from '../../restore/byte-cache.ts';
import { checkWithCheckpoint, type CheckWithCheckpoint } from './check-with-checkpoint.ts';
import { safetensors, tinyBatches, tinyGraph, tinySpec, tinyWeights } from '../harness/tiny-model.test-support.ts';

const model = safetensors(tinyWeights(0));
const evalSet = {
  id: 'e1',
  state: 'ready',
  spec: tinySpec,
  graphKey: 'g',
  graphSha256: 'aa',
  batchesKey: 'b',
  batchesSha256: 'bb',
} as EvalSet;
const checkpoint = { id: 'c1' } as Checkpoint;

let workDirectory: string;
let store: MemoryStore;
let files: Partial<CheckpointFile>[];
let ctx: CheckWithCheckpoint;
beforeEach(async () => {
  workDirectory = await mkdtemp(join(tmpdir(), 'firn-check-'));
  store = new MemoryStore();
  store.objects.set('g', Buffer.from(tinyGraph())).set('b', tinyBatches()).set('m', model);
  files = [{ path: 'model.safetensors', role: 'model', received: true, rawKey: 'm', sizeBytes: model.length }];
  const examination: Examination = {
    whole: { loss: 1 },
    rows: 1,
    batchCount: 1,
    inputs: [],
    unusedColumns: [],
    readings: [],
    referenceWritten: false,
    referenceOutputs: [],
    probabilityOutputs: [],
    seconds: 0,
  };
  ctx = {
    store,
    graphs: new ByteCache(2 ** 20),
    workDirectory,
    evaluator: { examine: async () => examination } as unknown as CheckWithCheckpoint['evaluator'],
    catalog: { files: { list: async () => files as CheckpointFile[] } } as unknown as CheckWithCheckpoint['catalog'],
    downloads: {
      openObject: (_: Checkpoint, key: string) => store.open(key),
    } as unknown as CheckWithCheckpoint['downloads'],
    modelBytesMax: model.length,
    freeBytes: async () => 2 * model.length,
  };
});
afterEach(() => rm(workDirectory, { recursive: true, force: true }));

/** Files left over from a copy of the checkpoint. */
async function leftovers(): Promise<string[]> {
  return (await readdir(workDirectory)).filter((name) => name !== 'eval-sets');
}

test.each<[string, Partial<CheckWithCheckpoint>, string, RegExp]>([
  [
    'larger than an evaluation may take',
    { modelBytesMax: model.length - 1 },
    'eval-memory',
    /FIRN_EVAL_MEMORY_MIB.*firn eval-set check/,
  ],
  [
    'larger than half of the disk that is free',
    { freeBytes: async () => 2 * model.length - 1 },
    'storage-full',
    /no room.*scratch/,
  ],
])('a model that is %s is refused before a byte of it is read', async (_, bound, code, words) => {
  store.objects.delete('m');
  await expect(checkWithCheckpoint({ ...ctx, ...bound })(evalSet, checkpoint)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(words) as string,
  });
  expect(await leftovers()).toEqual([]);
});

test('all shards of a model count', async () => {
  files = [...files, { ...files[0]!, path: 'else.safetensors' }];
  await expect(checkWithCheckpoint(ctx)(evalSet, checkpoint)).rejects.toMatchObject({ code: 'eval-memory' });
});

test('a disk that becomes full is reported as full, and no files remain', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const openObject = async () => ({ ...(await store.open('m')), stream: () => throwing(full) });
  const downloads = { openObject } as unknown as CheckWithCheckpoint['downloads'];
  await expect(checkWithCheckpoint({ ...ctx, downloads })(evalSet, checkpoint)).rejects.toMatchObject({
    code: 'storage-full',
  });
  expect(await leftovers()).toEqual([]);
});

async function* throwing(error: Error): AsyncGenerator<Uint8Array> {
  throw error;
}

test('with one check in work and eight waiting, the next is refused, and the others are served', async () => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const list = async () => {
    await gate;
    return files as CheckpointFile[];
  };
  const check = checkWithCheckpoint({
    ...ctx,
    catalog: { files: { list } } as unknown as CheckWithCheckpoint['catalog'],
  });
  const served = Array.from({ length: 9 }, () => check(evalSet, checkpoint));
  await expect(check(evalSet, checkpoint)).rejects.toMatchObject({
    code: 'overloaded',
    message: expect.stringMatching(/checks of eval sets/) as string,
  });
  open();
  expect((await Promise.all(served)).map(({ values }) => values)).toEqual(served.map(() => ({ loss: 1 })));
});
