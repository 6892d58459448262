import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HalvedMetrics, MetricValues } from '../checkpoint/quality/quality.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import {
  modelOf,
  openCompressHarness,
  tinySearch,
  type CompressHarness,
} from './harness/compress-harness.test-support.ts';
import { tinyWeights } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const search = { ...tinySearch, method: 'residual', evalBatches: 'halves' } as const;
const threshold = 0.05;

interface HalvingEvaluator extends Evaluator {
  /** The metrics of each evaluation, before they were skewed. */
  readonly measured: HalvedMetrics[];
  /** Whether all requested Gram matrices were of the first half. */
  gramsOfFirstHalf: boolean;
}

/**
 * The evaluator; `skew` changes the metrics that the gate sees. It gets each evaluation and its number; 0 is the
 * upload's. Evaluations without halves are refused.
 */
function halvingEvaluator(
  skew: (found: HalvedMetrics, evaluation: number) => HalvedMetrics = (found) => found,
): HalvingEvaluator {
  const watched: HalvingEvaluator = {
    ...harness.evaluator,
    measured: [],
    gramsOfFirstHalf: true,
    evaluate: () => Promise.reject(new Error('measured without halves')),
    async examine(...args) {
      const examination = await harness.evaluator.examine(...args);
      const found = {
        whole: asked(examination.whole),
        halves: examination.halves!.map(asked) as unknown as HalvedMetrics['halves'],
      };
      watched.measured.push(found);
      return { ...examination, ...skew(found, watched.measured.length - 1) };
    },
    async evaluateParts(...args) {
      const found = (await harness.evaluator.evaluateParts(...args)) as HalvedMetrics;
      watched.measured.push({ whole: asked(found.whole), halves: [asked(found.halves[0]), asked(found.halves[1])] });
      return skew(found, watched.measured.length - 1);
    },
    inputGrams(request, signal) {
      watched.gramsOfFirstHalf &&= request.firstHalf === true;
      return harness.evaluator.inputGrams(request, signal);
    },
  };
  return watched;
}

/** The metrics of the eval set, without observed ones. */
const asked = ({ loss, accuracy }: MetricValues): MetricValues => ({ loss: loss!, accuracy: accuracy! });

const worse = (half: MetricValues): MetricValues => ({ ...half, loss: 2 * half['loss']! });
const worseHalf = ({ whole, halves: [first, second] }: HalvedMetrics, which: number): HalvedMetrics => ({
  whole,
  halves: which === 0 ? [worse(first), second] : [first, worse(second)],
});

describe('thresholds held on both halves', () => {
  test('trials record both, the result tells the whole, and each config costs one evaluation', async () => {
    const run = await harness.newRun({ search });
    const evaluator = halvingEvaluator();
    const { id, result } = await harness.push(run, 0, modelOf(tinyWeights(0)), { ctx: harness.context({ evaluator }) });
    const trials = await harness.catalog.trials.list(id);
    // The upload and the trials: the decoded bytes are those of a trial.
    expect(evaluator.measured).toHaveLength(trials.length + 1);
    expect(evaluator.gramsOfFirstHalf).toBe(true);
    const [upload, ...tried] = evaluator.measured;
    const chosen = trials.find(({ config }) => isDeepStrictEqual(config, result!.config))!;
    expect(result).toMatchObject({ fidelity: 'lossy', baseline: upload!.whole, measured: chosen.metrics });
    expect(result!.degradation!['loss']).toBeCloseTo(chosen.metrics['loss']! / upload!.whole['loss']! - 1, 12);
    expect(trials.map(({ metrics, halves }) => ({ whole: metrics, halves }))).toEqual(tried);
    expect(trials.every(({ configKey }) => configKey.endsWith('+halves'))).toBe(true);
  });

  test.each([
    ['first', 0],
    ['second', 1],
  ])('a config that fails on the %s half alone does not pass, though the whole set is inside', async (_, which) => {
    const run = await harness.newRun({ search });
    // A config that passes without the skew is tried, and fails on one half.
    const passedOnce: MetricValues[] = [];
    const evaluator = halvingEvaluator((found, evaluation) => {
      const inside = evaluation > 0 && found.whole['loss']! <= evaluator.measured[0]!.whole['loss']! * (1 + threshold);
      if (!inside || passedOnce.length > 0) return found;
      passedOnce.push(asked(found.whole));
      return worseHalf(found, which);
    });
    const { id, result } = await harness.push(run, 0, modelOf(tinyWeights(0)), { ctx: harness.context({ evaluator }) });
    const trials = await harness.catalog.trials.list(id);
    const spoilt = trials.find(({ metrics }) => metrics['loss'] === passedOnce[0]!['loss'])!;
    expect(spoilt).toMatchObject({ passed: false, metrics: passedOnce[0] });
    expect(spoilt.degradation['loss']).toBeLessThanOrEqual(threshold);
    expect(result).toMatchObject({ fidelity: 'lossy' });
    expect(result!.config).not.toEqual(spoilt.config);
  });

  test('if every config fails on one half, the checkpoint is stored exact', async () => {
    const run = await harness.newRun({ search: { ...search, trialsMax: 3 } });
    const evaluator = halvingEvaluator((found, evaluation) => (evaluation === 0 ? found : worseHalf(found, 1)));
    const { result } = await harness.push(run, 0, modelOf(tinyWeights(0)), { ctx: harness.context({ evaluator }) });
    expect(result).toMatchObject({
      fidelity: 'exact',
      trialCount: 3,
      warnings: [expect.stringContaining('None of the 3 configs')],
    });
  });

  test('an upload whose metric is not finite on one half is stored exact, with the reason', async () => {
    const run = await harness.newRun({ search });
    const evaluator = halvingEvaluator(({ whole, halves }) => ({
      whole,
      halves: [halves[0], { ...halves[1], loss: Number.NaN }],
    }));
    const { result } = await harness.push(run, 0, modelOf(tinyWeights(0)), { ctx: harness.context({ evaluator }) });
    expect(result).toMatchObject({
      fidelity: 'exact',
      trialCount: 0,
      warnings: [expect.stringContaining('no finite loss on one half')],
    });
  });

  test('decoded bytes that are outside on one half are not committed', async () => {
    const run = await harness.newRun({ search });
    await harness.queue(run, 0, modelOf(tinyWeights(0)));
    // A search that is taken over measures the decoded bytes: its trials were another worker's.
    const stop = new AbortController();
    const stopped = harness.context({
      publish: (_, note) => {
        if (note.type === 'phase' && note.phase === 'encode') stop.abort();
      },
    });
    await expect(harness.work(stopped, stop.signal)).rejects.toThrow();
    const ctx = harness.context({
      evaluator: halvingEvaluator((found, evaluation) => (evaluation === 0 ? found : worseHalf(found, 1))),
    });
    await expect(harness.work(ctx)).rejects.toMatchObject({ code: 'internal' });
    await harness.work();
  });

  test('a takeover uses the trials recorded with halves, and none recorded without', async () => {
    const run = await harness.newRun({ search });
    const queued = await harness.queue(run, 0, modelOf(tinyWeights(0)));
    const stop = new AbortController();
    const stopped = harness.context({
      publish: (_, note) => {
        if (note.type === 'phase' && note.phase === 'encode') stop.abort();
      },
    });
    await expect(harness.work(stopped, stop.signal)).rejects.toThrow();
    const recorded = await harness.catalog.trials.list(queued.id);
    const evaluator = halvingEvaluator();
    await harness.work(harness.context({ evaluator }));
    expect(evaluator.measured).toHaveLength(2);
    expect(await harness.catalog.trials.list(queued.id)).toEqual(recorded);

    const other = await harness.queue(await harness.newRun({ search }), 0, modelOf(tinyWeights(0)));
    const foreign = recorded.map(({ halves: _, createdAt: __, ...trial }) => ({
      ...trial,
      checkpointId: other.id,
      configKey: trial.configKey.replace('+halves', ''),
    }));
    for (const trial of foreign) await harness.catalog.trials.record(trial);
    await harness.work();
    const { result } = await harness.checkpoint(other.id);
    const all = await harness.catalog.trials.list(other.id);
    expect(result!.trialCount).toBe(recorded.length);
    expect(all).toHaveLength(2 * recorded.length);
  });
});
