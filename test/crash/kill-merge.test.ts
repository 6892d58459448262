import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomNumbers } from '../acceptance/random-numbers.ts';
import { startHub, type Hub } from '../acceptance/start-hub.ts';
import { checkCollected, collectGarbage, countObjects, statusOf } from './crash-checks.ts';
import { movingFile, repository, sha256 } from './crash-clients.ts';

/** Five starts, on two busy processors. `kill-nine.ts` kills more merges. */
const timeoutMs = 900_000;
/** Longest time from queueing a merge to the kill, in ms; a merge takes about half a second. */
const killAfterMsMax = 900;
const kills = 2;
/** Longest wait for the last merges, in ms. */
const mergeMsMax = 60_000;
const run = 'run';
/** Steps pushed before anything is merged. */
const firstSteps = 14;
/** Steps pushed before each kill. */
const stepsEach = 6;

let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'firn-kill-merge-'));
});
afterAll(() => rm(dataDirectory, { recursive: true, force: true }));

/** Pushes the steps from `first` on, and waits until all are ready. */
async function push(hub: Hub, first: number, count: number): Promise<void> {
  for (let step = first; step < first + count; step++) await pushStep(hub, step);
  for (let step = first; step < first + count; step++)
    while ((await statusOf(hub.url, run, step))?.state !== 'ready') await delay(20);
}

async function pushStep(hub: Hub, step: number): Promise<void> {
  const answer = await fetch(`${hub.url}${repository}/runs/${run}/checkpoints/${step}`, {
    method: 'PUT',
    body: new Uint8Array(movingFile(step)),
  });
  expect(answer.status, await answer.text()).toBeLessThan(300);
}

async function isMerged(hub: Hub, step: number): Promise<boolean> {
  return (await statusOf(hub.url, run, step))?.package?.mergedPackage !== undefined;
}

async function post(hub: Hub, path: string, body: object): Promise<void> {
  const answer = await fetch(hub.url + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status, await answer.text()).toBeLessThan(300);
}

/** Digests of all downloads, as the hub reports them and as computed. */
async function digests(hub: Hub, steps: number): Promise<string[]> {
  const found: string[] = [];
  for (let step = 0; step < steps; step++) {
    const status = await statusOf(hub.url, run, step);
    const answer = await fetch(`${hub.url}${repository}/runs/${run}/checkpoints/${step}/files/model.safetensors`);
    const digest = sha256(Buffer.from(await answer.arrayBuffer()));
    expect([answer.status, digest], `step ${step}`).toEqual([200, status?.files[0]?.rebuilt?.sha256]);
    found.push(digest);
  }
  return found;
}

test(
  'a merge that is killed leaves the old packages or the new one, and nothing else for ever',
  async () => {
    let hub = await startHub({ dataDirectory, environment: { FIRN_MERGE: 'off' } });
    await post(hub, '/v1/repositories', { namespace: 'crash', name: 'test' });
    await post(hub, `${repository}/runs`, {
      name: run,
      search: { method: 'residual', fixedConfig: { method: 'residual', step: 0 } },
    });
    await push(hub, 0, firstSteps);
    const before = await digests(hub, firstSteps);
    await hub.stop('SIGKILL');

    const random = randomNumbers(3);
    const merged: number[] = [];
    let steps = firstSteps;
    for (let kill = 0; kill < kills; kill++) {
      hub = await startHub({ dataDirectory });
      expect((await digests(hub, firstSteps)).join()).toBe(before.join());
      merged.push((await countObjects(hub.url, dataDirectory, [run])).merged);
      await push(hub, steps, stepsEach);
      steps += stepsEach;
      await delay(random() * killAfterMsMax);
      await hub.stop('SIGKILL');
    }

    hub = await startHub({ dataDirectory });
    // The second group of merged deltas ends with this step.
    for (const deadline = Date.now() + mergeMsMax; !(await isMerged(hub, 6)); await delay(50))
      expect(Date.now(), `merged after each kill: ${merged.join(', ')}`).toBeLessThan(deadline);
    expect((await countObjects(hub.url, dataDirectory, [run])).merged).toBeGreaterThanOrEqual(6);
    await hub.stop();

    await collectGarbage(dataDirectory);
    hub = await startHub({ dataDirectory, environment: { FIRN_MERGE: 'off' } });
    expect(await checkCollected(hub.url, dataDirectory, [run])).toEqual([]);
    expect((await digests(hub, steps)).slice(0, firstSteps)).toEqual(before);
    await hub.stop();
  },
  timeoutMs,
);
