/**
 * Measures the memory that several concurrent uploads and downloads of one large file take in a gateway:
 *
 *   npx tsx test/load/gateway-memory.ts --mib 4096 --uploads 4 --downloads 4 --stores postgres-folder
 *   npx tsx test/load/gateway-memory.ts --mib 1024 --uploads 4 --downloads 4 --stores postgres-bucket
 *
 * A separate worker encodes the downloaded file. Half of the downloads are rebuilt from its package, half are as
 * uploaded. The files are generated while they are sent; only the hub's own files are on disk.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startHub } from '../acceptance/start-hub.ts';
import { must } from '../harness/ask.ts';
import { runAsCommand, type Findings } from '../harness/command.ts';
import { residentMib, watchMemory } from '../harness/resident.ts';
import { undoing } from '../harness/undoing.ts';
import { openTestStores, type StorePair } from '../harness/test-stores.ts';
import { madeFile } from './made-file.ts';
import { receiveFile, sendFile } from './stream-file.ts';

/** The limit of the gateway's resident memory, in MiB. */
const residentMibMax = 512;
const pollMs = 500;
const repository = '/v1/repositories/load/large';

export interface MemoryReport extends Findings {
  readonly idleMib: number;
  readonly peakMib: number;
  readonly sentMib: number;
  readonly receivedMib: number;
  readonly stored: unknown;
}

export interface MemoryOptions {
  readonly mib: number;
  readonly uploads: number;
  readonly downloads: number;
  readonly stores: StorePair;
  readonly say?: (line: string) => void;
}

export function gatewayMemory({ mib, uploads, downloads, stores: pair, say }: MemoryOptions): Promise<MemoryReport> {
  return undoing(async (later) => {
    const stores = await openTestStores(pair);
    later(() => stores.remove());
    const problems: string[] = [];
    const gateway = await startHub({ ...stores, command: 'serve' });
    later(() => gateway.stop('SIGKILL'));
    await must('POST', `${gateway.url}/v1/repositories`, { json: { namespace: 'load', name: 'large' } });
    const names = ['read', ...Array.from({ length: uploads }, (_, number) => `write-${number}`)];
    for (const name of names)
      await must('POST', `${gateway.url}${repository}/runs`, { json: { name, fidelity: 'exact' } });
    const file = madeFile(mib, 1);
    const expected = file.sha256();
    const checkpoint = (run: string, step: number): string =>
      `${gateway.url}${repository}/runs/${run}/checkpoints/${step}`;
    const idleMib = residentMib(gateway.process.pid!);
    const memory = watchMemory(gateway.process.pid!);
    const upload = async (run: string, step: number, seed: number): Promise<void> => {
      const { status, text } = await sendFile('PUT', checkpoint(run, step), madeFile(mib, seed));
      if (status !== 202) problems.push(`the upload to ${run} answered ${status} ${text}`);
    };
    await upload('read', 0, 1);
    say?.(`uploaded once, peak ${peakOf(memory.samples)} MiB`);
    const worker = await startHub({ ...stores, command: 'work' });
    let stored: unknown;
    try {
      for (let state = ''; state !== 'ready'; await pause(pollMs)) {
        const status = (await must('GET', checkpoint('read', 0))) as {
          state: string;
          result?: unknown;
          error?: unknown;
        };
        ({ state } = status);
        stored = status.result;
        if (state === 'failed' || worker.process.exitCode !== null)
          throw new Error(`the encode failed: ${JSON.stringify(status.error)}`);
      }
    } finally {
      await worker.stop();
    }
    // This one waits for its encode, and is read as uploaded meanwhile.
    await upload('read', 1, 1);
    say?.(`encoded, peak ${peakOf(memory.samples)} MiB`);
    const download = async (number: number): Promise<void> => {
      const from =
        number % 2 === 0
          ? `${checkpoint('read', 0)}/files/model.safetensors`
          : `${checkpoint('read', 1)}/files/model.safetensors?as=uploaded`;
      const { status, sha256, sizeBytes } = await receiveFile(from);
      if (status !== 200 || sha256 !== expected)
        problems.push(`${from} came down with ${status}, ${sizeBytes} bytes and sha256 ${sha256}`);
    };
    await Promise.all([
      ...Array.from({ length: uploads }, (_, number) => upload(`write-${number}`, 0, number + 2)),
      ...Array.from({ length: downloads }, (_, number) => download(number)),
    ]);
    memory.stop();
    const peakMib = peakOf(memory.samples);
    if (peakMib > residentMibMax) problems.push(`the gateway took ${peakMib} MiB, and not at most ${residentMibMax}`);
    return {
      idleMib: Math.round(idleMib),
      peakMib,
      sentMib: (uploads + 2) * mib,
      receivedMib: downloads * mib,
      stored,
      problems,
    };
  });
}

function peakOf(samples: readonly { readonly mib: number }[]): number {
  return Math.round(Math.max(...samples.map(({ mib }) => mib)));
}

await runAsCommand(
  import.meta.url,
  { mib: '4096', uploads: '4', downloads: '4', stores: 'postgres-folder' },
  ({ mib, uploads, downloads, stores }, say) =>
    gatewayMemory({
      mib: Number(mib),
      uploads: Number(uploads),
      downloads: Number(downloads),
      stores: stores as StorePair,
      say,
    }),
);
