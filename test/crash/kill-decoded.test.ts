import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { safetensorsFile } from '../acceptance/safetensors-file.ts';
import { startHub, type Hub } from '../acceptance/start-hub.ts';
import { statusOf } from './crash-checks.ts';
import { repository, sha256 } from './crash-clients.ts';

/** About six starts, on two busy processors. */
const timeoutMs = 300_000;
/** Tries to kill the hub while it writes a decoded file. */
const killsMax = 5;
const run = 'run';
const file = `${repository}/runs/${run}/checkpoints/0/files/model.safetensors`;
/** Whole numbers, so that the file is stored as a package. */
const values = Float32Array.from({ length: 12_000_000 }, (_, i) => (i * 7919) % 97);
const model = safetensorsFile({ w: { dtype: 'F32', shape: [values.length], bytes: Buffer.from(values.buffer) } });

let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'firn-kill-decoded-'));
});
afterAll(() => rm(dataDirectory, { recursive: true, force: true }));

async function push(hub: Hub): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const created = [
    ['/v1/repositories', { namespace: 'crash', name: 'test' }],
    [`${repository}/runs`, { name: run, fidelity: 'exact' }],
  ] as const;
  for (const [path, body] of created) {
    const answer = await fetch(hub.url + path, { method: 'POST', body: JSON.stringify(body), headers });
    expect(answer.status, await answer.text()).toBe(201);
  }
  const checkpoint = `${hub.url}${repository}/runs/${run}/checkpoints/0`;
  const answer = await fetch(checkpoint, { method: 'PUT', body: new Uint8Array(model) });
  expect(answer.status, await answer.text()).toBeLessThan(300);
  while ((await statusOf(hub.url, run, 0))?.state !== 'ready') await delay(20);
}

/** Sizes of the decoded files on disk, whole or not. */
async function decodedBytes(): Promise<number[]> {
  const found = await readdir(dataDirectory, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile() && entry.parentPath.endsWith('/decoded'));
  return Promise.all(files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size));
}

async function pull(hub: Hub, range?: string): Promise<string> {
  const answer = await fetch(hub.url + file, range === undefined ? {} : { headers: { range } });
  expect(answer.status).toBe(range === undefined ? 200 : 206);
  return sha256(Buffer.from(await answer.arrayBuffer()));
}

async function counts(hub: Hub): Promise<(string | undefined)[]> {
  const text = await (await fetch(`${hub.url}/metrics`)).text();
  return ['hits', 'misses'].map((what) =>
    new RegExp(`^firn_cache_${what}_total\\{[^}]*"decoded"[^}]*\\} (\\d+)`, 'm').exec(text)?.at(1),
  );
}

test(
  'a decoded file that a kill cut short is swept; then eight clients and a range decode it once',
  async () => {
    let hub = await startHub({ dataDirectory });
    await push(hub);
    let cut = false;
    for (let kill = 0; kill < killsMax && !cut; kill++) {
      const leaving = new AbortController();
      const answer = await fetch(hub.url + file, { signal: leaving.signal });
      await answer.body!.getReader().read();
      await hub.stop('SIGKILL');
      leaving.abort();
      cut = (await decodedBytes()).some((bytes) => bytes < model.length);
      hub = await startHub({ dataDirectory });
      expect(await decodedBytes()).toEqual([]);
    }
    expect(cut).toBe(true);
    const eight = await Promise.all(Array.from({ length: 8 }, () => pull(hub)));
    expect(eight).toEqual(Array.from({ length: 8 }, () => sha256(model)));
    expect(await pull(hub, 'bytes=1000000-1999999')).toBe(sha256(model.subarray(1_000_000, 2_000_000)));
    expect(await counts(hub)).toEqual(['8', '1']);
    expect(await decodedBytes()).toEqual([model.length]);

    const deleted = await fetch(`${hub.url}${repository}/runs/${run}/checkpoints/0`, { method: 'DELETE' });
    expect(deleted.status).toBeLessThan(300);
    expect((await fetch(hub.url + file)).status).toBe(404);
    await hub.stop();
  },
  timeoutMs,
);
