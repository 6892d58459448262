/**
 * Measures the memory that a large checkpoint takes in the server. Uploads a checkpoint and a drifted successor with a
 * given config, or exact, downloads both and checks digests. Prints the server's resident memory above idle, and the
 * times. npm run bench:big -- [--mib 1024] [--series DIR] [--exact]
 *
 * Idle is a hub restarted on an existing data directory, after its memory has settled. Creating the database leaves
 * several hundred MiB resident, which would hide later growth.
 *
 * DIR may hold ckpt_00.safetensors, ckpt_01.safetensors and their .grad twins; without it the weights are generated.
 */
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { HubClient } from '../src/cli/demo/hub-client.ts';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { buildSafetensorsHeader } from '../src/checkpoint/safetensors/safetensors-header.ts';

/** Limit of the server's growth, in MiB. */
const growthMaxMib = 512;
/** Interval between two memory samples, in ms. */
const sampleMs = 100;
/** Memory counts as settled after it stayed within `settledSpreadMib` for this long, in ms. */
const settledMs = 3_000;
const settledSpreadMib = 2;
/** Longest wait for that, in ms. */
const settleDeadlineMs = 60_000;
const config = {
  method: 'inshrinkerator',
  bins: 16,
  embeddingBins: 32,
  pruneFraction: 0.2,
  pruneMetric: 'magnitude',
  protectFraction: 0.0005,
};

const run = '/v1/repositories/bench/big/runs/run';

interface Upload {
  readonly model: string;
  readonly sensitivity?: string;
}

const { values } = parseArgs({
  options: {
    mib: { type: 'string', default: '1024' },
    series: { type: 'string' },
    exact: { type: 'boolean', default: false },
  },
});
const directory = await mkdtemp(join(tmpdir(), 'firn-big-'));
let hubProcess: HubProcess | undefined;
try {
  const uploads =
    values.series === undefined ? await makeSeries(directory, Number(values.mib)) : givenSeries(values.series);
  hubProcess = await HubProcess.start(join(directory, 'hub'));
  await prepare(new HubClient(hubProcess.url));
  await hubProcess.stop();
  hubProcess = await HubProcess.start(join(directory, 'hub'));
  process.exitCode = await measure(hubProcess, uploads);
} finally {
  await hubProcess?.stop();
  await rm(directory, { recursive: true, force: true });
}

async function prepare(client: HubClient): Promise<void> {
  await client.post('/v1/repositories', { namespace: 'bench', name: 'big' });
  const kept = values.exact ? { fidelity: 'exact' } : { fidelity: 'lossy', search: { fixedConfig: config } };
  await client.post('/v1/repositories/bench/big/runs', { name: 'run', ...kept });
}

async function measure(hub: HubProcess, uploads: readonly Upload[]): Promise<number> {
  const client = new HubClient(hub.url);
  const idleMib = await settledMib(hub.pid);
  const peak = watchPeak(hub.pid);
  const wrong: string[] = [];
  for (const [step, upload] of uploads.entries()) {
    const startedMs = performance.now();
    await put(client, step, upload);
    const putMs = performance.now();
    await ready(client, step);
    const readyMs = performance.now();
    const path = `${run}/checkpoints/${step}`;
    const status = await client.get<{
      state: string;
      result?: { rawBytes: number; storedBytes: number; kind: string };
      error?: unknown;
    }>(path);
    if (status.state !== 'ready') throw new Error(`step ${step} is ${status.state}: ${JSON.stringify(status.error)}`);
    const downloadMs = performance.now();
    const { sha256, announced, sizeBytes } = await digestDownload(client, `${path}/files/model.safetensors`);
    const doneMs = performance.now();
    if (sha256 !== announced || sizeBytes !== (await stat(upload.model)).size)
      wrong.push(`step ${step}: ${sizeBytes} bytes, sha256 ${sha256}, announced ${announced}`);
    const { rawBytes, storedBytes, kind } = status.result!;
    const times =
      `put ${seconds(putMs - startedMs)}, ready ${seconds(readyMs - putMs)} later, download ` +
      `${seconds(doneMs - downloadMs)}`;
    const ratio = (rawBytes / storedBytes).toFixed(2);
    process.stdout.write(
      `step ${step}: ${rawBytes} raw, ${storedBytes} stored (${kind}, ratio ${ratio}), ${times}, peak so far ` +
        `${(peak.mib() - idleMib).toFixed(0)} MiB over idle\n`,
    );
  }
  peak.stop();
  const growthMib = peak.mib() - idleMib;
  process.stdout.write(
    `idle ${idleMib.toFixed(0)} MiB, peak ${peak.mib().toFixed(0)} MiB, growth ${growthMib.toFixed(0)} MiB ` +
      `(at most ${growthMaxMib})\n`,
  );
  for (const line of wrong) process.stdout.write(`WRONG ${line}\n`);
  return wrong.length === 0 && growthMib <= growthMaxMib ? 0 : 1;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

async function put(client: HubClient, step: number, upload: Upload): Promise<void> {
  await client.post(`${run}/checkpoints`, { step });
  await client.putFile(`${run}/checkpoints/${step}/files/model.safetensors`, upload.model);
  if (upload.sensitivity !== undefined)
    await client.putFile(
      `${run}/checkpoints/${step}/files/sensitivity.safetensors?role=sensitivity`,
      upload.sensitivity,
    );
  await client.post(`${run}/checkpoints/${step}/commit`);
}

async function ready(client: HubClient, step: number): Promise<void> {
  for await (const _ of client.events(`${run}/checkpoints/${step}/events`)) void _;
}

async function digestDownload(client: HubClient, path: string) {
  const to = join(directory, 'download');
  const result = await client.download(path, to);
  await rm(to);
  return result;
}

function givenSeries(series: string): Upload[] {
  return [0, 1]
    .map((i) => join(series, `ckpt_0${i}.safetensors`))
    .filter((model) => existsSync(model))
    .map((model) => {
      const sensitivity = model.replace('.safetensors', '.grad.safetensors');
      return existsSync(sensitivity) ? { model, sensitivity } : { model };
    });
}

/** Two checkpoints of 32 MiB matrices with heavy tails; the second has drifted by a fiftieth of the scale. */
async function makeSeries(to: string, mib: number): Promise<Upload[]> {
  const tensors = [
    { name: 'wte.weight', dtype: 'F32' as const, shape: [8192, 1024] },
    ...Array.from({ length: Math.max(1, Math.floor(mib / 32) - 1) }, (_, i) => ({
      name: `h.${i}.fc.weight`,
      dtype: 'F32' as const,
      shape: [8192, 1024],
    })),
    { name: 'ln_f.weight', dtype: 'F32' as const, shape: [1024] },
  ];
  const { headerBytes } = buildSafetensorsHeader(tensors, {});
  const uploads: Upload[] = [];
  for (const [step, drift] of [0, 0.02].entries()) {
    const model = join(to, `made-${step}.safetensors`);
    await pipeline(function* () {
      yield headerBytes;
      for (const [i, { shape }] of tensors.entries())
        yield* weights(
          i + 1,
          shape.reduce((a, b) => a * b, 1),
          drift,
        );
    }, createWriteStream(model));
    uploads.push({ model });
  }
  return uploads;
}

function* weights(seed: number, count: number, drift: number): Generator<Uint8Array> {
  const pieceElements = 1024 * 1024;
  let state = (seed * 0x9e3779b1) >>> 0;
  const unit = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  for (let made = 0; made < count; made += pieceElements) {
    const piece = new Float32Array(Math.min(pieceElements, count - made));
    for (let i = 0; i < piece.length; i += 1) {
      const base = unit() + unit() + unit();
      piece[i] = 0.05 * (base * (1 + 4 * base * base) + drift * (unit() + unit()));
    }
    yield new Uint8Array(piece.buffer);
  }
}

function residentMib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

/** Resident memory after it has settled. */
async function settledMib(pid: number): Promise<number> {
  const window: number[] = [];
  const samples = settledMs / sampleMs;
  for (const started = performance.now(); performance.now() - started < settleDeadlineMs; await setTimeout(sampleMs)) {
    window.push(residentMib(pid));
    const recent = window.slice(-samples);
    if (recent.length === samples && Math.max(...recent) - Math.min(...recent) <= settledSpreadMib)
      return recent.at(-1)!;
  }
  throw new Error(`the idle hub's memory did not settle within ${settleDeadlineMs / 1000} s`);
}

function watchPeak(pid: number) {
  let peakMib = residentMib(pid);
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, residentMib(pid));
  }, sampleMs);
  return { mib: () => peakMib, stop: () => clearInterval(timer) };
}
