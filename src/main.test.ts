import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { firnProgram } from '../test/harness/firn-program.ts';
import { f32, noise, safetensors } from './compress/harness/tiny-model.test-support.ts';
import { missingCudaProvider } from './evaluate/device/cuda-provider.ts';
import { fileNameOf, shardOf } from './store/filesystem/filesystem-path.ts';

/** Longest wait for a checkpoint to become ready, in ms. */
const readyDeadlineMs = 40_000;

const orphanKey = `packages/${'ab'.repeat(16)}-1`;

let directory: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-main-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

interface Started {
  readonly url: string;
  readonly child: ChildProcess;
}
interface Ended {
  readonly code: number | null;
  readonly errors: string;
  readonly output: string;
}

/** Starts the process. Resolves with its address once it listens, or with its end. */
async function start(
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<Started | Ended> {
  const own = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('FIRN_')));
  const child = spawn(process.execPath, [...firnProgram, ...args], {
    env: {
      ...own,
      FIRN_PORT: '0',
      FIRN_ACCESS: 'open',
      FIRN_DATA_DIR: join(directory, 'data'),
      FIRN_LOG_LEVEL: 'silent',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.push(child);
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  let output = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, errors, output }));
  return Promise.race([
    once(child, 'message').then(([message]): Started => ({ url: (message as { url: string }).url, child })),
    ended,
  ]);
}

async function running(environment: Readonly<Record<string, string>> = {}): Promise<Started> {
  const started = await start(environment);
  if (!('url' in started)) throw new Error(`it ended with ${started.code}: ${started.errors}`);
  return started;
}

async function terminate({ child }: Started): Promise<number | null> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  return ((await exited) as [number | null])[0];
}

async function call(
  method: string,
  url: string,
  body?: string | Uint8Array,
): Promise<{ status: number; json: unknown }> {
  const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream';
  const answer = await fetch(url, {
    method,
    ...(body !== undefined && { body, headers: { 'content-type': type } }),
  } as RequestInit);
  const text = await answer.text();
  return { status: answer.status, json: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

test('serves, refuses a second process, and goes on after SIGTERM with what it was doing', async () => {
  const first = await running();
  expect((await call('GET', `${first.url}/healthz`)).status).toBe(200);
  expect((await call('GET', `${first.url}/readyz`)).status).toBe(200);

  const second = (await start()) as Ended;
  expect(second.code).toBe(1);
  expect(second.errors).toMatch(/^firn: [A-Z][^\n]+\n$/);

  const repository = `${first.url}/v1/repositories`;
  expect((await call('POST', repository, JSON.stringify({ namespace: 'acme', name: 'lm' }))).status).toBe(201);
  expect(
    (await call('POST', `${repository}/acme/lm/runs`, JSON.stringify({ name: 'train', fidelity: 'exact' }))).status,
  ).toBe(201);
  // Some seconds of work, so that the signal arrives during it.
  const model = safetensors({ w: f32([2000, 2000], noise(4_000_000, 1)) });
  const path = 'v1/repositories/acme/lm/runs/train/checkpoints/1';
  expect((await call('PUT', `${first.url}/${path}`, model)).status).toBe(202);
  expect(await terminate(first)).toBe(0);
  expect((await readdir(join(directory, 'data', 'work'))).sort()).toEqual(['eval-sets']);

  // The remains of a kill: scratch files, and a package that no row will ever name.
  await mkdir(join(directory, 'data', 'work', 'encode-left'));
  const orphan = join(directory, 'data', 'objects', 'objects', shardOf(orphanKey), fileNameOf(orphanKey));
  await writeFile(orphan, 'left');
  const again = await running();
  expect(await readdir(join(directory, 'data', 'work'))).not.toContain('encode-left');
  const deadline = Date.now() + readyDeadlineMs;
  let state = '';
  while (state !== 'ready' && Date.now() < deadline) {
    state = ((await call('GET', `${again.url}/${path}`)).json as { state: string }).state;
    if (state !== 'ready') await pause(50);
  }
  expect(state).toBe('ready');
  const download = await fetch(`${again.url}/${path}/files/model.safetensors`);
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  expect(digest(new Uint8Array(await download.arrayBuffer()))).toBe(digest(model));
  expect(await terminate(again)).toBe(0);

  // The package stays for the grace; with a grace of 0 it is deleted.
  expect(existsSync(orphan)).toBe(true);
  expect(await start({}, ['gc', '--grace', '0', '--force'])).toMatchObject({ code: 0 });
  expect(existsSync(orphan)).toBe(false);
}, 300_000);

test('a wrong configuration ends it with one sentence that names every bad key', async () => {
  const { code, errors } = (await start({ FIRN_PORT: 'eighty', FIRN_LEASE_S: '0', FIRN_TYPO: '1' })) as Ended;
  expect(code).toBe(1);
  expect(errors).toMatch(/^firn: configuration: [^\n]+\n$/);
  for (const key of ['FIRN_PORT', 'FIRN_LEASE_S', 'FIRN_TYPO']) expect(errors).toContain(key);
  expect(await readdir(directory)).toEqual([]);
});

test.each([
  ['--help', [], /^Usage: firn \[COMMAND\]\n/],
  ['--version', [], /^\d+\.\d+\.\d+\n$/],
  ['eval-set', ['check', '--help'], /^Usage: firn eval-set check/],
  ['gc', ['--version'], /^\d+\.\d+\.\d+\n$/],
])('%s asks for no configuration, so a wrong one is no matter', async (command, rest, printed) => {
  expect(await start({ FIRN_TYPO: '1', FIRN_PORT: 'eighty' }, [command, ...rest])).toMatchObject({
    code: 0,
    errors: '',
    output: expect.stringMatching(printed),
  });
});

test.each(['unpack', 'token', 'scrub', 'verify', 'gc', 'eval-set'])(
  'firn %s --help says how, whatever is configured',
  async (command) => {
    const ended = await start({ FIRN_TYPO: '1' }, [command, '--help']);
    expect(ended).toMatchObject({ code: 0, errors: '', output: expect.stringMatching(/^Usage:/) as string });
    expect((ended as Ended).output).toContain(`firn ${command}`);
  },
);

// Where the provider is installed and finds a GPU, the process would start.
test.runIf(missingCudaProvider() !== undefined)(
  'a GPU that is asked for and not there ends it with one sentence',
  async () => {
    const ended = (await start({ FIRN_EVALUATE_ON: 'cuda' })) as Ended;
    expect([ended.code, ended.output]).toEqual([1, '']);
    expect(ended.errors).toMatch(
      /^firn: FIRN_EVALUATE_ON=cuda: The CUDA provider of onnxruntime is not installed; .*\.\n$/,
    );
  },
);

test('unpack asks for no configuration', async () => {
  const packaged = fileURLToPath(new URL('../test/fixtures/format-v1/mixed-0.firn', import.meta.url));
  const out = join(directory, 'unpacked');
  expect(await start({ FIRN_TYPO: '1' }, ['unpack', packaged, '--out', out])).toMatchObject({ code: 0, errors: '' });
  expect(await readdir(out)).not.toEqual([]);
});

test.each([['nonsense'], ['constructor'], ['serve', 'twice']])(
  'a command line that is none ends with one sentence: %j',
  async (...args) => {
    const { code, errors } = (await start({}, args)) as Ended;
    expect([code, errors]).toEqual([
      1,
      expect.stringMatching(/^firn(?: serve)?: [^\n]*firn (?:serve )?--help[^\n]*\n$/),
    ]);
  },
);

test('a port in use ends it with one sentence', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  try {
    const { code, errors } = (await start({ FIRN_PORT: String((other.address() as AddressInfo).port) })) as Ended;
    expect(code).toBe(1);
    expect(errors).toMatch(/^firn: [^\n]*EADDRINUSE[^\n]*\n$/);
  } finally {
    other.close();
  }
});
