import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubClient } from '../../src/cli/demo/hub-client.ts';
import { HubProcess } from '../../src/cli/demo/hub-process.ts';
import { placeOnCores } from './one-core.ts';
import { processorSecondsOf } from './processor-time.ts';
import { copier, rowOf, type SpeedRow, type Spent } from './timed-rounds.ts';

export interface PutOptions {
  /** Two checkpoints of a model, as safetensors files. */
  readonly first: Uint8Array;
  readonly second: Uint8Array;
  readonly step: number;
  /**
   * The hub runs on this processor only, and this process on the others; undefined if the system does not support it.
   */
  readonly cpu: number | undefined;
}

/** Rounds; each is a run with a base and a delta. */
const rounds = 5;
/** Warm-up rounds: a hub lives long enough for its code to be compiled. */
const warmUps = 3;

/**
 * Time from the first byte of an upload until the checkpoint is ready, for a base and for a delta, on a separate hub,
 * with its processor time.
 */
export async function putToReady({ first, second, step, cpu }: PutOptions): Promise<SpeedRow[]> {
  const directory = await mkdtemp(join(tmpdir(), 'firn-put-'));
  let hub: HubProcess | undefined;
  try {
    const paths = [join(directory, '0.safetensors'), join(directory, '1.safetensors')] as const;
    await Promise.all([writeFile(paths[0], first), writeFile(paths[1], second)]);
    hub = await HubProcess.start(join(directory, 'hub'), { FIRN_NATIVE_THREADS: '1' });
    if (cpu !== undefined) placeOnCores(hub.pid, cpu);
    const client = new HubClient(hub.url);
    await client.post('/v1/repositories', { namespace: 'bench', name: 'speed' });
    const copy = copier(first.length);
    const samples = [
      { works: [] as Spent[], copies: [] as Spent[] },
      { works: [] as Spent[], copies: [] as Spent[] },
    ] as const;
    for (let round = -warmUps; round < rounds; round++) {
      const run = `/v1/repositories/bench/speed/runs/r${round + warmUps}`;
      const fixedConfig = { method: 'residual', step };
      await client.post('/v1/repositories/bench/speed/runs', {
        name: `r${round + warmUps}`,
        fidelity: 'lossy',
        search: { method: 'residual', fixedConfig },
      });
      for (const [i, sample] of samples.entries()) {
        const copied = copy();
        const before = processorSecondsOf(hub.pid);
        const seconds = await push(client, run, i, paths[i]!);
        const processorSeconds = processorSecondsOf(hub.pid) - before;
        if (round < 0) continue;
        sample.copies.push(copied);
        sample.works.push({ seconds, processorSeconds });
      }
    }
    return samples.map((sample, i) => rowOf(`put to ready, ${i === 0 ? 'base' : 'delta'}`, first.length, sample));
  } finally {
    await hub?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function push(client: HubClient, run: string, step: number, path: string): Promise<number> {
  await client.post(`${run}/checkpoints`, { step });
  const started = performance.now();
  await client.putFile(`${run}/checkpoints/${step}/files/model.safetensors`, path);
  await client.post(`${run}/checkpoints/${step}/commit`);
  for await (const _ of client.events(`${run}/checkpoints/${step}/events`)) void _;
  const seconds = (performance.now() - started) / 1000;
  const { state, error } = await client.get<{ state: string; error?: unknown }>(`${run}/checkpoints/${step}`);
  if (state !== 'ready') throw new Error(`step ${step} is ${state}: ${JSON.stringify(error)}`);
  return seconds;
}
