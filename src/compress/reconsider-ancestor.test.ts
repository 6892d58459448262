import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint, Trial } from '../catalog/catalog.ts';
import { withinThreshold } from '../checkpoint/quality.ts';
import { openCompressHarness, tinySearch, withGradients, type CompressHarness } from './compress-harness.test-support.ts';
import { TrialCounts } from './reconsider-ancestor.ts';
import { f32, tinyGradients, tinyWeights, type TestTensors } from './tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

/** Larger weights make larger logits: the same relative error costs more of the loss from step to step. */
function sharpened(step: number): TestTensors {
  return Object.fromEntries(
    Object.entries(tinyWeights(step)).map(([name, { shape, data }]) => [
      name,
      f32(
        shape,
        (data as Float32Array).map((x) => x * 1.5 ** step),
      ),
    ]),
  );
}

describe('a run whose steps have to become finer', () => {
  const pushed: { readonly checkpoint: Checkpoint; readonly trials: readonly Trial[] }[] = [];
  beforeAll(async () => {
    const run = await harness.newRun({ search: { ...tinySearch, method: 'residual' } });
    for (let step = 0; step < 8; step += 1) {
      const checkpoint = await harness.push(run, step, withGradients(sharpened(step), tinyGradients(step)));
      pushed.push({ checkpoint, trials: await harness.catalog.trials.list(checkpoint.id) });
    }
  });
  /** What trials were measured behind. */
  const scopes = (trials: readonly Trial[]): Set<string> => new Set(trials.map(({ configKey }) => configKey.replace(/^[^@]*/, '')));

  test('searches behind another ancestor where that may cost less, and counts every trial', () => {
    expect(pushed.some(({ trials }) => scopes(trials).size > 1)).toBe(true);
    for (const { checkpoint, trials } of pushed) expect(checkpoint.result!.trialCount).toBe(trials.length);
  });

  test('stores what was measured behind what it is stored behind', () => {
    for (const { checkpoint, trials } of pushed) {
      const { result } = checkpoint;
      expect(withinThreshold(result!.degradation!['loss']!, 0.05)).toBe(true);
      const measured = trials.filter(({ metrics }) => metrics['loss'] === result!.measured!['loss']);
      expect(measured.length).toBeGreaterThan(0);
    }
  });
});

describe('TrialCounts', () => {
  test('counts a search that is repeated once, and those behind other ancestors beside it', () => {
    const counts = new TrialCounts();
    const behind = (id: string) => ({ checkpoint: { id } }) as Parameters<TrialCounts['with']>[0];
    const decision = (trialCount: number) => ({ trialCount }) as Parameters<TrialCounts['with']>[1];
    expect(counts.with(behind('a'), decision(3))).toBe(3);
    expect(counts.with(undefined, decision(4))).toBe(7);
    expect(counts.with(behind('a'), decision(3))).toBe(7);
  });
});
