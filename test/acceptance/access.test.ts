import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firnProgram } from '../harness/firn-program.ts';
import { HubApi } from './hub-api.ts';
import { startHub, type Hub } from './start-hub.ts';

const environment = { FIRN_ACCESS: 'tokens' };

let directory: string;
let hub: Hub;
let admin: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-access-'));
  hub = await startHub({ dataDirectory: directory, environment });
  admin = tokensIn(hub.output())[0]!;
});
afterAll(async () => {
  await hub.stop();
  await rm(directory, { recursive: true, force: true });
});

function tokensIn(text: string): string[] {
  return text.match(/hf_[A-Za-z0-9]{44}/g) ?? [];
}

async function firnToken(
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<{ code: number; out: string }> {
  const child = spawn(process.execPath, [...firnProgram, 'token', ...args], {
    env: { PATH: process.env.PATH, FIRN_DATA_DIR: directory, ...variables },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out };
}

async function status(method: string, path: string, token?: string, json?: unknown): Promise<number> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return (await new HubApi(hub.url).ask(method, path, { headers, ...(json !== undefined && { json }) })).status;
}

test('the first start prints one token that allows everything; nobody comes in without', async () => {
  expect(tokensIn(hub.output())).toHaveLength(1);
  expect(await status('POST', '/v1/repositories', undefined, { namespace: 'acme', name: 'lm' })).toBe(401);
  expect(await status('POST', '/v1/repositories', admin, { namespace: 'acme', name: 'lm' })).toBe(201);
  expect(await status('GET', '/v1/repositories/acme/lm')).toBe(404);
  expect(await status('GET', '/v1/repositories/acme/lm', admin)).toBe(200);
});

test('the command line makes, lists and revokes tokens of a running server', async () => {
  const at = ['--url', hub.url];
  const made = await firnToken(['create', '--name', 'reader', '--grant', 'read:acme', ...at], { FIRN_TOKEN: admin });
  expect(made.code).toBe(0);
  const [reader] = tokensIn(made.out);
  expect(await status('GET', '/v1/repositories/acme/lm', reader)).toBe(200);
  expect(await status('POST', '/v1/repositories/acme/lm/runs', reader, { name: 'x' })).toBe(403);
  const id = reader!.slice(3, 15);
  expect((await firnToken(['list', ...at], { FIRN_TOKEN: admin })).out).toMatch(
    new RegExp(`${id}\tfor good\tread:acme\treader`),
  );
  expect((await firnToken(['revoke', id, ...at], { FIRN_TOKEN: admin })).code).toBe(0);
  expect(await status('GET', '/v1/repositories/acme/lm', reader)).toBe(401);
  const refused = await firnToken(['create', '--name', 'x', '--grant', 'admin', ...at]);
  expect([refused.code, refused.out]).toMatchObject([3, expect.any(String)]);
});

test('while a server runs on it an embedded catalog is not opened', async () => {
  expect((await firnToken(['list'])).code).toBe(1);
  await hub.stop();
  const made = await firnToken(['create', '--name', 'lost mine', '--grant', 'admin']);
  expect(made.code).toBe(0);
  hub = await startHub({ dataDirectory: directory, environment });
  expect(tokensIn(hub.output())).toEqual([]);
  expect(await status('GET', '/v1/repositories/acme/lm', tokensIn(made.out)[0])).toBe(200);
});

test('no file of the data directory has the secret of a token', async () => {
  const secret = admin.slice(15);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile())
      expect((await readFile(join(entry.parentPath, entry.name))).includes(secret), entry.name).toBe(false);
  }
});

test('without access control a server listens on loopback only', async () => {
  await expect(startHub({ environment: { FIRN_ACCESS: 'open', FIRN_HOST: '0.0.0.0' } })).rejects.toThrow(/FIRN_HOST/);
});
