import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HubProcess } from './hub-process.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-demo-hub-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

test('the hub of a demo has only the configuration that the demo gives it, whatever the shell has', async () => {
  vi.stubEnv('FIRN_TYPO', '1');
  vi.stubEnv('FIRN_DATABASE_URL', 'postgres://nobody@127.0.0.1:1/nothing');
  const hub = await HubProcess.start(directory);
  try {
    expect((await fetch(`${hub.url}/healthz`)).status).toBe(200);
    expect(await readdir(directory)).toContain('catalog');
  } finally {
    await hub.stop();
  }
}, 120_000);
