/**
 * Compares uploads and raw downloads of a gateway with a bare node:http server that does the same work on files and
 * digests, in one run, in turns:
 *
 *   npx tsx test/load/beside-bare-server.ts --mib 512 --rounds 7
 *
 * The gateway's median has to reach 0.8 times the bare server's.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHub } from '../acceptance/start-hub.ts';
import { must } from '../harness/ask.ts';
import { runAsCommand, type Findings } from '../harness/command.ts';
import { median, quantile } from '../harness/resident.ts';
import { undoing } from '../harness/undoing.ts';
import { openTestStores } from '../harness/test-stores.ts';
import { madeFile } from './made-file.ts';
import { receiveFile, sendFile } from './stream-file.ts';

const run = '/v1/repositories/load/speed/runs/run';

interface Speed {
  /** Median of the rounds in MB/s, and the quartiles. */
  readonly median: number;
  readonly quartiles: readonly [number, number];
}

export interface BesideReport extends Findings {
  readonly ingest: { readonly firn: Speed; readonly bare: Speed; readonly ratio: number };
  readonly download: { readonly firn: Speed; readonly bare: Speed; readonly ratio: number };
}

export interface BesideOptions {
  readonly mib: number;
  readonly rounds: number;
  /** Least ratio to the bare server. */
  readonly ratioMin?: number;
  readonly say?: (line: string) => void;
}

export function besideBareServer({ mib, rounds, ratioMin = 0.8, say }: BesideOptions): Promise<BesideReport> {
  return undoing(async (later) => {
    const stores = await openTestStores('postgres-folder');
    later(() => stores.remove());
    const folder = join(stores.dataDirectory, 'bare');
    await mkdir(folder);
    const child = fork(fileURLToPath(new URL('./bare-server.ts', import.meta.url)), [folder], {
      execArgv: ['--import', 'tsx'],
    });
    later(() => child.kill());
    const [{ url: bare }] = (await once(child, 'message')) as [{ url: string }];
    const gateway = await startHub({ ...stores, command: 'serve' });
    later(() => gateway.stop());
    await must('POST', `${gateway.url}/v1/repositories`, { json: { namespace: 'load', name: 'speed' } });
    await must('POST', `${gateway.url}/v1/repositories/load/speed/runs`, { json: { name: 'run', fidelity: 'exact' } });
    const file = madeFile(mib, 1);
    const expected = file.sha256();
    const times = { firnIn: [] as number[], bareIn: [] as number[], firnOut: [] as number[], bareOut: [] as number[] };
    const timed = async (into: number[], work: () => Promise<{ status: number; sha256?: string }>): Promise<void> => {
      const startedMs = performance.now();
      const { status, sha256 } = await work();
      const seconds = (performance.now() - startedMs) / 1000;
      if (status >= 300 || (sha256 !== undefined && sha256 !== expected))
        throw new Error(`answered ${status} with sha256 ${sha256}`);
      into.push(file.sizeBytes / 1e6 / seconds);
    };
    // The first round is a warm-up.
    for (let round = -1; round < rounds; round++) {
      const checkpoint = `${gateway.url}${run}/checkpoints/${round + 1}`;
      const into = round < 0 ? { firnIn: [], bareIn: [], firnOut: [], bareOut: [] } : times;
      const pairs = [
        [
          () => timed(into.firnIn, () => sendFile('PUT', checkpoint, file)),
          () => timed(into.bareIn, () => sendFile('PUT', `${bare}/file${round + 1}`, file)),
        ],
        [
          () => timed(into.firnOut, () => receiveFile(`${checkpoint}/files/model.safetensors?as=uploaded`)),
          () => timed(into.bareOut, () => receiveFile(`${bare}/file${round + 1}`)),
        ],
      ];
      for (const pair of pairs) for (const work of round % 2 === 0 ? pair : pair.toReversed()) await work();
      say?.(
        `round ${round + 1}: ${Object.entries(into)
          .map(([name, speeds]) => `${name} ${speeds.at(-1)?.toFixed(0) ?? '-'} MB/s`)
          .join(', ')}`,
      );
    }
    const problems: string[] = [];
    const compare = (what: string, firn: readonly number[], other: readonly number[]) => {
      const ratio = median(firn) / median(other);
      if (ratio < ratioMin)
        problems.push(`${what} is ${ratio.toFixed(2)} times the bare server's, and not at least ${ratioMin}`);
      return { firn: speedOf(firn), bare: speedOf(other), ratio: Number(ratio.toFixed(2)) };
    };
    return {
      ingest: compare('ingest', times.firnIn, times.bareIn),
      download: compare('download', times.firnOut, times.bareOut),
      problems,
    };
  });
}

function speedOf(values: readonly number[]): Speed {
  return {
    median: Math.round(median(values)),
    quartiles: [Math.round(quantile(values, 0.25)), Math.round(quantile(values, 0.75))],
  };
}

await runAsCommand(import.meta.url, { mib: '512', rounds: '7' }, ({ mib, rounds }, say) =>
  besideBareServer({ mib: Number(mib), rounds: Number(rounds), say }),
);
