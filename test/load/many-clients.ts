/**
 * Many clients, half of them uploading, half downloading, for minutes on one hub during encodes, on Postgres and a
 * folder:
 *
 *   npx tsx test/load/many-clients.ts --clients 64 --minutes 10 --seed 1
 *
 * No request may fail, memory has to be flat, and the 99th percentile of HEAD has to stay below its limit. The clients
 * share the machine with the hub.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { randomBytesOf, randomNumbers } from '../acceptance/random-numbers.ts';
import { safetensorsFile } from '../acceptance/safetensors-file.ts';
import { startHub } from '../acceptance/start-hub.ts';
import { ask, must, pick, sha256 } from '../harness/ask.ts';
import { runAsCommand, type Findings } from '../harness/command.ts';
import { median, quantile, watchMemory, type MemorySample } from '../harness/resident.ts';
import { undoing } from '../harness/undoing.ts';
import { openTestStores } from '../harness/test-stores.ts';

/** Shorter loads check only that requests succeed, not memory and latency. */
const judgedFromMinutes = 1;
/** The limit of HEAD's 99th percentile, in ms. */
const headP99MsMax = 200;
const headEveryMs = 50;
/** Most growth of the median memory from the second quarter of the time to the last, in MiB and as a share. */
const growthMibMax = 48;
const growthShareMax = 0.1;
/** Elements of one model; a checkpoint is about a MiB. */
const elements = 256 * 1024;
const pollMs = 250;
const repository = '/v1/repositories/load/test';

export interface LoadReport extends Findings {
  readonly uploads: number;
  readonly downloads: number;
  readonly uploadedMib: number;
  readonly downloadedMib: number;
  readonly headP50Ms: number;
  readonly headP99Ms: number;
  readonly heads: number;
  /** Median resident memory of the hub in each quarter of the time. */
  readonly quartersMib: readonly number[];
  readonly peakMib: number;
}

export interface LoadOptions {
  readonly clients: number;
  readonly minutes: number;
  readonly seed: number;
  readonly say?: (line: string) => void;
}

interface Stored {
  readonly path: string;
  readonly sha256: string;
}

export function manyClients({ clients, minutes, seed, say }: LoadOptions): Promise<LoadReport> {
  return undoing(async (later) => {
    const stores = await openTestStores('postgres-folder');
    later(() => stores.remove());
    const random = randomNumbers(seed);
    const problems: string[] = [];
    const stored: Stored[] = [];
    const counts = { uploads: 0, downloads: 0, uploadedBytes: 0, downloadedBytes: 0 };
    const hub = await startHub(stores);
    later(() => hub.stop());
    const endMs = performance.now() + minutes * 60_000;
    const isOver = (): boolean => performance.now() > endMs || problems.length > 20;
    const failing = (what: string) => (error: unknown) =>
      void problems.push(`${what}: ${String((error as Error).cause ?? error)}`);
    await must('POST', `${hub.url}/v1/repositories`, { json: { namespace: 'load', name: 'test' } });
    const uploaders = Math.max(1, clients >> 1);
    for (let number = 0; number < uploaders; number++)
      await must('POST', `${hub.url}${repository}/runs`, { json: { name: `run-${number}`, fidelity: 'exact' } });

    const upload = async (number: number): Promise<void> => {
      for (let step = 0; !isOver(); step++) {
        const body = modelOf(number, step);
        const checkpoint = `${hub.url}${repository}/runs/run-${number}/checkpoints/${step}`;
        await must('PUT', checkpoint, { body });
        counts.uploads++;
        counts.uploadedBytes += body.length;
        // Waits for the encode before the next step, so that the queue does not grow without end.
        for (let state = ''; state !== 'ready' && !isOver(); await pause(pollMs)) {
          ({ state } = (await must('GET', checkpoint)) as { state: string });
          if (state === 'failed') throw new Error(`${checkpoint} failed`);
          if (state === 'ready') stored.push({ path: `${checkpoint}/files/model.safetensors`, sha256: sha256(body) });
        }
      }
    };
    const download = async (): Promise<void> => {
      while (!isOver()) {
        const known = pick(random, stored);
        if (known === undefined) {
          await pause(pollMs);
          continue;
        }
        const { status, bytes } = await ask('GET', known.path);
        if (status !== 200 || sha256(bytes) !== known.sha256)
          throw new Error(`${known.path} came down with ${status} and other bytes`);
        counts.downloads++;
        counts.downloadedBytes += bytes.length;
      }
    };
    const headMs: number[] = [];
    const head = async (): Promise<void> => {
      for (; !isOver(); await pause(headEveryMs)) {
        const known = pick(random, stored);
        if (known === undefined) continue;
        const startedMs = performance.now();
        const { status } = await ask('HEAD', known.path);
        headMs.push(performance.now() - startedMs);
        if (status !== 200) throw new Error(`HEAD ${known.path} answered ${status}`);
      }
    };
    const memory = watchMemory(hub.process.pid!);
    const telling = setInterval(
      () =>
        say?.(`${JSON.stringify(counts)}, ${memory.samples.at(-1)!.mib.toFixed(0)} MiB, ${problems.length} problems`),
      15_000,
    );
    await Promise.all([
      ...Array.from({ length: uploaders }, (_, number) => upload(number).catch(failing('upload'))),
      ...Array.from({ length: clients - uploaders }, () => download().catch(failing('download'))),
      head().catch(failing('head')),
    ]);
    clearInterval(telling);
    memory.stop();
    const quartersMib = quarters(memory.samples);
    const growthMib = quartersMib[3]! - quartersMib[1]!;
    const isJudged = minutes >= judgedFromMinutes;
    if (isJudged && growthMib > Math.max(growthMibMax, growthShareMax * quartersMib[1]!))
      problems.push(`memory grew by ${growthMib.toFixed(0)} MiB from the second quarter to the last`);
    const headP99Ms = quantile(headMs, 0.99);
    if (isJudged && !(headP99Ms <= headP99MsMax))
      problems.push(`the 99th percentile of HEAD is ${headP99Ms?.toFixed(0)} ms, and not below ${headP99MsMax}`);
    const mib = (bytes: number): number => Math.round(bytes / 2 ** 20);
    return {
      uploads: counts.uploads,
      downloads: counts.downloads,
      uploadedMib: mib(counts.uploadedBytes),
      downloadedMib: mib(counts.downloadedBytes),
      heads: headMs.length,
      headP50Ms: Math.round(median(headMs)),
      headP99Ms: Math.round(headP99Ms),
      quartersMib: quartersMib.map(Math.round),
      peakMib: Math.round(Math.max(...memory.samples.map(({ mib: each }) => each))),
      problems,
    };
  });
}

function quarters(samples: readonly MemorySample[]): number[] {
  const endMs = samples.at(-1)!.atMs;
  return [0, 1, 2, 3].map((quarter) =>
    median(samples.filter(({ atMs }) => Math.min(3, Math.floor((4 * atMs) / endMs)) === quarter).map(({ mib }) => mib)),
  );
}

/** A matrix of noise; a small part of it changes from step to step. */
function modelOf(run: number, step: number): Buffer {
  const bytes = Buffer.from(noise);
  bytes.writeUInt32LE(run, 0);
  bytes.set(
    randomBytesOf(elements / 16, 1000 * run + step + 1),
    ((step * elements) / 16) % (bytes.length - elements / 16),
  );
  return safetensorsFile({ 'w.weight': { dtype: 'F32', shape: [512, elements / 512], bytes } });
}

const noise = randomBytesOf(elements * 4, 1);

await runAsCommand(import.meta.url, { clients: '64', minutes: '10', seed: '1' }, ({ clients, minutes, seed }, say) =>
  manyClients({ clients: Number(clients), minutes: Number(minutes), seed: Number(seed), say }),
);
