import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { parseSafetensorsHeader } from '../checkpoint/safetensors/parse-safetensors.ts';
import { withinThreshold } from '../checkpoint/quality/quality.ts';
import {
  modelOf,
  openCompressHarness,
  sha256,
  sixteenBins,
  tensorBytes,
  withGradients,
  type CompressHarness,
  type Upload,
} from './harness/compress-harness.test-support.ts';
import { f32, noise, safetensors, tinyGradients, tinyWeights } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

describe('a lossy run with an eval set', () => {
  const steps = [0, 1, 2, 3];
  let run: Run;
  const pushed: Checkpoint[] = [];
  const rawAfter: string[][][] = [];
  beforeAll(async () => {
    run = await harness.newRun();
    for (const step of steps) {
      pushed.push(await harness.push(run, step, withGradients(tinyWeights(step), tinyGradients(step))));
      rawAfter.push(await Promise.all(pushed.map((checkpoint) => harness.rawPaths(checkpoint))));
    }
  });

  test('becomes a base and deltas, each against the one before', () => {
    expect(
      pushed.map(({ state, result }) => [
        state,
        result?.fidelity,
        result?.kind,
        result?.chainLength,
        result?.ancestorStep,
      ]),
    ).toEqual([
      ['ready', 'lossy', 'base', 1, undefined],
      ['ready', 'lossy', 'delta', 2, 0],
      ['ready', 'lossy', 'delta', 3, 1],
      ['ready', 'lossy', 'delta', 4, 2],
    ]);
    for (const { result } of pushed.slice(1)) expect(result!.migration).toBeGreaterThan(0);
  });

  test('every rebuilt file has the recorded digest, the uploaded header, metrics inside the threshold', async () => {
    for (const [step, checkpoint] of pushed.entries()) {
      const { result } = checkpoint;
      const file = await harness.download(checkpoint, 'model.safetensors');
      expect(sha256(file)).toBe((await harness.catalog.files.find(checkpoint.id, 'model.safetensors'))!.resultSha256);
      const uploaded = safetensors(tinyWeights(step));
      expect(file.length).toBe(uploaded.length);
      expect(file.subarray(0, parseSafetensorsHeader(uploaded, uploaded.length).headerBytes.length)).toEqual(
        uploaded.subarray(0, parseSafetensorsHeader(uploaded, uploaded.length).headerBytes.length),
      );
      expect(tensorBytes(file, 'fc.bias')).toEqual(tensorBytes(uploaded, 'fc.bias'));
      expect(tensorBytes(file, 'fc.weight')).not.toEqual(tensorBytes(uploaded, 'fc.weight'));
      expect(await harness.measure(file)).toEqual(result!.measured);
      expect(await harness.measure(uploaded)).toEqual(result!.baseline);
      expect(result!.degradation!['loss']).toBeCloseTo(result!.measured!['loss']! / result!.baseline!['loss']! - 1, 12);
      expect(withinThreshold(result!.degradation!['loss']!, 0.05)).toBe(true);
    }
  });

  test('stored bytes are those of the objects, without sensitivity, and far below the raw ones', async () => {
    for (const [step, { result, packageId }] of pushed.entries()) {
      const { key } = (await harness.catalog.packages.get(packageId!))!;
      expect(result!.storedBytes).toBe((await harness.store.stat(key))!.storedBytes);
      expect(result!.rawBytes).toBe(safetensors(tinyWeights(step)).length);
      expect(result!.storedBytes).toBeLessThan(result!.rawBytes / (step === 0 ? 4 : 8));
    }
  });

  test('trials are recorded in order, and the chosen config is one that passed', async () => {
    for (const { id, result } of pushed) {
      const trials = await harness.catalog.trials.list(id);
      expect(trials.map(({ ordinal }) => ordinal)).toEqual(trials.map((_, i) => i));
      expect(trials.length).toBe(result!.trialCount);
      expect(trials.find(({ config }) => JSON.stringify(config) === JSON.stringify(result!.config))?.passed).toBe(true);
    }
  });

  test('sensitivity goes at once; the raw model stays only with the newest ready checkpoint', () => {
    expect(rawAfter).toEqual(
      steps.map((newest) => steps.slice(0, newest + 1).map((step) => (step === newest ? ['model.safetensors'] : []))),
    );
  });

  test('released objects are deleted from the store, and no scratch file stays', async () => {
    const staged = (await harness.objects()).filter((key) => key.startsWith('staged/'));
    const kept = await harness.catalog.files.find(pushed.at(-1)!.id, 'model.safetensors');
    expect(staged).toEqual([kept!.rawKey]);
    expect(await harness.scratch()).toEqual([]);
  });

  test('phases are announced in order', () => {
    const phases = harness.notes.flatMap((note) => (note.type === 'phase' ? [note.phase] : []));
    expect(phases.slice(0, 4)).toEqual(['read', 'search', 'encode', 'verify']);
  });

  test('a job of a checkpoint that is ready already only ends', async () => {
    const { id } = pushed[0]!;
    await harness.catalog.jobs.enqueue({ kind: 'encode', subjectId: id });
    expect(await harness.work()).toEqual({ kind: 'done' });
    expect((await harness.catalog.jobs.find('encode', id))?.state).toBe('done');
    expect(await harness.checkpoint(id)).toEqual(pushed[0]);
  });

  test('a fork waits for the checkpoint it starts from, then builds on it with the same codebook seed', async () => {
    const parentRun = await harness.newRun();
    const parent = await harness.queue(parentRun, 0, modelOf(tinyWeights(0)));
    const fork = await harness.newRun({ parentCheckpointId: parent.id });
    const parentJob = (await harness.catalog.jobs.find('encode', parent.id))!;
    // Another worker has claimed the parent's job when the fork's is claimed.
    const [held] = await harness.catalog.jobs.claim({
      kinds: ['encode'],
      workerId: 'other',
      leaseMs: 60_000,
      limit: 1,
    });
    expect(held!.id).toBe(parentJob.id);
    const child = await harness.queue(fork, 1, modelOf(tinyWeights(1)));
    expect(await harness.work()).toMatchObject({ kind: 'defer' });
    expect((await harness.checkpoint(child.id)).state).toBe('queued');
    await harness.catalog.jobs.defer({ jobId: held!.id, workerId: 'other', fence: held!.fence }, 0);
    while ((await harness.checkpoint(child.id)).state !== 'ready') await harness.work();
    expect((await harness.checkpoint(child.id)).result).toMatchObject({
      kind: 'delta',
      ancestorRun: parentRun.name,
      ancestorStep: 0,
    });
    expect((await harness.catalog.runs.get(fork.id))!.binding).toEqual(
      (await harness.catalog.runs.get(parentRun.id))!.binding,
    );
  });
});

describe('an exact run', () => {
  test('returns every file byte for byte, as deltas, and keeps no raw object', async () => {
    const run = await harness.newRun({ fidelity: 'exact', thresholds: {} });
    const files = (step: number): Upload => ({
      ...withGradients(tinyWeights(step), tinyGradients(step)),
      'optimizer.safetensors': { role: 'optimizer', bytes: safetensors({ 'fc.weight': f32([4, 4], noise(16, step)) }) },
      'config.json': { role: 'other', bytes: Buffer.from('{"layers": 2}') },
      'empty.txt': { role: 'other', bytes: Buffer.alloc(0) },
      'not-one.safetensors': { role: 'other', bytes: Buffer.from('PK, and no safetensors header') },
    });
    for (const step of [0, 1, 2]) {
      const checkpoint = await harness.push(run, step, files(step));
      expect(checkpoint.result).toMatchObject({
        fidelity: 'exact',
        kind: step === 0 ? 'base' : 'delta',
        chainLength: step + 1,
        trialCount: 0,
        warnings: [],
      });
      expect(await harness.rawPaths(checkpoint)).toEqual([]);
      for (const [path, { role, bytes }] of Object.entries(files(step))) {
        if (role !== 'sensitivity') expect(await harness.download(checkpoint, path), path).toEqual(Buffer.from(bytes));
      }
    }
  });
});

describe('a given config', () => {
  test('is used without trials; outside the threshold it is stored all the same, and said', async () => {
    const run = await harness.newRun({ thresholds: { loss: 0 } });
    const crude = { ...sixteenBins, bins: 2, pruneFraction: 0.9, protectFraction: 0 };
    const checkpoint = await harness.push(run, 0, modelOf(tinyWeights(0)), { fixedConfig: crude });
    expect(checkpoint.result).toMatchObject({
      fidelity: 'lossy',
      config: crude,
      trialCount: 0,
      warnings: expect.arrayContaining([
        'The given config is outside the quality threshold.',
        expect.stringMatching(/^"accuracy" is not bounded and fell by/),
      ]),
    });
    expect(checkpoint.result!.degradation!['loss']).toBeGreaterThan(0);
    expect(await harness.measure(await harness.download(checkpoint, 'model.safetensors'))).toEqual(
      checkpoint.result!.measured,
    );
  });

  test('of the run needs no eval set, and then nothing is measured', async () => {
    const checkpoint = await harness.push(await harness.newFixedRun(sixteenBins), 0, modelOf(tinyWeights(0)));
    expect(checkpoint.result).toMatchObject({ fidelity: 'lossy', config: sixteenBins, trialCount: 0 });
    expect(checkpoint.result!.measured).toBeUndefined();
  });

  test('that makes a package larger than the file: the file is kept as the raw object, exact', async () => {
    const weights = {
      w: {
        dtype: 'BF16',
        shape: [512, 512],
        data: Uint16Array.from(noise(512 * 512, 5), (x) => new Uint32Array(Float32Array.of(x).buffer)[0]! >>> 16),
      },
    } as const;
    const run = await harness.newFixedRun({ ...sixteenBins, bins: 200, protectFraction: 0.97, pruneFraction: 0 });
    const checkpoint = await harness.push(run, 0, modelOf(weights));
    const file = await harness.catalog.files.find(checkpoint.id, 'model.safetensors');
    expect(file).toMatchObject({ storage: 'raw', resultSha256: file!.sha256 });
    expect(checkpoint.result).toMatchObject({ fidelity: 'exact' });
    expect(checkpoint.result!.config).toBeUndefined();
    expect(sha256(await harness.download(checkpoint, 'model.safetensors'))).toBe(file!.sha256);
  });
});
