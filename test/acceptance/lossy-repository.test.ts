import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  classifierFile,
  classifierGradients,
  classifierRows,
  classifierWeights,
  measure,
  weightsOf,
} from './classifier.ts';
import { createClassifierSet, createRepository } from './hub-fixtures.ts';
import { HubApi, sha256 } from './hub-api.ts';
import { startHub, type Hub } from './start-hub.ts';

const rows = classifierRows(classifierWeights(0));
const threshold = 0.05;
/** The hub computes in single precision, the test in double. */
const tolerance = 1e-4;
/** Longest wait for a checkpoint and its publication, in ms. */
const readyMs = 120_000;

let hub: Hub;
let api: HubApi;
let repository: string;

beforeAll(async () => {
  hub = await startHub();
  api = new HubApi(hub.url);
  repository = await createRepository(api, 'pushed');
  await createClassifierSet(api, repository, rows);
}, 330_000);
afterAll(() => hub?.stop());

const id = (): string => repository.slice('/v1/repositories/'.length);

async function ask(method: string, path: string, body?: string): Promise<Response> {
  return fetch(hub.url + path, { method, ...(body !== undefined && { body }) });
}

/** Pushes as a hub client does, and returns the commit. */
async function push(step: number): Promise<string> {
  const files = {
    'model.safetensors': classifierFile(classifierWeights(step)),
    'model.grad.safetensors': classifierFile(classifierGradients(step)),
  };
  const objects = Object.values(files).map((bytes) => ({ oid: sha256(bytes), size: bytes.length }));
  const batch = await ask(
    'POST',
    `/${id()}.git/info/lfs/objects/batch`,
    JSON.stringify({ operation: 'upload', objects }),
  );
  const { objects: answered } = (await batch.json()) as {
    objects: { oid: string; actions: { upload: { href: string } } }[];
  };
  for (const bytes of Object.values(files)) {
    const { href } = answered.find(({ oid }) => oid === sha256(bytes))!.actions.upload;
    expect((await fetch(href, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
  }
  const lines = [
    { key: 'header', value: { summary: `step ${step}` } },
    { key: 'file', value: { path: 'config.json', content: Buffer.from('{}').toString('base64'), encoding: 'base64' } },
    ...Object.entries(files).map(([path, bytes]) => ({
      key: 'lfsFile',
      value: { path, algo: 'sha256', oid: sha256(bytes), size: bytes.length },
    })),
  ];
  const answer = await ask(
    'POST',
    `/api/models/${id()}/commit/main`,
    lines.map((line) => JSON.stringify(line)).join('\n'),
  );
  return ((await answer.json()) as { commitOid: string }).commitOid;
}

async function change(hubSettings: object): Promise<Response> {
  return fetch(hub.url + repository, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ hub: hubSettings }),
  });
}

async function head(revision: string): Promise<string | undefined> {
  const answer = await ask('GET', `/api/models/${id()}/revision/${revision}`);
  return answer.ok ? ((await answer.json()) as { sha: string }).sha : undefined;
}

async function bytesAt(revision: string, path: string): Promise<Buffer> {
  const answer = await ask('GET', `/${id()}/resolve/${revision}/${path}`);
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** Waits until another commit than the pushed one is what the branch or tag leads to. */
async function published(revision: string, pushed: string): Promise<string> {
  for (const startedMs = performance.now(); performance.now() - startedMs < readyMs;) {
    const now = await head(revision);
    if (now !== undefined && now !== pushed) return now;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${revision} was not published: ${hub.output()}`);
}

test('a lossy repository needs an eval set that is there', async () => {
  expect((await change({ fidelity: 'lossy' })).status).toBe(400);
  expect((await change({ fidelity: 'lossy', evalSet: 'absent' })).status).toBe(404);
  const settings = { fidelity: 'lossy', evalSet: 'held-out', thresholds: { loss: threshold } };
  expect(((await (await change(settings)).json()) as { hub: object }).hub).toEqual({
    ...settings,
    shows: 'compressed',
  });
});

test(
  'a push is published again, compressed inside the threshold, as a commit that says so',
  { timeout: readyMs },
  async () => {
    const model = classifierFile(classifierWeights(1));
    const pushed = await push(1);
    expect(await bytesAt(pushed, 'model.safetensors')).toEqual(model);
    const compressed = await published('main', pushed);
    const [newest, before] = (await (await ask('GET', `/api/models/${id()}/commits/main`)).json()) as {
      id: string;
      title: string;
      message: string;
    }[];
    expect([newest!.id, before!.id]).toEqual([compressed, pushed]);
    expect(newest!.title).toMatch(/^Step 1 compressed, \d+\.\dx smaller$/);
    expect(newest!.message).toContain('loss: ');
    // Both forms have their own bytes under their own names; the other files are the same.
    const rebuilt = await bytesAt('main', 'model.safetensors');
    expect(rebuilt).not.toEqual(model);
    const [loss, lossBefore] = [measure(weightsOf(rebuilt), rows).loss, measure(weightsOf(model), rows).loss];
    expect((loss - lossBefore) / lossBefore).toBeLessThanOrEqual(threshold + tolerance);
    expect(await bytesAt('step-1-uploaded', 'model.safetensors')).toEqual(model);
    expect(await head('step-1')).toBe(compressed);
    expect(await bytesAt('main', 'model.grad.safetensors')).toEqual(classifierFile(classifierGradients(1)));
    expect((await bytesAt('main', 'config.json')).toString()).toBe('{}');
  },
);

test('the branch shows what was pushed where the repository wants that', { timeout: readyMs }, async () => {
  expect((await change({ fidelity: 'lossy', evalSet: 'held-out', shows: 'uploaded' })).status).toBe(200);
  const pushed = await push(2);
  const compressed = await published('step-2-compressed', pushed);
  expect([await head('main'), await head('step-2')]).toEqual([pushed, pushed]);
  expect(await bytesAt(compressed, 'model.safetensors')).not.toEqual(classifierFile(classifierWeights(2)));
});
