import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHub, type Hub } from '../acceptance/start-hub.ts';
import { firnProgram } from '../harness/firn-program.ts';

/** Kills of the interrupted push. */
const kills = 8;

let folder: string;
let hub: Hub;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-command-'));
  hub = await startHub({ dataDirectory: join(folder, 'data') });
});
afterAll(async () => {
  await hub.stop();
  await rm(folder, { recursive: true, force: true });
});

function start(...args: string[]) {
  const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: join(folder, 'config'), FIRN_URL: hub.url };
  return spawn(process.execPath, [...firnProgram, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function firn(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = start(...args);
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...text };
}

async function makeWeights(name: string, sizeBytes: number): Promise<Buffer> {
  const header = Buffer.from(JSON.stringify({ w: { dtype: 'U8', shape: [sizeBytes], data_offsets: [0, sizeBytes] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const bytes = Buffer.concat([length, header, randomBytes(sizeBytes)]);
  await writeFile(join(folder, name), bytes);
  return bytes;
}

test('push makes what is missing, and what was pushed is listed, shown and pulled', async () => {
  const bytes = await makeWeights('a.safetensors', 60_000);
  expect(await firn('push', 'me/gpt/train@10', 'a.safetensors', '--wait')).toMatchObject({
    code: 0,
    out: expect.stringContaining('me/gpt/train@10: exact base') as string,
    err: expect.stringContaining('made the run train') as string,
  });
  expect((await firn('ls', 'me/gpt')).out).toMatch(/^train\texact\t/);
  expect((await firn('log', 'me/gpt/train')).out).toMatch(/^10\tready\tbase\texact\t/);
  expect(JSON.parse((await firn('show', 'me/gpt/train@latest', '--json')).out)).toMatchObject({ step: 10 });
  expect((await firn('pull', 'me/gpt/train', 'back')).code).toBe(0);
  expect(await readFile(join(folder, 'back', 'model.safetensors'))).toEqual(bytes);
});

test.each([
  [4, ['show', 'me/gpt/train@11'], /There is no/],
  [4, ['pull', 'me/none/train'], /no such repository/],
  [5, ['ls', '--url', 'http://127.0.0.1:9'], /cannot be reached/],
  [1, ['push', 'me/gpt/train'], /missing required argument/],
  [1, ['ls', 'nothing'], /such as me\/tiny-gpt/],
])('exit code %i for firn %j, with a sentence', async (code, args, said) => {
  expect(await firn(...args)).toMatchObject({ code, err: expect.stringMatching(said) as string });
});

test('a push that is killed at random moments again and again ends with the right bytes', async () => {
  const bytes = await makeWeights('large.safetensors', 48_000_000);
  const push = ['push', 'me/gpt/killed@1', 'large.safetensors', '--wait'];
  const usual = Date.now();
  await firn('ls');
  const startMs = Date.now() - usual;
  for (let killed = 0; killed < kills; killed++) {
    const child = start(...push);
    const ended = once(child, 'exit');
    await Promise.race([pause(startMs / 2 + Math.random() * startMs), ended]);
    child.kill('SIGKILL');
    await ended;
  }
  expect(await firn(...push)).toMatchObject({ code: 0 });
  expect((await firn('pull', 'me/gpt/killed@1', 'killed')).code).toBe(0);
  expect((await readFile(join(folder, 'killed', 'model.safetensors'))).equals(bytes)).toBe(true);
});
