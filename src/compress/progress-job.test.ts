import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { asGoodAs } from '../checkpoint/quality/as-good-as.ts';
import type { QualityThreshold } from '../checkpoint/quality/quality.ts';
import {
  modelOf,
  openCompressHarness,
  sixteenBins,
  tinySearch,
  type CompressHarness,
} from './harness/compress-harness.test-support.ts';
import { tinyWeights } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness({ allowDoubted: true });
});
afterAll(() => harness.close());

/** The labels are what the weights of step 0 say, so a series that goes back to them is one that learns. */
const learned = [30, 22, 13, 9];
const uploadAt = (step: number) => modelOf(tinyWeights(learned[step / 100]!));
const half = { relative: 0.1, progress: 0.2 };

function runWith(loss: QualityThreshold, changes: Partial<Run> = {}): Promise<Run> {
  return harness.newRun({ thresholds: { loss }, ...changes });
}

async function pushed(run: Run, steps: readonly number[] = [0, 100, 200, 300]): Promise<Checkpoint[]> {
  const checkpoints: Checkpoint[] = [];
  for (const step of steps) checkpoints.push(await harness.push(run, step, uploadAt(step)));
  return checkpoints;
}

const lossOf = ({ result }: Checkpoint): number => result!.baseline!['loss']!;

describe('a threshold in training progress', () => {
  let run: Run;
  let checkpoints: Checkpoint[];
  beforeAll(async () => {
    run = await runWith(half, { search: { ...tinySearch, method: 'residual', divergenceMax: 3 } });
    checkpoints = await pushed(run);
  });

  test('lets a checkpoint lose its share of what the metric gained since the one before', () => {
    for (const [at, checkpoint] of checkpoints.entries()) {
      const { limits, degradation, fidelity } = checkpoint.result!;
      if (at === 0) {
        expect(limits).toEqual({ loss: { degradationMax: 0.1, boundBy: 'relative', withoutProgress: 0.1 } });
        continue;
      }
      const before = checkpoints[at - 1]!;
      const gain = lossOf(before) - lossOf(checkpoint);
      expect(gain).toBeGreaterThan(0);
      expect(limits!['loss']).toEqual({
        degradationMax: expect.closeTo(Math.max((0.2 * gain) / lossOf(checkpoint), 0.1 / 10), 12),
        boundBy: 'progress',
        withoutProgress: 0.1,
        gain: { run: run.name, step: before.step, value: lossOf(before), checkpoints: 1, perCheckpoint: gain },
      });
      expect(fidelity).toBe('lossy');
      expect(degradation!['loss']).toBeLessThanOrEqual(limits!['loss']!.degradationMax);
    }
  });

  test('costs bytes: without it the same checkpoints take fewer', async () => {
    const plain = await pushed(await runWith(0.1, { search: { ...tinySearch, method: 'residual' } }));
    expect(plain.map(({ result }) => result!.limits)).toEqual(
      plain.map(() => ({ loss: { degradationMax: 0.1, boundBy: 'relative' } })),
    );
    const stored = (of: readonly Checkpoint[]) => of.reduce((sum, { result }) => sum + result!.storedBytes, 0);
    expect(stored(checkpoints)).toBeGreaterThan(stored(plain));
  });

  test('is what trials are judged by, and what the bound on divergence is related to', async () => {
    for (const { id, result } of checkpoints.slice(1)) {
      const { degradationMax } = result!.limits!['loss']!;
      const divergenceMax = 3 * degradationMax * result!.baseline!['loss']!;
      const trials = await harness.catalog.trials.list(id);
      for (const { passed, degradation, observed } of trials)
        expect(passed).toBe(degradation['loss']! <= degradationMax && observed!['kl-divergence']! <= divergenceMax);
      expect(trials.some(({ passed, degradation }) => !passed && degradation['loss']! <= 0.1)).toBe(true);
    }
  });

  test('says in words what it came to', () => {
    const sentences = checkpoints.map(({ result }) => result!.understood!.at(-1));
    expect(sentences[0]).toMatch(/^"loss" was measured at no earlier checkpoint, .* at most 10 % may be lost\.$/);
    expect(sentences[1]).toMatch(new RegExp(`^"loss" fell by .* since step 0 of run "${run.name}": at most `));
  });

  test('measures a fork from its fork point on', async () => {
    const fork = await runWith(half, { parentCheckpointId: checkpoints[1]!.id });
    const [first] = await pushed(fork, [300]);
    expect(first!.result!.limits!['loss']!.gain).toMatchObject({ run: run.name, step: 100, checkpoints: 1 });
    expect(first!.result!.asGoodAs!.lagSteps).toBeGreaterThanOrEqual(0);
  });
});

test('a given config is compared with it', async () => {
  const fixed = { search: { ...tinySearch, fixedConfig: sixteenBins } };
  const outside = 'The given config is outside the quality threshold.';
  const plain = await pushed(await runWith(0.3, fixed));
  expect(plain.flatMap(({ result }) => result!.warnings)).not.toContain(outside);
  const bound = await pushed(await runWith({ relative: 0.3, progress: 0.01 }, fixed));
  expect(bound.slice(1).flatMap(({ result }) => result!.warnings)).toContain(outside);
});

test.each(['inshrinkerator', 'residual'] as const)(
  'a search of %s that is taken over is judged by the same limit: no trial is evaluated again',
  async (method) => {
    const run = await runWith(half, { search: { ...tinySearch, method } });
    const undisturbed = await runWith(half, { search: { ...tinySearch, method } });
    await pushed(run, [0]);
    const queued = await harness.queue(run, 100, uploadAt(100));
    const stop = new AbortController();
    const stopped = harness.context({
      publish: (_, note) => {
        if (note.type === 'phase' && note.phase === 'encode') stop.abort();
      },
    });
    await expect(harness.work(stopped, stop.signal)).rejects.toThrow();
    const recorded = await harness.catalog.trials.list(queued.id);
    await harness.work();
    expect(await harness.catalog.trials.list(queued.id)).toEqual(recorded);
    const [, expected] = await pushed(undisturbed, [0, 100]);
    const { result } = await harness.checkpoint(queued.id);
    expect(result!.config).toEqual(expected!.result!.config);
    expect(result!.limits!['loss']!.degradationMax).toBe(expected!.result!.limits!['loss']!.degradationMax);
  },
);

test('every result says which step of training it is as good as', async () => {
  const checkpoints = await pushed(await runWith(0.1));
  const lineage = checkpoints.map(({ step, result }) => ({
    step,
    metricsBefore: result!.baseline!,
    metricsAfter: result!.measured!,
  }));
  const found = checkpoints.map(({ result }) => result!.asGoodAs);
  expect(found).toEqual(
    lineage.map((own, at) => asGoodAs(own, lineage.slice(0, at + 1), { name: 'loss', kind: 'cross-entropy' })),
  );
  expect(found.some((good) => good!.lagSteps > 0)).toBe(true);
  const exact = await harness.push(await runWith(0), 0, uploadAt(0));
  expect(exact.result).toMatchObject({ asGoodAs: { metric: 'loss', step: 0, beforeFirst: false, lagSteps: 0 } });
});
