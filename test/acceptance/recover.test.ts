import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { createEvalSet, createRepository, createRun, givenConfig, pushFiles, pushOne } from './hub-fixtures.ts';
import { HubApi, readJson, sha256, type Json } from './hub-api.ts';
import { startHub, type Hub } from './start-hub.ts';
import { linearBatches, linearFile, linearGraph, linearSpec, trapGraph } from './trap-graph.ts';

/** Short enough for a test, long enough for a normal evaluation on a busy machine. */
const deadlineS = 3;
/** Accepts any result of the linear model. */
const thresholds = { error: 10 };
const modelPath = 'model.safetensors';

let hub: Hub;
let api: HubApi;
let repository: string;

beforeAll(async () => {
  hub = await startHub({ environment: { FIRN_EVAL_DEADLINE_S: String(deadlineS) } });
  api = new HubApi(hub.url);
  repository = await createRepository(api, 'recover');
  await createEvalSet(api, repository, {
    name: 'trap',
    spec: linearSpec,
    graph: trapGraph('endless'),
    batches: linearBatches(),
  });
  for (const name of ['sound', 'sound-too'])
    await createEvalSet(api, repository, { name, spec: linearSpec, graph: linearGraph(), batches: linearBatches() });
});

afterAll(() => hub?.stop());

const patch = (path: string, json: Json) => api.ask('PATCH', path, { json });
const newRun = (name: string): Promise<string> =>
  createRun(api, repository, {
    name,
    evalSet: 'trap',
    thresholds,
    allowLarge: true,
    search: { fixedConfig: givenConfig },
  });
/** Pushes a step whose weights trigger the trap of the eval set. */
async function pushFailing(run: string, step: number): Promise<string> {
  const checkpoint = await pushOne(api, run, step, linearFile(step, 1));
  expect(await api.settled(checkpoint)).toMatchObject({
    state: 'failed',
    error: { code: 'eval-timeout' },
    evalSet: 'trap',
  });
  return checkpoint;
}

describe('a step that failed for its eval set', () => {
  let run: string;
  let failed: string;
  let neighbours: Json[];
  beforeAll(async () => {
    run = await newRun('train');
    await pushOne(api, run, 1, linearFile(1, 0));
    failed = await pushFailing(run, 2);
    await pushOne(api, run, 3, linearFile(3, 0));
    await api.ready(`${run}/checkpoints/3`);
    neighbours = [await api.read(`${run}/checkpoints/1`), await api.read(`${run}/checkpoints/3`)];
  });

  test('says why, and how it is tried again, to whoever sends its bytes again or asks for them', async () => {
    const status = await api.read(failed);
    expect(status.links.retry).toBe(`${failed}/retry`);
    for (const again of [
      await api.put(failed, linearFile(2, 1)),
      await api.put(`${failed}/files/${modelPath}`, linearFile(2, 1)),
      await api.post(`${run}/checkpoints`, { step: 2, files: [{ path: modelPath, sha256: sha256(linearFile(2, 1)) }] }),
      await api.post(`${failed}/commit`),
    ]) {
      const { detail } = expectProblem(again, 409, 'checkpoint-failed');
      expect(detail).toContain(status.error.message);
      expect(detail).toContain('measured with eval set "trap"');
      expect(detail).toContain(`POST ${failed}/retry with {"evalSet": "<name of another eval set>"}`);
      expect(detail).toContain(`PATCH ${run} with {"evalSet": "<name of another eval set>"}`);
    }
    expectProblem(await api.put(failed, linearFile(2, 0)), 409, 'step-exists');
    expect(expectProblem(await api.get(`${failed}/files/${modelPath}`), 409, 'checkpoint-failed').detail).toMatch(
      /\?as=uploaded.*\/retry/,
    );
  });

  test('keeps its eval set from being deleted', async () => {
    expect(expectProblem(await api.ask('DELETE', `${repository}/eval-sets/trap`), 409, 'conflict').detail).toContain(
      '"train"',
    );
  });

  test('is ready once its run has another eval set and it is tried again, and nothing else has changed', async () => {
    const changed = readJson(await patch(run, { evalSet: 'sound' }), 200);
    expect(changed).toMatchObject({
      evalSet: 'sound',
      thresholds,
      thresholdsInWords: ["error may grow by at most 1,000 % of the uploaded checkpoint's"],
    });
    expect(await api.read(run)).toEqual(changed);
    expect(expectProblem(await api.ask('DELETE', `${repository}/eval-sets/trap`), 409, 'conflict').detail).toMatch(
      /step 2 .*failed/,
    );
    const key = { 'idempotency-key': 'once' };
    const retried = await api.post(`${failed}/retry`, undefined, key);
    expect(readJson(retried, 202)).toMatchObject({ step: 2, sequence: 1, state: 'queued' });
    expect(retried.headers.get('location')).toBe(failed);
    const ready = await api.ready(failed);
    expect(ready).toMatchObject({ evalSet: 'sound', thresholds, result: { fidelity: 'lossy' } });
    expect(ready.error).toBeUndefined();
    expect(ready.links.retry).toBeUndefined();
    expect(ready.files[0].uploaded.href).toBeUndefined();
    expect(sha256((await api.get(`${failed}/files/${modelPath}`)).bytes)).toBe(ready.files[0].rebuilt.sha256);
    expect([await api.read(`${run}/checkpoints/1`), await api.read(`${run}/checkpoints/3`)]).toEqual(neighbours);
    // The same request gets the same answer again; a different one gets a conflict.
    expect((await api.post(`${failed}/retry`, undefined, key)).headers.get('idempotent-replayed')).toBe('true');
    expect(expectProblem(await api.post(`${failed}/retry`), 409, 'conflict').detail).toContain('is ready');
    readJson(await api.put(failed, linearFile(2, 1)), 200);
  });

  test('has a run that measures later steps with the new eval set, and frees the old one', async () => {
    const next = await api.ready(await pushOne(api, run, 4, linearFile(4, 1)));
    expect(next).toMatchObject({ evalSet: 'sound', result: { kind: 'delta', ancestorStep: 3 } });
    expect(await api.read(`${run}/checkpoints/1`)).toMatchObject({ evalSet: 'trap' });
    expect((await api.ask('DELETE', `${repository}/eval-sets/trap`)).status).toBe(204);
    const { evalSet, ...measured } = await api.read(`${run}/checkpoints/1`);
    expect([evalSet, measured.state]).toEqual([undefined, 'ready']);
    await createEvalSet(api, repository, {
      name: 'trap',
      spec: linearSpec,
      graph: trapGraph('endless'),
      batches: linearBatches(),
    });
  });
});

test('the call that a failed step gives works once a name is put into it, for the step alone', async () => {
  const run = await newRun('named');
  const failed = await pushFailing(run, 1);
  const { detail } = expectProblem(await api.put(failed, linearFile(1, 1)), 409, 'checkpoint-failed');
  const [, path, body] = /POST (\S+) with (\{[^}]+\})/.exec(detail)!;
  readJson(
    await api.post(path!, { ...JSON.parse(body!.replace(/<.*>/, 'sound-too')), thresholds: { error: 0.5 } }),
    202,
  );
  expect(await api.ready(failed)).toMatchObject({ evalSet: 'sound-too', thresholds: { error: 0.5 } });
  expect(await api.read(run)).toMatchObject({ evalSet: 'trap', thresholds });
});

test('only what can be tried again is, with what can be used', async () => {
  const run = await newRun('refused');
  const checkpoint = await pushFailing(run, 1);
  const retry = (json?: Json) => api.post(`${checkpoint}/retry`, json);
  expectProblem(await retry({ evalSet: 'none' }), 404, 'not-found');
  expectProblem(await retry({ thresholds: { speed: 0.1 } }), 422, 'metric-unknown');
  expect(expectProblem(await retry({ thresholds: { error: 2 } }), 400, 'invalid-request').detail).toMatch(
    /200 %.*"allowLarge": true/,
  );
  expectProblem(await retry({ evalset: 'sound' }), 400, 'invalid-request');
  expectProblem(await api.post(`${run}/checkpoints/9/retry`), 404, 'not-found');
  expect(await api.read(checkpoint)).toMatchObject({ state: 'failed' });
  expectProblem(await patch(run, {}), 400, 'invalid-request');
  expectProblem(await patch(run, { evalSet: 'none' }), 404, 'not-found');
  expectProblem(await patch(run, { name: 'other' }), 400, 'invalid-request');
  const exact = await createRun(api, repository, { name: 'exact' });
  expect(expectProblem(await patch(exact, { evalSet: 'sound' }), 409, 'conflict').detail).toContain('exact');
});

test('what the training job measured comes with the checkpoint, and must be of the eval set', async () => {
  const run = await createRun(api, repository, { name: 'expecting', evalSet: 'sound', search: { expectsWithin: 0.5 } });
  expect(await api.read(run)).toMatchObject({ thresholds: { error: 0.005 }, search: { expectsWithin: 0.5 } });
  const { baseline } = (await api.ready(await pushOne(api, run, 1, linearFile(1, 0)))).result;
  const expects = { error: baseline.error };
  const reserved = await pushFiles(api, run, 2, { [modelPath]: linearFile(2, 0) }, { expects });
  expect(await api.ready(reserved)).toMatchObject({ expects });
  const pushed = `${run}/checkpoints/3`;
  readJson(await api.put(`${pushed}?expects=${encodeURIComponent(JSON.stringify(expects))}`, linearFile(3, 0)), 202);
  expect(await api.ready(pushed)).toMatchObject({ expects });
  expectProblem(await api.post(`${run}/checkpoints`, { step: 4, expects: { speed: 1 } }), 422, 'metric-unknown');
  expectProblem(await api.put(`${run}/checkpoints/4?expects=[]`, linearFile(4, 0)), 400, 'invalid-request');
  const exact = await createRun(api, repository, { name: 'expecting-nothing' });
  expectProblem(await api.post(`${exact}/checkpoints`, { step: 1, expects }), 400, 'invalid-request');
});
