import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { firnProgram } from '../harness/firn-program.ts';

const operator = { id: 'operator', name: 'operator', grants: ['admin'] };
const anonymous = { id: 'anonymous', name: 'anonymous', grants: [] };
const holder = { id: 'a1B2c3D4e5F6', name: 'laptop', grants: ['read:me'] };

let folder: string;
let server: Server | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-sign-in-'));
});
afterEach(async () => {
  server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Starts what answers as a hub whose request is whose; returns its address. */
async function startWhoami(whoseIs: (authorization: string | undefined) => object): Promise<string> {
  server = createServer((req, res) => {
    res.setHeader('content-type', 'application/json').end(JSON.stringify(whoseIs(req.headers.authorization)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs a command that reads `typed` from a pipe. */
async function firn(args: readonly string[], { typed = '', env = {} }: { typed?: string; env?: object } = {}) {
  const child = spawn(process.execPath, [...firnProgram, ...args], {
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder, ...env },
  });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  child.stdin.end(typed);
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...text };
}

const settings = async (): Promise<unknown> =>
  JSON.parse(await readFile(join(folder, 'firn', 'config.json'), 'utf8')) as unknown;

test('logout removes the token of its hub alone, and says what it removed', async () => {
  const url = await startWhoami((authorization) => (authorization === undefined ? anonymous : holder));
  expect((await firn(['login', url], { typed: 'secret\n' })).out).toMatch(
    /^Signed in to .* as laptop: read:me\. Kept in/,
  );
  expect(await settings()).toEqual({ url, tokens: { [url]: 'secret' } });
  expect((await firn(['logout', 'https://other.example'])).out).toMatch(
    /^No token for https:\/\/other\.example is kept/,
  );
  expect(await firn(['logout'])).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining(`token for ${url} is`),
  });
  expect(await settings()).toEqual({ url, tokens: {} });
  const again = await firn(['logout', '--json'], { env: { FIRN_TOKEN: 'secret' } });
  expect(JSON.parse(again.out)).toEqual({ url, removed: false, path: join(folder, 'firn', 'config.json') });
  expect(again).toMatchObject({ code: 0, err: 'FIRN_TOKEN is set, and still sent.\n' });
});

test('login at a hub that checks no tokens says so, and keeps none', async () => {
  const url = await startWhoami(() => operator);
  const signedIn = await firn(['login', url], { typed: 'anything\n' });
  expect(signedIn).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`${url} does not check tokens`) });
  expect(await settings()).toEqual({ url, tokens: {} });
  expect(JSON.parse((await firn(['login', '--json'])).out)).toEqual({ url, ...operator, checksTokens: false });
});

test('login without a token is refused where one is checked', async () => {
  const url = await startWhoami(() => anonymous);
  expect(await firn(['login', url])).toMatchObject({ code: 1, err: expect.stringContaining('There is no token') });
});
