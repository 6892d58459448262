import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HubClient } from '../../src/cli/demo/hub-client.ts';
import { HubProcess } from '../../src/cli/demo/hub-process.ts';
import { packageDigest } from '../report/package-digest.ts';
import { processorSecondsOf } from '../speed/processor-time.ts';

/** One checkpoint on one kind of device. */
export interface DeviceCost {
  readonly device: string;
  readonly step: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  /** From the first byte of the upload until the checkpoint is ready. */
  readonly seconds: number;
  /** From the end of the upload on. */
  readonly encodeSeconds: number;
  readonly processorSeconds: number;
  /** Bytes that crossed the bus to the device; 0 without one. */
  readonly sentBytes: number;
  /** Bytes that came back. */
  readonly receivedBytes: number;
  /** The most memory of the device that was used until the checkpoint was ready, those before it included. */
  readonly peakBytes: number;
  readonly calls: number;
  /** Calls that the device left to the processor. */
  readonly declined: number;
  readonly failures: number;
  /** Of the package without its ids: equal for equal bytes. */
  readonly packageSha256: string;
}

export interface DeviceRound {
  /** A value of FIRN_DEVICE. */
  readonly device: string;
  /** Files of the checkpoints, in the order of their steps. */
  readonly paths: readonly string[];
  readonly step: number;
  /** FIRN_DEVICE_MEMORY_MIB. */
  readonly memoryMib: number;
  /** Scratch directory. */
  readonly directory: string;
}

const repository = 'bench/device';

/** Pushes the checkpoints with a given step to a hub of their own, whose worker uses `device`. */
export async function* deviceRound({
  device,
  paths,
  step,
  memoryMib,
  directory,
}: DeviceRound): AsyncGenerator<DeviceCost> {
  const data = join(directory, `hub-${device.replace(':', '-')}`);
  const hub = await HubProcess.start(data, {
    FIRN_DEVICE: device,
    FIRN_DEVICE_MEMORY_MIB: String(memoryMib),
    FIRN_MERGE: 'off',
  });
  try {
    const client = new HubClient(hub.url);
    const [namespace, name] = repository.split('/');
    await client.post('/v1/repositories', { namespace, name });
    await client.post(`/v1/repositories/${repository}/runs`, {
      name: 'run',
      fidelity: 'lossy',
      search: { method: 'residual', fixedConfig: { method: 'residual', step } },
    });
    for (const [number, path] of paths.entries()) yield await push(hub, { client, device, number, path, directory });
  } finally {
    await hub.stop();
    await rm(data, { recursive: true, force: true });
  }
}

async function push(
  hub: HubProcess,
  {
    client,
    device,
    number,
    path,
    directory,
  }: { client: HubClient; device: string; number: number; path: string; directory: string },
): Promise<DeviceCost> {
  const checkpoint = `/v1/repositories/${repository}/runs/run/checkpoints/${number}`;
  await client.post(checkpoint.slice(0, checkpoint.lastIndexOf('/')), { step: number });
  const [usedBefore, countsBefore] = [processorSecondsOf(hub.pid), await deviceCounts(hub.url)];
  const started = performance.now();
  await client.putFile(`${checkpoint}/files/model.safetensors`, path);
  const uploaded = performance.now();
  await client.post(`${checkpoint}/commit`);
  for await (const _ of client.events(`${checkpoint}/events`)) void _;
  const ready = performance.now();
  const { state, error, result } = await client.get<{
    state: string;
    error?: unknown;
    result?: { rawBytes: number; storedBytes: number };
  }>(checkpoint);
  if (state !== 'ready' || result === undefined)
    throw new Error(`checkpoint ${number} on ${device} is ${state}: ${JSON.stringify(error)}`);
  const counts = await deviceCounts(hub.url);
  const since = (name: (typeof countNames)[number]): number => counts[name] - countsBefore[name];
  const stored = join(directory, 'package.firn');
  await client.download(`${checkpoint}/package`, stored);
  return {
    device,
    step: number,
    rawBytes: result.rawBytes,
    storedBytes: result.storedBytes,
    seconds: (ready - started) / 1000,
    encodeSeconds: (ready - uploaded) / 1000,
    processorSeconds: processorSecondsOf(hub.pid) - usedBefore,
    sentBytes: since('uploaded_bytes_total'),
    receivedBytes: since('downloaded_bytes_total'),
    peakBytes: counts.memory_peak_bytes,
    calls: since('calls_total'),
    declined: since('declined_total'),
    failures: since('failures_total'),
    packageSha256: packageDigest(readFileSync(stored)),
  };
}

const countNames = [
  'uploaded_bytes_total',
  'downloaded_bytes_total',
  'memory_peak_bytes',
  'calls_total',
  'declined_total',
  'failures_total',
] as const;

/** Sums of the figures `firn_device_*` of a hub; 0 for those that it does not have. */
async function deviceCounts(url: string): Promise<Readonly<Record<(typeof countNames)[number], number>>> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  const sumOf = (name: string): number =>
    [...text.matchAll(new RegExp(`^firn_device_${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  return Object.fromEntries(countNames.map((name) => [name, sumOf(name)])) as Record<
    (typeof countNames)[number],
    number
  >;
}
