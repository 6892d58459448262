import { mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import { expectCode } from '../../catalog/catalog-fixtures.test-support.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { ByteCache } from '../../restore/byte-cache.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import { checkEvalSet } from './check-eval-set.ts';
import type { GraphCache } from './describe-local-graph.ts';
import { evalSetDirectory, localEvalSet } from './local-eval-set.ts';
import { tinyGraph, tinySpec } from '../harness/tiny-model.test-support.ts';

let workDirectory: string;
let directory: string;
let store: MemoryStore;
const evalSet: EvalSet = {
  id: 'e1',
  repositoryId: 'r',
  name: 'held-out',
  state: 'ready',
  spec: tinySpec,
  createdAt: new Date(0),
  graphKey: 'g',
  graphSha256: 'aa',
  batchesKey: 'b',
  batchesSha256: 'bb',
};
beforeEach(async () => {
  workDirectory = await mkdtemp(join(tmpdir(), 'firn-eval-set-'));
  directory = evalSetDirectory(workDirectory);
  store = new MemoryStore();
  store.objects.set('g', Buffer.from(tinyGraph())).set('b', Buffer.from('batches'));
});
afterEach(() => rm(workDirectory, { recursive: true }));

const contents = async () => (await readdir(directory, { recursive: true })).sort();

test('is fetched once for concurrent requests', async () => {
  let streams = 0;
  const open = store.open.bind(store);
  store.open = async (key) => {
    const reader = await open(key);
    return {
      ...reader,
      stream: (...args) => {
        streams += 1;
        return reader.stream(...args);
      },
    };
  };
  const [first, second] = await Promise.all([
    localEvalSet(store, evalSet, directory),
    localEvalSet(store, evalSet, directory),
  ]);
  expect(first).toEqual(second);
  expect(first.spec).toBe(tinySpec);
  expect([await readFile(first.graphPath), await readFile(first.batchesPath, 'utf8')]).toEqual([
    Buffer.from(tinyGraph()),
    'batches',
  ]);
  const fetched = streams;
  await localEvalSet(store, evalSet, directory);
  expect(streams).toBe(fetched);
  expect(await contents()).toEqual(['e1', 'e1/batches-bb.safetensors', 'e1/graph-aa.onnx']);
  expect(store.openReaders).toBe(0);
});

test('a copy that a dying machine cut short is fetched again', async () => {
  const { graphPath } = await localEvalSet(store, evalSet, directory);
  await truncate(graphPath, 0);
  await localEvalSet(store, evalSet, directory);
  expect(await readFile(graphPath)).toEqual(Buffer.from(tinyGraph()));
});

test('a fetch that fails leaves nothing under the name', async () => {
  const open = store.open.bind(store);
  store.open = async (key) => ({
    ...(await open(key)),
    async *stream() {
      yield Buffer.from('gra');
      throw new FirnError('corrupt-object', 'damaged');
    },
  });
  await expectCode(localEvalSet(store, evalSet, directory), 'corrupt-object');
  expect(await contents()).toEqual(['e1']);
  expect(store.openReaders).toBe(0);
});

test('a set without its batches is not ready', async () => {
  const { batchesKey: _, ...without } = evalSet;
  await expectCode(localEvalSet(store, without, directory), 'eval-set-not-ready');
});

test('a set that fails its check keeps no local copy; one that passes does', async () => {
  const evaluator = (check: () => Promise<void>) => ({
    parallelOn: () => 1,
    kinds: () => Promise.resolve(['cpu'] as const),
    fallsBack: false,
    check,
    evaluate: () => Promise.reject(new Error('not asked')),
    evaluateParts: () => Promise.reject(new Error('not asked')),
    examine: () => Promise.reject(new Error('not asked')),
    inputGrams: () => Promise.reject(new Error('not asked')),
    close: async () => undefined,
  });
  const graphs: GraphCache = new ByteCache(2 ** 20);
  const failing = evaluator(() => Promise.reject(new FirnError('graph-invalid', 'no graph')));
  await expectCode(checkEvalSet({ store, graphs, workDirectory, evaluator: failing }, evalSet), 'graph-invalid');
  expect(await contents()).toEqual([]);
  const passing = { store, graphs, workDirectory, evaluator: evaluator(async () => undefined) };
  await checkEvalSet(passing, evalSet);
  expect(await contents()).toHaveLength(3);
  // Whatever the child's result, a graph that encoding could not read is refused now, not at every checkpoint.
  store.objects.set('g', Buffer.from('not a graph'));
  await expectCode(checkEvalSet({ ...passing, graphs: new ByteCache(2 ** 20) }, evalSet), 'graph-invalid');
  expect(await contents()).toEqual([]);
});
