import { open, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Evaluator } from '../evaluate/evaluator.ts';
import {
  modelOf,
  openCompressHarness,
  sha256,
  tinySearch,
  withGradients,
  type CompressHarness,
} from './harness/compress-harness.test-support.ts';
import { tinyGradients, tinyWeights } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;

beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

/** The evaluator, with a log of its requests: the digest of the model files of each evaluation. */
function logged(change: (path: string) => Promise<void> = () => Promise.resolve()) {
  const { evaluator } = harness;
  const log = { examined: 0, gramsAlone: 0, evaluated: [] as string[] };
  const logging: Evaluator = {
    ...evaluator,
    examine: (...args) => {
      log.examined += 1;
      return evaluator.examine(...args);
    },
    inputGrams: (...args) => {
      log.gramsAlone += 1;
      return evaluator.inputGrams(...args);
    },
    evaluateParts: async (request, ...args) => {
      const values = await evaluator.evaluateParts(request, ...args);
      const [path] = request.weightPaths;
      log.evaluated.push(sha256(await readFile(path!)));
      await change(path!);
      return values;
    },
  };
  return { log, ctx: harness.context({ evaluator: logging }) };
}

const search = { ...tinySearch, method: 'residual' } as const;

describe('a checkpoint whose stored files are those of its trial', () => {
  test('runs the graph once for the upload and once a trial; its figures are those of the download', async () => {
    const run = await harness.newRun({ search });
    const { log, ctx } = logged();
    const checkpoint = await harness.push(run, 0, withGradients(tinyWeights(0), tinyGradients(0)), { ctx });
    expect(checkpoint).toMatchObject({ state: 'ready' });
    const { trialCount, measured, observed } = checkpoint.result!;
    expect(trialCount).toBeGreaterThan(0);
    expect(log).toMatchObject({ examined: 1, gramsAlone: 0 });
    expect(log.evaluated).toHaveLength(trialCount);
    const rebuilt = await harness.download(checkpoint, 'model.safetensors');
    expect(log.evaluated).toContain(sha256(rebuilt));
    expect(measured!['loss']).toBe((await harness.measure(rebuilt))['loss']);
    expect(Object.keys(observed!).length).toBeGreaterThan(0);
    for (const each of Object.values(observed!)) expect([each.baseline, each.measured]).not.toContain(Number.NaN);
  });

  test('is not stored if what is decoded has other bytes than the trial read', async () => {
    const run = await harness.newRun({ search });
    // The last weight of a file whose figures are known already, before its digest is taken.
    const { ctx } = logged(async (path) => {
      const file = await open(path, 'r+');
      const { size } = await file.stat();
      await file.write(Uint8Array.of(0x55), 0, 1, size - 1);
      await file.close();
    });
    const { id } = await harness.queue(run, 0, modelOf(tinyWeights(1)));
    await expect(harness.work(ctx)).rejects.toMatchObject({ code: 'corrupt-package' });
    expect((await harness.checkpoint(id)).state).not.toBe('ready');
    expect(await harness.scratch()).toEqual([]);
    await harness.work();
    expect((await harness.checkpoint(id)).state).toBe('ready');
  });

  test('is evaluated again if its trial was recorded before a takeover', async () => {
    const run = await harness.newRun({ search });
    const { id } = await harness.queue(run, 0, modelOf(tinyWeights(2)));
    const { store } = harness;
    const failing = harness.context({
      store: {
        put: () => Promise.reject(new Error('cut off')),
        open: (...args) => store.open(...args),
        stat: (...args) => store.stat(...args),
        delete: (...args) => store.delete(...args),
        deleteMany: (...args) => store.deleteMany(...args),
        sweepUnfinished: (...args) => store.sweepUnfinished(...args),
        list: (...args) => store.list(...args),
        probe: () => store.probe(),
        close: () => Promise.resolve(),
      },
    });
    await expect(harness.work(failing)).rejects.toThrow();
    const { log, ctx } = logged();
    await harness.work(ctx);
    const checkpoint = await harness.checkpoint(id);
    expect(checkpoint.state).toBe('ready');
    const rebuilt = await harness.download(checkpoint, 'model.safetensors');
    expect(log.evaluated).toEqual([sha256(rebuilt)]);
    expect(checkpoint.result!.measured!['loss']).toBe((await harness.measure(rebuilt))['loss']);
  });

  test('is evaluated after it is stored if its config was given', async () => {
    const run = await harness.newRun({ search: { ...search, fixedConfig: { method: 'residual', step: -40 } } });
    const { log, ctx } = logged();
    const checkpoint = await harness.push(run, 0, modelOf(tinyWeights(3)), { ctx });
    expect(checkpoint).toMatchObject({ state: 'ready', result: { trialCount: 0 } });
    expect(log.evaluated).toEqual([sha256(await harness.download(checkpoint, 'model.safetensors'))]);
  });
});
