import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Trial } from '../../catalog/contract/trial-records.ts';
import { withinThreshold } from '../../checkpoint/quality/quality.ts';
import {
  openCompressHarness,
  tinySearch,
  withGradients,
  type CompressHarness,
} from '../harness/compress-harness.test-support.ts';
import { f32, tinyGradients, tinyWeights, type TestTensors } from '../harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  // Weights that grow make a model that guesses badly.
  harness = await openCompressHarness({ allowDoubted: true });
});
afterAll(() => harness.close());

/** Larger weights make larger logits: the same relative error costs more of the loss from step to step. */
function sharpened(step: number, factor = 1.25): TestTensors {
  return Object.fromEntries(
    Object.entries(tinyWeights(step)).map(([name, { shape, data }]) => [
      name,
      f32(
        shape,
        (data as Float32Array).map((x) => x * factor ** step),
      ),
    ]),
  );
}

describe('a run whose steps have to become finer', () => {
  const pushed: {
    readonly checkpoint: Checkpoint;
    readonly trials: readonly Trial[];
    /** By each opened chain, the package at its end. */
    readonly opened: readonly string[];
  }[] = [];
  beforeAll(async () => {
    const { restorer } = harness.context();
    const open = vi.spyOn(restorer, 'open');
    const run = await harness.newRun({ search: { ...tinySearch, method: 'residual' } });
    for (let step = 0; step < 12; step += 1) {
      open.mockClear();
      const checkpoint = await harness.push(run, step, withGradients(sharpened(step), tinyGradients(step)));
      const opened = open.mock.calls.map(([[newest]]) => newest!.id);
      pushed.push({ checkpoint, trials: await harness.catalog.trials.list(checkpoint.id), opened });
    }
    open.mockRestore();
  });
  /** The ancestors with which trials were measured. */
  const scopes = (trials: readonly Trial[]): Set<string> =>
    new Set(trials.map(({ configKey }) => configKey.replace(/^[^@]*/, '')));

  test('searches with another ancestor if that may cost less, and counts every trial', () => {
    expect(pushed.some(({ trials }) => scopes(trials).size > 1)).toBe(true);
    for (const { checkpoint, trials } of pushed) expect(checkpoint.result!.trialCount).toBe(trials.length);
  });

  test('opens each ancestor once, whatever was searched and estimated in between', () => {
    for (const { opened } of pushed) expect(opened).toEqual([...new Set(opened)]);
  });

  test('numbers the trials of all searches in one row, each with its search', () => {
    for (const { trials } of pushed) {
      expect(trials.map(({ ordinal }) => ordinal)).toEqual(trials.map((_, at) => at));
      const searches = trials.map(({ search }) => search);
      expect(searches).toEqual(searches.toSorted((a, b) => a - b));
      expect(new Set(searches).size).toBe(scopes(trials).size);
      for (const scope of scopes(trials))
        expect(
          new Set(trials.filter(({ configKey }) => configKey.endsWith(scope)).map(({ search }) => search)).size,
        ).toBe(1);
    }
  });

  test('stores a checkpoint with the ancestor of its measurement', () => {
    for (const { checkpoint, trials } of pushed) {
      const { result } = checkpoint;
      expect(withinThreshold(result!.degradation!['loss']!, 0.05)).toBe(true);
      const measured = trials.filter(({ metrics }) => metrics['loss'] === result!.measured!['loss']);
      expect(measured.length).toBeGreaterThan(0);
    }
  });
});

describe.each([2, 3, 5])('a run whose weights grow %i times at every checkpoint', (factor) => {
  test('takes at most twelve trials for each, over all searches, and stores none exact', async () => {
    const run = await harness.newRun({ search: { ...tinySearch, method: 'residual' }, thresholds: { loss: 0.002 } });
    for (let step = 0; step < 5; step += 1) {
      const { result, ...checkpoint } = await harness.push(
        run,
        step,
        withGradients(sharpened(step, factor), tinyGradients(step)),
      );
      expect((await harness.catalog.trials.list(checkpoint.id)).length).toBeLessThanOrEqual(12);
      expect(result!.trialCount).toBeLessThanOrEqual(12);
      // Weights that grow make a model that guesses badly, and its accuracy is not bounded: there are warnings of both.
      const others = result!.warnings.filter((sentence) => !/worse than guessing|is not bounded/.test(sentence));
      expect([result!.fidelity, others]).toEqual(['lossy', []]);
    }
  });
});
