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
import { HubApi } from './hub-api.ts';
import { pushAsClient } from './push-as-client.ts';
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
function push(step: number): Promise<string> {
  return pushAsClient(hub.url, {
    id: id(),
    summary: `step ${step}`,
    large: {
      'model.safetensors': classifierFile(classifierWeights(step)),
      'model.grad.safetensors': classifierFile(classifierGradients(step)),
    },
    small: { 'config.json': '{}' },
  });
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
