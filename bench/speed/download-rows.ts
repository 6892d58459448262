import { get } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubClient } from '../../src/cli/demo/hub-client.ts';
import { HubProcess } from '../../src/cli/demo/hub-process.ts';
import { timesOfBaseMax } from './chain-rows.ts';
import { placeOnCores } from './one-core.ts';
import { processorSecondsOf } from './processor-time.ts';
import type { BarredRow } from './speed-table.ts';
import { syntheticCheckpoints } from './synthetic-model.ts';
import { median } from './timed-rounds.ts';

/** Checkpoints of the run: more than the most packages of a chain. */
const checkpoints = 20;
/** About one weight in a hundred changes; this gives chains as long as the policy allows. */
const drift = 0.04;
/** Downloads of each file; all files take turns. */
const rounds = 7;

interface Stored {
  readonly step: number;
  readonly sizeBytes: number;
  readonly result: {
    readonly kind: 'base' | 'delta';
    readonly chainLength: number;
    readonly ancestorStep?: number;
    readonly migration?: number;
  };
}

/**
 * Downloads of every checkpoint of a run from a hub with the default policy. A row for each chain length compares the
 * chain's time with the allowed multiple of the base's time, for the client's waiting time and for the hub's processor
 * time.
 */
export async function* downloadRows(cpu: number | undefined): AsyncGenerator<BarredRow> {
  const directory = await mkdtemp(join(tmpdir(), 'firn-download-'));
  let hub: HubProcess | undefined;
  try {
    hub = await HubProcess.start(join(directory, 'hub'), { FIRN_NATIVE_THREADS: '1' });
    const run = '/v1/repositories/bench/speed/runs/chain';
    const stored = await pushRun(new HubClient(hub.url), run, join(directory, 'model.safetensors'));
    if (cpu !== undefined) placeOnCores(hub.pid, cpu);
    const waited = stored.map((): number[] => []);
    const processor = stored.map((): number[] => []);
    for (let round = -1; round < rounds; round++) {
      for (const [i, { step }] of stored.entries()) {
        const [started, before] = [performance.now(), processorSecondsOf(hub.pid)];
        await download(`${hub.url}${run}/checkpoints/${step}/files/model.safetensors`);
        if (round < 0) continue;
        waited[i]!.push((performance.now() - started) / 1000);
        processor[i]!.push(processorSecondsOf(hub.pid) - before);
      }
    }
    for (const [i, checkpoint] of longestOfEach(stored)) {
      const base = baseOf(stored, i);
      const seconds = median(waited[i]!);
      yield {
        name: `download, chain of ${checkpoint.result.chainLength}`,
        bytes: checkpoint.sizeBytes,
        seconds,
        spread: (Math.max(...waited[i]!) - Math.min(...waited[i]!)) / seconds,
        memcpyRatio: (timesOfBaseMax * median(waited[base]!)) / seconds,
        // The system counts in ticks of 10 ms, so sums are more precise than medians.
        processorRatio: (timesOfBaseMax * total(processor[base]!)) / total(processor[i]!),
        bar: 1,
      };
    }
  } finally {
    await hub?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function pushRun(client: HubClient, run: string, path: string): Promise<Stored[]> {
  const search = { method: 'residual', fixedConfig: { method: 'residual', step: 0 } };
  await client.post('/v1/repositories', { namespace: 'bench', name: 'speed' });
  await client.post(run.slice(0, run.lastIndexOf('/')), {
    name: run.slice(run.lastIndexOf('/') + 1),
    fidelity: 'lossy',
    search,
  });
  const stored: Stored[] = [];
  for (const file of syntheticCheckpoints({ layers: 0, drift }, checkpoints)) {
    const step = stored.length;
    await writeFile(path, file);
    await client.post(`${run}/checkpoints`, { step });
    await client.putFile(`${run}/checkpoints/${step}/files/model.safetensors`, path);
    await client.post(`${run}/checkpoints/${step}/commit`);
    for await (const _ of client.events(`${run}/checkpoints/${step}/events`)) void _;
    const { result } = await client.get<{ result: Stored['result'] }>(`${run}/checkpoints/${step}`);
    stored.push({ step, sizeBytes: file.length, result });
  }
  return stored;
}

/** The last checkpoint of each chain length, by length. */
function longestOfEach(stored: readonly Stored[]): (readonly [index: number, checkpoint: Stored])[] {
  const byLength = new Map(stored.map((checkpoint, i) => [checkpoint.result.chainLength, [i, checkpoint] as const]));
  return [...byLength.values()]
    .filter(([, { result }]) => result.kind === 'delta')
    .sort(([, a], [, b]) => a.result.chainLength - b.result.chainLength);
}

function baseOf(stored: readonly Stored[], index: number): number {
  const { kind, ancestorStep } = stored[index]!.result;
  return kind === 'base' ? index : baseOf(stored, ancestorStep!);
}

/** Reads a body and discards it. */
function download(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
      answer.on('error', reject).on('end', resolve).resume();
    }).on('error', reject);
  });
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
