import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Longest wait for the first answer, in ms; it includes builds, on a busy machine. */
const startDeadlineMs = 300_000;
/** A server without requests and jobs ends within this time of SIGTERM, in ms. */
const stopDeadlineMs = 15_000;
const pollMs = 50;

let directory: string;
let npm: ChildProcess | undefined;
/** Process id of the server, which must be killed if npm leaves it running. */
let serverPid: number | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-npm-start-'));
});
afterEach(async () => {
  npm?.kill('SIGKILL');
  if (serverPid !== undefined && isAlive(serverPid)) process.kill(serverPid, 'SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

test('SIGTERM to npm start ends the server, which gives back its port and its data directory', async () => {
  const port = await freePort();
  const lock = join(directory, 'data', 'catalog', 'lock');
  const environment = {
    FIRN_ACCESS: 'open',
    FIRN_PORT: String(port),
    FIRN_DATA_DIR: join(directory, 'data'),
    FIRN_LOG_LEVEL: 'error',
  };
  const own = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(FIRN_|npm_|NODE_)/.test(key)));
  npm = spawn('npm', ['start'], { cwd: root, env: { ...own, ...environment }, stdio: 'inherit' });
  await until(() => answers(port), startDeadlineMs);
  serverPid = (JSON.parse(readFileSync(lock, 'utf8')) as { pid: number }).pid;
  // It runs compiled code, without a TypeScript loader; only Linux shows the arguments of a process.
  if (existsSync('/proc/self/cmdline')) expect(readFileSync(`/proc/${serverPid}/cmdline`, 'utf8')).not.toContain('tsx');

  const ended = once(npm, 'exit');
  npm.kill('SIGTERM');
  await until(() => !isAlive(serverPid!), stopDeadlineMs);
  expect(await ended).toEqual([0, null]);
  expect(existsSync(lock)).toBe(false);
  await new Promise<void>((bound, fail) => {
    const next = createServer().once('error', fail);
    next.listen(port, '127.0.0.1', () => next.close(() => bound()));
  });
}, 400_000);

async function until(isSo: () => boolean | Promise<boolean>, deadlineMs: number): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`it was not so within ${deadlineMs / 1000} s`);
    await pause(pollMs);
  }
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
