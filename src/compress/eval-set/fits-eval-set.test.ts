import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { RunLayout } from '../../catalog/contract/run-records.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import { ByteCache } from '../../restore/byte-cache.ts';
import { untilAborted } from '../../store/until-aborted.ts';
import { fitsEvalSet } from './fits-eval-set.ts';
import { evalSetDirectory } from './local-eval-set.ts';
import { tinyGraph, tinySpec, tinyWeights } from '../harness/tiny-model.test-support.ts';

let workDirectory: string;
let store: MemoryStore;
let opened: string[];
const evalSet = {
  id: 'e1',
  spec: tinySpec,
  graphKey: 'g',
  graphSha256: 'aa',
  batchesKey: 'b',
  batchesSha256: 'bb',
} as EvalSet;
const layout: RunLayout = Object.entries(tinyWeights(0)).map(([name, { dtype, shape }]) => ({ name, dtype, shape }));

beforeEach(async () => {
  workDirectory = await mkdtemp(join(tmpdir(), 'firn-fits-'));
  store = new MemoryStore();
  store.objects.set('g', Buffer.from(tinyGraph())).set('b', Buffer.from('batches'));
  opened = [];
  const open = store.open.bind(store);
  store.open = async (key) => {
    opened.push(key);
    return open(key);
  };
});
afterEach(() => rm(workDirectory, { recursive: true }));

const fits = (given: RunLayout, signal?: AbortSignal) =>
  fitsEvalSet({ store, graphs: new ByteCache(2 ** 20), workDirectory })({
    evalSet,
    layout: given,
    ...(signal && { signal }),
  });

test('a layout is held against the graph alone: batches are not fetched, and may be away', async () => {
  store.objects.delete('b');
  await fits(layout);
  await expect(fits(layout.slice(1))).rejects.toMatchObject({ code: 'graph-missing-weights' });
  expect(new Set(opened)).toEqual(new Set(['g']));
  expect(await readdir(join(evalSetDirectory(workDirectory), 'e1'))).toEqual(['graph-aa.onnx']);
});

test('an aborted caller does not wait, and leaves no partial graph behind', async () => {
  const gone = new AbortController();
  const open = store.open.bind(store);
  store.open = async (key) => {
    const reader = await open(key);
    return {
      ...reader,
      stream: (startBytes, endBytes, signal) => {
        gone.abort();
        return untilAborted(reader.stream(startBytes, endBytes), signal);
      },
    };
  };
  await expect(fits(layout, gone.signal)).rejects.toMatchObject({ code: 'cancelled' });
  expect(await readdir(join(evalSetDirectory(workDirectory), 'e1'))).toEqual([]);
});
