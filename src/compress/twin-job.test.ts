import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { prefixBytes, trailerBytes } from '../package/package-frame.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import {
  openCompressHarness,
  tinySearch,
  withGradients,
  type CompressHarness,
} from './harness/compress-harness.test-support.ts';
import { tinyGradients, tinyWeights } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
let parent: Run;
const pushed: Checkpoint[] = [];
const settings = { search: { ...tinySearch, method: 'residual' } } as const;
const upload = (step: number) => withGradients(tinyWeights(step), tinyGradients(step));

beforeAll(async () => {
  harness = await openCompressHarness();
  parent = await harness.newRun(settings);
  for (const step of [0, 1, 2]) pushed.push(await harness.push(parent, step, upload(step)));
});
afterAll(() => harness.close());

/** The evaluator, with every request counted. */
let evaluations: number;
beforeEach(() => {
  evaluations = 0;
});
function counted(): Evaluator {
  const { evaluator } = harness;
  const count =
    <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    (...args: Args): Result => {
      evaluations += 1;
      return work(...args);
    };
  return {
    ...evaluator,
    evaluate: count(evaluator.evaluate),
    evaluateParts: count(evaluator.evaluateParts),
    examine: count(evaluator.examine),
    inputGrams: count(evaluator.inputGrams),
  };
}
const pushToFork = async (
  step: number,
  files = upload(step),
  changes: Parameters<CompressHarness['newRun']>[0] = {},
): Promise<Checkpoint> => {
  const fork = await harness.newRun({ ...settings, parentCheckpointId: pushed[step - 1]!.id, ...changes });
  return harness.push(fork, step, files, { ctx: harness.context({ evaluator: counted() }) });
};

/** The stored bytes without the package's id, which is in the prefix, and the checksum over it. */
async function contentOf(checkpoint: Checkpoint): Promise<Buffer> {
  const bytes = await harness.packageBytes(checkpoint);
  return bytes.subarray(prefixBytes, bytes.length - trailerBytes);
}

test('a fork that pushes the parent’s very bytes is stored like the parent, without an evaluation', async () => {
  const twin = await pushToFork(2);
  expect(evaluations).toBe(0);
  expect((await contentOf(twin)).equals(await contentOf(pushed[2]!))).toBe(true);
  const { seconds: _, trialCount, understood, ...result } = twin.result!;
  const { seconds: __, trialCount: ___, understood: ofParent, ...resultOfParent } = pushed[2]!.result!;
  expect(result).toEqual(resultOfParent);
  expect(trialCount).toBe(0);
  expect(understood).toEqual([...ofParent!, expect.stringContaining(`This is ${parent.name}@2 again`)]);
  expect(await harness.download(twin, 'model.safetensors')).toEqual(
    await harness.download(pushed[2]!, 'model.safetensors'),
  );
  expect(await harness.catalog.packages.chain(twin.packageId!)).toHaveLength(pushed[2]!.result!.chainLength);
});

test('training goes on from it as from any other, with the bytes that a search gives', async () => {
  const twin = await pushToFork(1);
  const fork = (await harness.catalog.runs.get(twin.runId))!;
  const next = await harness.push(fork, 2, upload(2));
  const { kind, storedBytes, config } = pushed[2]!.result!;
  expect(next.result).toMatchObject({ kind, storedBytes, config });
  expect(next.result!.trialCount).toBeGreaterThan(0);
  expect(await harness.download(next, 'model.safetensors')).toEqual(
    await harness.download(pushed[2]!, 'model.safetensors'),
  );
});

test.each([
  ['another weight', upload(3), {}],
  ['other gradients', withGradients(tinyWeights(2), tinyGradients(3)), {}],
  ['a file more', { ...upload(2), 'notes.txt': { role: 'other', bytes: Buffer.from('x') } } as const, {}],
  ['another threshold', upload(2), { thresholds: { loss: 0.04 } }],
  ['another search', upload(2), { search: { ...settings.search, rounding: 'nearest' } } as const],
  ['another layer type', upload(2), { layerTypes: { 'fc.weight': 'embedding' } } as const],
])('%s is searched', async (_, files, changes) => {
  const checkpoint = await pushToFork(2, files, changes);
  expect(checkpoint.state).toBe('ready');
  expect(evaluations).toBeGreaterThan(0);
  expect(checkpoint.result!.trialCount).toBeGreaterThan(0);
});

test('the same bytes after another checkpoint are searched', async () => {
  const fork = await harness.newRun({ ...settings, parentCheckpointId: pushed[0]!.id });
  await harness.push(fork, 1, upload(3));
  const checkpoint = await harness.push(fork, 2, upload(2), { ctx: harness.context({ evaluator: counted() }) });
  expect(evaluations).toBeGreaterThan(0);
  expect(checkpoint.result!.trialCount).toBeGreaterThan(0);
});

describe('when the parent’s package', () => {
  const withStore = async (open: typeof harness.store.open): Promise<Checkpoint> => {
    const fork = await harness.newRun({ ...settings, parentCheckpointId: pushed[1]!.id });
    const store = { ...bound(), open };
    return harness.push(fork, 2, upload(2), { ctx: harness.context({ store, evaluator: counted() }) });
  };
  const bound = () => {
    const { store } = harness;
    return {
      put: store.put.bind(store),
      stat: store.stat.bind(store),
      delete: store.delete.bind(store),
      deleteMany: store.deleteMany.bind(store),
      list: store.list.bind(store),
      sweepUnfinished: store.sweepUnfinished.bind(store),
      probe: store.probe.bind(store),
      close: store.close.bind(store),
    };
  };
  const keyOfParent = async () => (await harness.catalog.packages.get(pushed[2]!.packageId!))!.key;

  test('is gone, the checkpoint is searched', async () => {
    const key = await keyOfParent();
    const checkpoint = await withStore((wanted) =>
      wanted === key ? Promise.reject(new FirnError('not-found', 'gone')) : harness.store.open(wanted),
    );
    expect([checkpoint.state, evaluations > 0]).toEqual(['ready', true]);
    expect((await contentOf(checkpoint)).equals(await contentOf(pushed[2]!))).toBe(true);
  });

  test('has a changed byte, the checkpoint is searched, and the changed byte is stored nowhere', async () => {
    const key = await keyOfParent();
    const changing = vi.fn(async function* (pieces: AsyncIterable<Uint8Array>) {
      let first = true;
      for await (const piece of pieces) {
        const copy = Uint8Array.from(piece);
        if (first) copy[0]! ^= 1;
        first = false;
        yield copy;
      }
    });
    const checkpoint = await withStore(async (wanted) => {
      const reader = await harness.store.open(wanted);
      if (wanted !== key) return reader;
      return {
        sizeBytes: reader.sizeBytes,
        read: reader.read.bind(reader),
        stream: (...args) => changing(reader.stream(...args)),
        close: reader.close.bind(reader),
      };
    });
    expect(changing).toHaveBeenCalled();
    expect([checkpoint.state, evaluations > 0]).toEqual(['ready', true]);
    expect((await contentOf(checkpoint)).equals(await contentOf(pushed[2]!))).toBe(true);
  });
});
