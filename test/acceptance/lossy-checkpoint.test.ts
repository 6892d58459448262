import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  classifierFile,
  classifierGradients,
  classifierRows,
  classifierWeights,
  measure,
  weightsOf,
} from './classifier.ts';
import { expectProblem } from './expect-problem.ts';
import { createClassifierSet, createRepository, createRun, smallSearch, unguarded } from './hub-fixtures.ts';
import { HubApi, readJson, sha256, type HubEvent, type Json } from './hub-api.ts';
import { randomBytesOf } from './random-numbers.ts';
import { floatsOf, headerOf, tensorsOf } from './safetensors-file.ts';
import { startHub, type Hub } from './start-hub.ts';

/** Largest relative degradation, of two metrics at once. */
const thresholds = { loss: 0.05, accuracy: 0.04 };
/** The hub computes in single precision, the test in double. */
const metricTolerance = 1e-4;

const rows = classifierRows(classifierWeights(0));
const config = Buffer.from(JSON.stringify({ architecture: 'classifier', hidden: 32 }, undefined, 2));
const tokenizer = randomBytesOf(2000, 3);

let hub: Hub;
let api: HubApi;
let run: string;

beforeAll(async () => {
  hub = await startHub();
  api = new HubApi(hub.url);
  const repository = await createRepository(api, 'lossy');
  await createClassifierSet(api, repository, rows);
  run = await createRun(api, repository, {
    name: 'train',
    evalSet: 'held-out',
    thresholds,
    search: { ...smallSearch, ...unguarded, method: 'inshrinkerator' },
  });
});

afterAll(() => hub?.stop());

/** Steps of one run; each test relies on the pushes of earlier ones. */
describe('a lossy checkpoint', () => {
  let first: Json;
  let events: HubEvent[];

  test('is reserved, takes its files in any order, and is closed by a commit', async () => {
    const path = `${run}/checkpoints/1`;
    const reserved = await api.post(`${run}/checkpoints`, {
      step: 1,
      files: [{ path: 'model.safetensors' }, { path: 'model.grad.safetensors' }],
    });
    expect(readJson(reserved, 201)).toMatchObject({ run: 'train', step: 1, sequence: 0, state: 'open', href: path });
    expect(reserved.headers.get('location')).toBe(path);

    expectProblem(await api.get(`${path}/files/model.safetensors`), 409, 'checkpoint-not-ready');
    for (const [name, bytes, role] of [
      ['tokenizer/vocab.bin', tokenizer, 'other'],
      ['model.grad.safetensors', classifierFile(classifierGradients(1)), 'sensitivity'],
      ['config.json', config, 'other'],
    ] as const) {
      const answer = await api.put(`${path}/files/${name}`, bytes);
      expect(readJson(answer, 201)).toEqual({
        path: name,
        role,
        sizeBytes: bytes.length,
        sha256: sha256(bytes),
        href: `${path}/files/${name}`,
      });
    }
    expectProblem(await api.post(`${path}/commit`), 409, 'upload-incomplete');
    const model = classifierFile(classifierWeights(1));
    expect(readJson(await api.put(`${path}/files/model.safetensors`, model), 201).role).toBe('model');
    expect(readJson(await api.put(`${path}/files/model.safetensors`, model), 200).sha256).toBe(sha256(model));

    const committed = await api.post(`${path}/commit`);
    expect(readJson(committed, 202)).toMatchObject({ step: 1, revision: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(committed.headers.get('location')).toBe(path);
    expect(readJson(await api.post(`${path}/commit`), 200).step).toBe(1);
  });

  test('tells its progress until it is ready', async () => {
    events = await api.events(`${run}/checkpoints/1`);
    expect(events.at(-1)).toMatchObject({ event: 'state', data: { state: 'ready' } });
    const trials = events.filter(({ event }) => event === 'trial');
    expect(trials.length).toBeGreaterThan(0);
    expect(trials.map(({ id }) => id)).toEqual(trials.map((_, at) => String(at + 1)));
    expect((await api.read(`${run}/checkpoints/1/trials`)).items).toEqual(trials.map(({ data }) => data));
  });

  test('repeats no trial that a client has seen', async () => {
    const seen = events.filter(({ event }) => event === 'trial').length;
    expect(
      (await api.events(`${run}/checkpoints/1`, { 'last-event-id': String(seen - 1) })).filter(
        ({ event }) => event === 'trial',
      ),
    ).toHaveLength(1);
    expect(await api.events(`${run}/checkpoints/1`, { 'last-event-id': String(seen) })).toMatchObject([
      { event: 'state', data: { state: 'ready' } },
    ]);
  });

  test('is described with its result, its files and its package', async () => {
    first = await api.read(`${run}/checkpoints/1`);
    expect(first.result).toMatchObject({
      fidelity: 'lossy',
      kind: 'base',
      chainLength: 1,
      config: { method: 'inshrinkerator' },
    });
    // Loss and accuracy are bounded; the agreement is not, and may change a lot.
    expect(first.result.warnings.filter((sentence: string) => !/^"agreement" is not bounded/.test(sentence))).toEqual(
      [],
    );
    expect(first.result.storedBytes).toBeLessThan(first.result.rawBytes / 2);
    const { items } = await api.read(`${run}/checkpoints/1/trials`);
    expect(items).toHaveLength(first.result.trialCount);
    expect(items.map(({ ordinal }: Json) => ordinal)).toEqual(items.map((_: Json, at: number) => at));
    for (const trial of items)
      expect(trial.passed).toBe(
        trial.degradation.loss <= thresholds.loss && trial.degradation.accuracy <= thresholds.accuracy,
      );
    expect(items.filter(({ passed }: Json) => passed).map((trial: Json) => trial.config)).toContainEqual(
      first.result.config,
    );
    expect(first.files.map(({ path, role, received }: Json) => [path, role, received]).sort()).toEqual([
      ['config.json', 'other', true],
      ['model.grad.safetensors', 'sensitivity', true],
      ['model.safetensors', 'model', true],
      ['tokenizer/vocab.bin', 'other', true],
    ]);
    expect(first.package).toMatchObject({ kind: 'base', chainLength: 1, id: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });

  test('comes down with the digest it was announced with, its header and its other files as they went up', async () => {
    const path = `${run}/checkpoints/1/files`;
    const model = await api.get(`${path}/model.safetensors`);
    expect(model.status).toBe(200);
    const described = first.files.find((file: Json) => file.path === 'model.safetensors');
    expect(sha256(model.bytes)).toBe(described.rebuilt.sha256);
    expect(model.headers.get('repr-digest')).toBe(
      `sha-256=:${Buffer.from(described.rebuilt.sha256, 'hex').toString('base64')}:`,
    );
    const uploaded = classifierFile(classifierWeights(1));
    expect(described.uploaded).toMatchObject({ sha256: sha256(uploaded), sizeBytes: uploaded.length });
    expect(described.rebuilt.sha256).not.toBe(described.uploaded.sha256);
    expect(model.bytes.length).toBe(uploaded.length);
    expect(headerOf(model.bytes).equals(headerOf(uploaded))).toBe(true);
    expect((await api.get(`${path}/config.json`)).bytes.equals(config)).toBe(true);
    expect((await api.get(`${path}/tokenizer/vocab.bin`)).bytes.equals(tokenizer)).toBe(true);
    expectProblem(await api.get(`${path}/model.grad.safetensors`), 404, 'not-found');
  });

  /** Uses this test's own values. */
  function expectInside(before: { loss: number; accuracy: number }, after: { loss: number; accuracy: number }): void {
    expect((after.loss - before.loss) / before.loss).toBeLessThanOrEqual(thresholds.loss + metricTolerance);
    expect((before.accuracy - after.accuracy) / before.accuracy).toBeLessThanOrEqual(
      thresholds.accuracy + metricTolerance,
    );
  }

  test('is inside its thresholds by a computation of our own, on the bytes that came down', async () => {
    const { bytes } = await api.get(`${run}/checkpoints/1/files/model.safetensors`);
    const before = measure(classifierWeights(1), rows);
    const after = measure(weightsOf(bytes), rows);
    for (const metric of ['loss', 'accuracy'] as const) {
      expect(Math.abs(first.result.baseline[metric] - before[metric])).toBeLessThan(metricTolerance);
      expect(Math.abs(first.result.measured[metric] - after[metric])).toBeLessThan(metricTolerance);
    }
    expect(first.result.degradation.loss).toBeCloseTo((after.loss - before.loss) / before.loss, 3);
    expectInside(before, after);
  });

  test('has no more different values than its config allows, and its small tensors exact', async () => {
    const { bins, embeddingBins, protectFraction } = first.result.config;
    const tensors = tensorsOf((await api.get(`${run}/checkpoints/1/files/model.safetensors`)).bytes);
    const uploaded = tensorsOf(classifierFile(classifierWeights(1)));
    const valueCount = (name: string) => new Set(floatsOf(tensors.get(name)!)).size;
    const protectedMost = Math.ceil(protectFraction * 2048) + 1;
    expect(valueCount('fc1.weight')).toBeLessThanOrEqual(bins + 1 + protectedMost);
    expect(valueCount('fc2.weight')).toBeLessThanOrEqual(bins + 1 + protectedMost);
    expect(valueCount('embed.weight')).toBeLessThanOrEqual(embeddingBins + 1 + protectedMost);
    for (const name of ['fc1.bias', 'fc2.bias'])
      expect(Buffer.from(tensors.get(name)!.bytes).equals(uploaded.get(name)!.bytes)).toBe(true);
  });

  test('keeps its uploaded bytes while it is the newest of its run', async () => {
    const uploaded = await api.get(`${run}/checkpoints/1/files/model.safetensors?as=uploaded`);
    expect(uploaded.bytes.equals(classifierFile(classifierWeights(1)))).toBe(true);
    expect(uploaded.headers.get('repr-digest')).toContain(
      Buffer.from(sha256(uploaded.bytes), 'hex').toString('base64'),
    );
  });

  test('is followed by a delta to it, which costs less and comes down as right', async () => {
    for (const step of [2, 3]) {
      const path = `${run}/checkpoints/${step}`;
      readJson(await api.put(path, classifierFile(classifierWeights(step))), 202);
      const status = await api.ready(path);
      expect(status.result).toMatchObject({
        fidelity: 'lossy',
        kind: 'delta',
        ancestorStep: step - 1,
        ancestorRun: 'train',
        chainLength: step,
      });
      expect(status.result.migration).toBeGreaterThan(0);
      const { bytes } = await api.get(`${path}/files/model.safetensors`);
      expect(sha256(bytes)).toBe(status.files[0].rebuilt.sha256);
      expectInside(measure(classifierWeights(step), rows), measure(weightsOf(bytes), rows));
    }
    const again = await api.get(`${run}/checkpoints/1/files/model.safetensors`);
    expect(sha256(again.bytes)).toBe(
      first.files.find((file: Json) => file.path === 'model.safetensors').rebuilt.sha256,
    );
    expectProblem(await api.get(`${run}/checkpoints/1/files/model.safetensors?as=uploaded`), 404, 'not-found');
    const newest = await api.get(`${run}/checkpoints/3/files/model.safetensors?as=uploaded`);
    expect(newest.bytes.equals(classifierFile(classifierWeights(3)))).toBe(true);
  });

  test('is listed in the order of its run, page by page', async () => {
    const all = await api.read(`${run}/checkpoints`);
    expect(all.items.map(({ step, state }: Json) => [step, state])).toEqual([
      [1, 'ready'],
      [2, 'ready'],
      [3, 'ready'],
    ]);
    expect(all.next).toBeUndefined();
    const page = await api.read(`${run}/checkpoints?limit=2`);
    expect(page.items).toHaveLength(2);
    expect(
      (await api.read(`${run}/checkpoints?limit=2&after=${page.next}`)).items.map(({ step }: Json) => step),
    ).toEqual([3]);
  });

  test('is stored exact when no config passes, and says why', async () => {
    const repository = '/v1/repositories/acme/lossy';
    const search = {
      ...smallSearch,
      ...unguarded,
      method: 'inshrinkerator',
      bins: [2],
      embeddingBins: [2],
      trialsMax: 4,
    };
    const strict = await createRun(api, repository, {
      name: 'strict',
      evalSet: 'held-out',
      thresholds: { loss: 0 },
      search,
    });
    const model = classifierFile(classifierWeights(1));
    readJson(await api.put(`${strict}/checkpoints/1`, model), 202);
    const status = await api.ready(`${strict}/checkpoints/1`);
    expect(status.result).toMatchObject({ fidelity: 'exact', warnings: [expect.stringMatching(/threshold.*exact/)] });
    expect(status.result.config).toBeUndefined();
    expect(status.result.trialCount).toBeGreaterThan(0);
    expect(status.files[0].rebuilt.sha256).toBe(sha256(model));
    expect((await api.get(`${strict}/checkpoints/1/files/model.safetensors`)).bytes.equals(model)).toBe(true);
  });
});
