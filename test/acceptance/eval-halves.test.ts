import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  classifierBatches,
  classifierFile,
  classifierGraph,
  classifierRows,
  classifierSpec,
  classifierWeights,
  measure,
  weightsOf,
  type EvalRows,
} from './classifier.ts';
import { HubApi, type Json } from './hub-api.ts';
import { createClassifierSet, createEvalSet, createRepository, createRun, pushOne } from './hub-fixtures.ts';
import { startHub, type Hub } from './start-hub.ts';

const threshold = 0.03;
/** The hub computes in single precision, the test in double. */
const metricTolerance = 1e-4;
const rows = classifierRows(classifierWeights(0));
const search = { evalBatches: 'halves' };

/** The rows in batches whose number is `remainder` modulo 2. */
function halfOf({ ids, labels }: EvalRows, remainder: number): EvalRows {
  const wordsPerRow = ids.length / labels.length;
  const isIn = (row: number) => Math.floor(row / classifierSpec.batchRows) % 2 === remainder;
  return {
    ids: ids.filter((_, at) => isIn(Math.floor(at / wordsPerRow))),
    labels: labels.filter((_, row) => isIn(row)),
  };
}

let hub: Hub;
let api: HubApi;
let repository: string;

beforeAll(async () => {
  hub = await startHub();
  api = new HubApi(hub.url);
  repository = await createRepository(api, 'halves');
});

afterAll(() => hub?.stop());

describe('a run judged on both halves of its eval set', () => {
  test('returns checkpoints inside the threshold on each half, and tells the halves of every trial', async () => {
    await createClassifierSet(api, repository, rows);
    const run = await createRun(api, repository, {
      name: 'train',
      evalSet: 'held-out',
      thresholds: { loss: threshold },
      search,
    });
    for (const step of [1, 2]) {
      const uploaded = classifierWeights(step);
      const checkpoint = await pushOne(api, run, step, classifierFile(uploaded));
      const { result } = await api.ready(checkpoint);
      expect(result).toMatchObject({ fidelity: 'lossy', kind: step === 1 ? 'base' : 'delta' });
      const rebuilt = weightsOf((await api.get(`${checkpoint}/files/model.safetensors`)).bytes);
      const halves = [halfOf(rows, 0), halfOf(rows, 1)];
      for (const part of [rows, ...halves]) {
        expect(measure(rebuilt, part).loss / measure(uploaded, part).loss - 1).toBeLessThanOrEqual(
          threshold + metricTolerance,
        );
      }
      expect(result.measured.loss).toBeCloseTo(measure(rebuilt, rows).loss, 4);
      const { items } = await api.read(`${checkpoint}/trials`);
      const chosen = items.find((trial: Json) => trial.config.step === result.config.step);
      expect(chosen.passed).toBe(true);
      for (const [number, half] of halves.entries())
        expect(chosen.halves[number].loss).toBeCloseTo(measure(rebuilt, half).loss, 4);
    }
  });

  test('needs a set of at least two batches: else a checkpoint fails, and stays downloadable', async () => {
    const spec = { ...classifierSpec, batchRows: 192 };
    await createEvalSet(api, repository, {
      name: 'single',
      spec,
      graph: classifierGraph(),
      batches: classifierBatches(rows),
    });
    const run = await createRun(api, repository, {
      name: 'single',
      evalSet: 'single',
      thresholds: { loss: threshold },
      search,
    });
    const model = classifierFile(classifierWeights(1));
    const checkpoint = await pushOne(api, run, 1, model);
    expect(await api.settled(checkpoint)).toMatchObject({
      state: 'failed',
      error: { code: 'eval-input-mismatch', message: expect.stringContaining('do not split into halves') },
    });
    expect((await api.get(`${checkpoint}/files/model.safetensors?as=uploaded`)).bytes.equals(model)).toBe(true);
  });
});
