import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classifierFile, classifierRows, classifierWeights } from './classifier.ts';
import { expectProblem } from './expect-problem.ts';
import { createClassifierSet, createRepository, createRun, givenConfig, pushOne } from './hub-fixtures.ts';
import { HubApi, readJson, sha256, type Json } from './hub-api.ts';
import { f32Tensor, safetensorsFile } from './safetensors-file.ts';
import { startHub, type Hub } from './start-hub.ts';
import { expectKept, keptBytes } from './stored-objects.ts';

let hub: Hub;
let api: HubApi;
let repository: string;

beforeAll(async () => {
  hub = await startHub();
  api = new HubApi(hub.url);
  repository = await createRepository(api, 'history');
});

afterAll(() => hub?.stop());

/** The rebuilt model of a step, after checking it against the digest in its status. */
async function rebuilt(checkpoint: string): Promise<Buffer> {
  const status = await api.ready(checkpoint);
  const { bytes } = await api.get(`${checkpoint}/files/model.safetensors`);
  expect(sha256(bytes)).toBe(status.files.find((file: Json) => file.path === 'model.safetensors').rebuilt.sha256);
  return bytes;
}

const model = (step: number, seed?: number): Buffer => classifierFile(classifierWeights(step, seed));

describe('a training that crashed', () => {
  let run: string;
  let fork: string;

  test('resumes from a step as a fork, which may push the same step with other weights', async () => {
    run = await createRun(api, repository, { name: 'first', search: { fixedConfig: givenConfig } });
    for (const step of [10, 20, 30]) await rebuilt(await pushOne(api, run, step, model(step)));
    const refused = expectProblem(await api.put(`${run}/checkpoints/30`, model(31)), 409, 'step-exists');
    expect(refused.detail).toContain('POST /v1/repositories/acme/history/runs');
    expect(refused.detail).toContain('"forkFrom": {"run": "first", "step":');

    const forked = readJson(
      await api.post(`${repository}/runs`, { name: 'resumed', forkFrom: { run: 'first', step: 20 } }),
      201,
    );
    expect(forked).toMatchObject({
      name: 'resumed',
      fidelity: 'lossy',
      forkedFrom: { run: 'first', step: 20 },
      search: { fixedConfig: givenConfig },
    });
    expect(forked.seed).toBe((await api.read(run)).seed);
    fork = `${repository}/runs/resumed`;
    const other = await pushOne(api, fork, 30, model(31));
    expect(await api.ready(other)).toMatchObject({
      sequence: 0,
      result: { kind: 'delta', ancestorRun: 'first', ancestorStep: 20, chainLength: 3 },
    });
    const [original, pushedAgain] = [await rebuilt(`${run}/checkpoints/30`), await rebuilt(other)];
    expect(original.equals(pushedAgain)).toBe(false);
    await rebuilt(await pushOne(api, fork, 40, model(41)));
  });

  test('forks only from a step that is there, and only with the same tensors', async () => {
    expectProblem(
      await api.post(`${repository}/runs`, { name: 'lost', forkFrom: { run: 'first', step: 21 } }),
      404,
      'not-found',
    );
    expectProblem(
      await api.post(`${repository}/runs`, { name: 'lost', forkFrom: { run: 'second', step: 20 } }),
      404,
      'not-found',
    );
    expectProblem(await api.get(`${repository}/runs/lost`), 404, 'not-found');
    const other = safetensorsFile({ 'embed.weight': f32Tensor([64, 17], new Float32Array(64 * 17)) });
    expectProblem(await api.put(`${fork}/checkpoints/50`, other), 422, 'layout-mismatch');
    expectProblem(await api.get(`${fork}/checkpoints/50`), 404, 'not-found');
  });

  test('loses nothing when a step is deleted that later ones build on', async () => {
    const later = [`${run}/checkpoints/30`, `${fork}/checkpoints/30`, `${fork}/checkpoints/40`];
    const before = await Promise.all(later.map(rebuilt));
    for (const step of [20, 10]) {
      const deleted = await api.ask('DELETE', `${run}/checkpoints/${step}`);
      expect([deleted.status, deleted.bytes.length]).toEqual([204, 0]);
      expectProblem(await api.get(`${run}/checkpoints/${step}`), 404, 'not-found');
      expectProblem(await api.get(`${run}/checkpoints/${step}/files/model.safetensors`), 404, 'not-found');
      expectProblem(await api.ask('DELETE', `${run}/checkpoints/${step}`), 404, 'not-found');
    }
    expect((await api.read(`${run}/checkpoints`)).items.map(({ step }: Json) => step)).toEqual([30]);
    const after = await Promise.all(later.map(rebuilt));
    expect(after.map((bytes, at) => bytes.equals(before[at]!))).toEqual([true, true, true]);
  });

  test('may push a deleted step again', async () => {
    const again = await pushOne(api, run, 20, model(22));
    expect(await api.ready(again)).toMatchObject({ step: 20, state: 'ready' });
    await rebuilt(again);
    await rebuilt(`${fork}/checkpoints/40`);
  });

  test('leaves nothing but the chain that its fork starts from when everything is deleted', async () => {
    for (const checkpoint of [
      `${fork}/checkpoints/40`,
      `${fork}/checkpoints/30`,
      `${run}/checkpoints/20`,
      `${run}/checkpoints/30`,
    ]) {
      expect((await api.ask('DELETE', checkpoint)).status).toBe(204);
    }
    const { logicalBytes, stored } = (await api.read('/v1/usage')).items[0];
    expect({ logicalBytes, stored }).toMatchObject({
      logicalBytes: 0,
      stored: { packageBytes: 0, stagedBytes: 0, rawBytes: 0 },
    });
    expect(stored.hiddenBytes).toBeGreaterThan(0);
    expect(stored.pendingDeletionBytes).toBeGreaterThan(stored.hiddenBytes);
    // The fork continues from it.
    const next = await pushOne(api, fork, 50, model(51));
    expect((await api.ready(next)).result).toMatchObject({ kind: 'delta', ancestorRun: 'first', ancestorStep: 20 });
    await rebuilt(next);
  });

  test('leaves nothing at all of a run without forks, hidden ancestors included', async () => {
    const before = await keptBytes(api);
    const plain = await createRun(api, repository, { name: 'plain', search: { fixedConfig: givenConfig } });
    const steps = [1, 2, 3].map((step) => `${plain}/checkpoints/${step}`);
    for (const step of [1, 2, 3]) await rebuilt(await pushOne(api, plain, step, model(step)));
    for (const checkpoint of steps) expect((await api.ask('DELETE', checkpoint)).status).toBe(204);
    await expectKept(hub, api, before);
  });
});

describe('deleting a run', () => {
  test('takes all of it along but what other runs build on, which goes with the last of them', async () => {
    const before = await keptBytes(api);
    const trunk = await createRun(api, repository, { name: 'trunk', search: { fixedConfig: givenConfig } });
    for (const step of [1, 2, 3]) await rebuilt(await pushOne(api, trunk, step, model(step)));
    const branch = await createRun(api, repository, { name: 'branch', forkFrom: { run: 'trunk', step: 2 } });
    const forked = await rebuilt(await pushOne(api, branch, 3, model(4)));
    expect((await api.ask('DELETE', trunk)).status).toBe(204);
    for (const path of [trunk, `${trunk}/checkpoints/3`]) expectProblem(await api.get(path), 404, 'not-found');
    expectProblem(await api.put(`${trunk}/checkpoints/4`, model(4)), 404, 'not-found');
    // The packages of steps 1 and 2 remain, because the branch needs them.
    const { stored } = (await api.read('/v1/usage')).items[0];
    expect(Math.min(stored.hiddenBytes, stored.packageBytes, stored.rawBytes)).toBeGreaterThan(0);
    expect((await rebuilt(`${branch}/checkpoints/3`)).equals(forked)).toBe(true);
    expect((await api.ask('DELETE', branch)).status).toBe(204);
    await expectKept(hub, api, before);
  });
});

describe('cancelling', () => {
  const one = safetensorsFile({ w: f32Tensor([2], [1, 2]) });

  test('a checkpoint that waits: at once, its bytes stay until it is deleted, and its run goes on', async () => {
    const run = await createRun(api, repository, { name: 'waiting' });
    readJson(await api.post(`${run}/checkpoints`, { step: 1, files: [{ path: 'model.safetensors' }] }), 201);
    const waiting = await pushOne(api, run, 2, one);
    expectProblem(await api.ask('DELETE', waiting), 409, 'conflict');
    expect(readJson(await api.post(`${waiting}/cancel`), 200).state).toBe('cancelled');
    expect(readJson(await api.post(`${waiting}/cancel`), 200).state).toBe('cancelled');
    expectProblem(await api.get(`${waiting}/files/model.safetensors`), 409, 'cancelled');
    expect((await api.get(`${waiting}/files/model.safetensors?as=uploaded`)).bytes.equals(one)).toBe(true);
    expect((await api.ask('DELETE', waiting)).status).toBe(204);

    readJson(await api.put(`${run}/checkpoints/1/files/model.safetensors`, one), 201);
    readJson(await api.post(`${run}/checkpoints/1/commit`), 202);
    await api.ready(`${run}/checkpoints/1`);
    await api.ready(await pushOne(api, run, 2, one));
    expectProblem(await api.post(`${waiting}/cancel`), 409, 'conflict');
  });

  test('a checkpoint that is being searched: it ends soon, and its run goes on', async () => {
    const rows = classifierRows(classifierWeights(0));
    await createClassifierSet(api, repository, rows);
    // No config with two bins passes a threshold of zero, so the search goes through the whole cube.
    const search = { bins: [2, 3, 4], embeddingBins: [2, 3, 4], trialsMax: 200 };
    const run = await createRun(api, repository, {
      name: 'searching',
      evalSet: 'held-out',
      thresholds: { loss: 0 },
      search,
    });
    const searched = await pushOne(api, run, 1, model(1));
    const later = await pushOne(api, run, 2, model(2));
    let last: Json;
    for await (const { event, data } of api.follow(searched)) {
      if (event === 'trial' && data.ordinal === 0)
        expect([200, 202]).toContain((await api.post(`${searched}/cancel`)).status);
      last = data;
    }
    expect(last).toMatchObject({ step: 1, state: 'cancelled' });
    expect((await api.read(`${searched}/trials`)).items.length).toBeLessThan(50);
    await api.ready(later);
    for (const checkpoint of [searched, later]) expect((await api.ask('DELETE', checkpoint)).status).toBe(204);
  });

  test('an open reservation, and deleting one', async () => {
    const run = await createRun(api, repository, { name: 'open' });
    for (const step of [1, 2]) {
      readJson(await api.post(`${run}/checkpoints`, { step }), 201);
      readJson(await api.put(`${run}/checkpoints/${step}/files/model.safetensors`, one), 201);
    }
    const kept = await keptBytes(api);
    expect(readJson(await api.post(`${run}/checkpoints/1/cancel`), 200).state).toBe('cancelled');
    expectProblem(await api.post(`${run}/checkpoints/1/commit`), 409, 'conflict');
    for (const step of [1, 2]) expect((await api.ask('DELETE', `${run}/checkpoints/${step}`)).status).toBe(204);
    expect(await keptBytes(api)).toBeLessThan(kept - 2 * one.length);
    await api.ready(await pushOne(api, run, 3, one));
  });
});
