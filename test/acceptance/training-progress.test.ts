import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classifierFile, classifierRows, classifierWeights, measure, weightsOf } from './classifier.ts';
import { expectProblem } from './expect-problem.ts';
import { createClassifierSet, createRepository, createRun, pushOne, unguarded } from './hub-fixtures.ts';
import { HubApi, readJson, type Json } from './hub-api.ts';
import { startHub, type Hub } from './start-hub.ts';

/** The hub computes in single precision, the test in double. */
const metricTolerance = 1e-4;
const rows = classifierRows(classifierWeights(0));
/** The labels are those of step 0, so a series that goes back to it learns. */
const learned: Readonly<Record<number, number>> = { 100: 12, 200: 9, 300: 6, 400: 3 };
const model = (step: number): Buffer => classifierFile(classifierWeights(learned[step]!));
const uploadedLoss = (step: number): number => measure(weightsOf(model(step)), rows).loss;

let hub: Hub;
let api: HubApi;
let repository: string;
let run: string;
beforeAll(async () => {
  hub = await startHub();
  api = new HubApi(hub.url);
  repository = await createRepository(api, 'progress');
  await createClassifierSet(api, repository, rows);
  run = await createRun(api, repository, {
    name: 'train',
    evalSet: 'held-out',
    thresholds: { loss: { relative: 0.05, progress: 0.2 } },
    search: unguarded,
  });
});
afterAll(() => hub?.stop());

describe('a small series bounded by its progress', () => {
  const statuses: Json[] = [];

  test('loses at most its share of what each checkpoint gained, in what a download returns', async () => {
    for (const step of [100, 200, 300]) statuses.push(await api.ready(await pushOne(api, run, step, model(step))));
    for (const [at, { step, result }] of statuses.entries()) {
      expect(result.fidelity).toBe('lossy');
      const limit = result.limits.loss;
      if (at === 0) {
        expect(limit).toEqual({ degradationMax: 0.05, boundBy: 'relative', withoutProgress: 0.05 });
        continue;
      }
      const gain = uploadedLoss(step - 100) - uploadedLoss(step);
      expect(limit).toMatchObject({ boundBy: 'progress', gain: { run: 'train', step: step - 100, checkpoints: 1 } });
      expect(limit.gain.perCheckpoint).toBeCloseTo(gain, 3);
      expect(limit.degradationMax).toBeCloseTo(Math.max((0.2 * gain) / uploadedLoss(step), 0.005), 3);
      const { bytes } = await api.get(`${run}/checkpoints/${step}/files/model.safetensors`);
      const lost = measure(weightsOf(bytes), rows).loss - uploadedLoss(step);
      expect(lost / uploadedLoss(step)).toBeLessThanOrEqual(limit.degradationMax + metricTolerance);
      expect(result.understood.at(-1)).toMatch(/^"loss" fell by .* since step .* of run "train": at most/);
    }
  });

  test('says which step of training each is as good as', () => {
    for (const { step, result } of statuses) {
      const { metric, step: equal, beforeFirst, lagSteps } = result.asGoodAs;
      expect([metric, lagSteps]).toEqual(['loss', step - equal]);
      const isBehind = result.measured.loss > result.baseline.loss;
      expect(equal < step || beforeFirst).toBe(isBehind);
      // A fifth of a gain is at most a fifth of the steps, if the gain is what bounds.
      if (result.limits.loss.degradationMax > 0.0051 && step > 100) expect(lagSteps).toBeLessThanOrEqual(20.01);
    }
  });

  test('ends with an exact checkpoint, and takes no new steps until it is opened again', async () => {
    const pushed = await api.put(`${run}/checkpoints/400?final=${encodeURIComponent('{"exact":true}')}`, model(400));
    expect(readJson(pushed, 202).final).toEqual({ exact: true });
    const last = await api.ready(`${run}/checkpoints/400`);
    expect(last.result).toMatchObject({ fidelity: 'exact', asGoodAs: { step: 400, lagSteps: 0 } });
    const { bytes } = await api.get(`${run}/checkpoints/400/files/model.safetensors`);
    expect(bytes.equals(model(400))).toBe(true);

    expect(await api.read(run)).toMatchObject({ final: true });
    const refused = expectProblem(await api.put(`${run}/checkpoints/500`, model(400)), 409, 'run-closed');
    expect(refused.detail).toContain('{"final": false}');
    readJson(await api.ask('PATCH', run, { json: { final: false } }), 200);
    await api.ready(await pushOne(api, run, 500, model(300)));
  });

  test('once ready, the last checkpoint of a run is not made exact, and is told why', async () => {
    const last = `${run}/checkpoints/500`;
    const uploads = async (): Promise<unknown[]> =>
      (await api.read(last)).files.map(({ uploaded }: Json) => uploaded.href !== undefined);
    expect(await uploads()).toEqual([true]);
    const refused = expectProblem(await api.ask('PATCH', run, { json: { final: { exact: true } } }), 409, 'conflict');
    expect(refused.detail).toMatch(/Step 500.*is ready.*delete the step and push it again with "final"/);
    expect(await api.read(run)).toMatchObject({ final: false });
    // What it has already may be asked for.
    readJson(await api.ask('PATCH', run, { json: { final: { thresholds: { loss: 0.05 } } } }), 200);
    expect(await api.read(run)).toMatchObject({ final: true, thresholds: { loss: { relative: 0.05, progress: 0.2 } } });
    expect(await uploads()).toEqual([false]);
  });
});
