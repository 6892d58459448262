/**
 * Measures `firn push` and `firn pull` of one large file against curl on the same server: `npm run bench:cli --
 * [--mib 1024] [--rounds 5]`. The file is random bytes, so the hub stores it as it is and does the least that it can,
 * and what the client costs shows the most. Each round pushes and pulls with both, in alternating order, and deletes
 * what it made. Every pulled file is compared with the pushed one before its time counts. Prints medians with the
 * spread. A push ends with the answer to its last request; the compression that follows is cancelled, so that it takes
 * no time from the next one. Needs curl.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fileDigest, findCheckpoint, openHub } from '../clients/typescript/src/index.ts';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { nodeFlags } from '../src/cli/node-flags.ts';
import { describeRun } from './report/describe-run.ts';
import { median } from './speed/timed-rounds.ts';

const mib = 2 ** 20;
const repository = { namespace: 'bench', name: 'cli' };
/** Interval between looks at a cancelled checkpoint, in ms. */
const pollMs = 100;
const root = fileURLToPath(new URL('..', import.meta.url));

const { values } = parseArgs({
  options: { mib: { type: 'string', default: '1024' }, rounds: { type: 'string', default: '5' } },
});
const [sizeMib, rounds] = [Number(values.mib), Number(values.rounds)];
if (spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' }).status !== 0)
  throw new Error('the build failed');
const folder = await mkdtemp(join(tmpdir(), 'firn-bench-cli-'));
const hub = await HubProcess.start(join(folder, 'hub'));
const client = openHub({ url: hub.url });
try {
  const file = join(folder, 'model.safetensors');
  const sha256 = await writeFileOf(file);
  await client.api.POST('/v1/repositories', { body: repository });
  const seconds: Record<string, number[]> = { 'push curl': [], 'push firn': [], 'pull curl': [], 'pull firn': [] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (['curl', 'firn'] as const) : (['firn', 'curl'] as const);
    for (const program of order) seconds[`push ${program}`]!.push(await push(program, `r${round}-${program}`, file));
    const run = `r${round}-curl`;
    for (const program of order) seconds[`pull ${program}`]!.push(await pull(program, run, sha256));
    for (const program of order)
      await client.api.DELETE('/v1/repositories/{namespace}/{name}/runs/{run}', {
        params: { path: { ...repository, run: `r${round}-${program}` } },
      });
  }
  print(seconds);
} finally {
  client.close();
  await hub.stop();
  await rm(folder, { recursive: true, force: true });
}

/** A safetensors file of one tensor of random bytes; its SHA-256. */
async function writeFileOf(path: string): Promise<string> {
  const size = sizeMib * mib;
  const json = Buffer.from(JSON.stringify({ w: { dtype: 'U8', shape: [size], data_offsets: [0, size] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  const handle = await open(path, 'w');
  await handle.write(Buffer.concat([length, json]));
  for (let at = 0; at < sizeMib; at++) await handle.write(randomFillSync(Buffer.alloc(mib)));
  await handle.close();
  return fileDigest(path);
}

async function push(program: 'curl' | 'firn', run: string, file: string): Promise<number> {
  await client.api.POST('/v1/repositories/{namespace}/{name}/runs', {
    params: { path: repository },
    body: { name: run },
  });
  const url = `${hub.url}/v1/repositories/bench/cli/runs/${run}/checkpoints/1`;
  const took = await timed(
    program === 'curl'
      ? ['curl', '-sS', '--fail', '-o', join(folder, 'answer'), '-T', file, url]
      : firn('push', `bench/cli/${run}@1`, file),
  );
  const path = { ...repository, run, step: 1 };
  await client.api
    .POST('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/cancel', { params: { path } })
    .catch(() => undefined);
  for (;;) {
    const state = (await findCheckpoint(client, path))?.state;
    if (state !== 'queued' && state !== 'working') break;
    await pause(pollMs);
  }
  return took;
}

/** Pulls the upload itself, which is there whatever became of the checkpoint. */
async function pull(program: 'curl' | 'firn', run: string, sha256: string): Promise<number> {
  const to = join(folder, `pulled-${program}`);
  const url = `${hub.url}/v1/repositories/bench/cli/runs/${run}/checkpoints/1/files/model.safetensors?as=uploaded`;
  const path = program === 'curl' ? to : join(to, 'model.safetensors');
  const took = await timed(
    program === 'curl'
      ? ['curl', '-sS', '--fail', '-o', to, url]
      : firn('pull', `bench/cli/${run}@1`, to, '--uploaded'),
  );
  if ((await fileDigest(path)) !== sha256) throw new Error(`${program} pulled other bytes`);
  await rm(to, { recursive: true });
  return took;
}

/** The built program, as a package starts it. */
function firn(...args: string[]): string[] {
  return [process.execPath, ...nodeFlags, join(root, 'dist/main.js'), ...args, '--url', hub.url];
}

/** Seconds that a command takes, its start included. */
async function timed([program, ...args]: string[]): Promise<number> {
  const from = performance.now();
  const child = spawn(program!, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`${program} ${args[0]} ended with ${code}`);
  return (performance.now() - from) / 1000;
}

function print(seconds: Readonly<Record<string, number[]>>): void {
  const rate = (took: number): string => (sizeMib / took).toFixed(0);
  const lines = ['push', 'pull'].flatMap((way) => {
    const [curl, ours] = [seconds[`${way} curl`]!, seconds[`${way} firn`]!];
    const ratios = curl.map((took, round) => took / ours[round]!);
    const row = (name: string, list: readonly number[]): string =>
      `| ${way} | ${name} | ${rate(median(list))} | ${rate(Math.max(...list))} to ${rate(Math.min(...list))} |`;
    return [
      row('curl', curl),
      row('firn', ours),
      `| ${way} | firn, in parts of curl's speed | ${median(ratios).toFixed(2)} | ` +
        `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} |`,
    ];
  });
  process.stdout.write(
    `One file of ${sizeMib} MiB, ${rounds} rounds; MiB/s, medians.\n\n` +
      `| | with | median | spread |\n| --- | --- | ---: | --- |\n${lines.join('\n')}\n\n` +
      `${describeRun('bench:cli', process.argv.slice(2))}\n`,
  );
}
