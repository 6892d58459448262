import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  classifierBatches,
  classifierFile,
  classifierGraph,
  classifierRows,
  classifierSpec,
  classifierWeights,
  measure,
} from './classifier.ts';
import { expectProblem } from './expect-problem.ts';
import { createRepository, createRun, pushOne } from './hub-fixtures.ts';
import { HubApi, readJson } from './hub-api.ts';
import { startHub, type Hub } from './start-hub.ts';

let hub: Hub;
let api: HubApi;
let repository: string;

const weights = classifierWeights(3);
const rows = classifierRows(weights);
const truth = measure(weights, rows);

beforeAll(async () => {
  hub = await startHub();
  api = new HubApi(hub.url);
  repository = await createRepository(api, 'checks');
});

afterAll(() => hub?.stop());

async function upload(name: string, spec: object = classifierSpec): Promise<string> {
  const path = `${repository}/eval-sets/${name}`;
  readJson(await api.post(`${repository}/eval-sets`, { name, spec }), 201);
  readJson(await api.put(`${path}/graph`, classifierGraph()), 200);
  readJson(await api.put(`${path}/batches`, classifierBatches(rows)), 200);
  return path;
}

test('a checkpoint at hand says at the commit what was understood, and what it measures', async () => {
  const exact = await createRun(api, repository, { name: 'seed', fidelity: 'exact' });
  await api.ready(await pushOne(api, exact, 3, classifierFile(weights)));
  const set = await upload('held-out');
  const checked = readJson(await api.post(`${set}/check?checkpoint=seed@3`), 200);
  expect(checked.values.loss).toBeCloseTo(truth.loss, 6);
  expect(checked.values.accuracy).toBe(truth.accuracy);
  expect(checked.understood.join('\n')).toMatch(
    /"loss": cross-entropy of logits \[192, 16\] with labels \[192\], 192 positions; \d/,
  );
  expect(checked.understood.join('\n')).toMatch(/5 weights of the graph are bound by name/);
  expect(checked.warnings).toEqual([]);
  const committed = readJson(await api.post(`${set}/commit?check=seed@3`), 200);
  expect(committed).toMatchObject({ state: 'ready', check: { values: checked.values } });
  expectProblem(await api.post(`${set}/check?checkpoint=seed@4`), 404, 'not-found');
});

test('what would be refused later is refused now, and the set can be mended', async () => {
  const set = await upload('mended', { ...classifierSpec, tensorMap: { 'fc1.bias': { tensor: 'fc2.bias' } } });
  expect(expectProblem(await api.post(`${set}/commit?check=seed@3`), 422, 'eval-input-mismatch').detail).toContain(
    '"fc2.bias"',
  );
  expect(await api.read(set)).toMatchObject({ state: 'open' });
});

test('the first push says what was understood, what else was measured, and trusts the training job', async () => {
  const run = await createRun(api, repository, { name: 'train', evalSet: 'held-out' });
  const first = await api.ready(await pushOne(api, run, 1, classifierFile(weights)));
  expect(first.result.understood.join('\n')).toMatch(/192 rows in 4 batches; fed: "ids" from "ids" \(I64 \[192, 4\]\)/);
  expect(Object.keys(first.result.observed).sort()).toEqual(['agreement', 'kl-divergence']);
  expect(first.result.observed.agreement).toMatchObject({ kind: 'agreement', baseline: 1 });

  const doubted = `${run}/checkpoints/2?expects=${encodeURIComponent(JSON.stringify({ loss: truth.loss * 1.02 }))}`;
  readJson(
    await api.put(doubted, classifierFile(classifierWeights(3, 1)), { 'content-type': 'application/octet-stream' }),
    202,
  );
  const second = await api.ready(`${run}/checkpoints/2`);
  expect(second.result.fidelity).toBe('exact');
  expect(second.result.warnings.join('\n')).toMatch(
    /by the training job and .* on the eval set, which differ by more than 1 %, so the checkpoint is stored exact/,
  );
});
