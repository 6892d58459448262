import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { median } from '../speed/timed-rounds.ts';
import { headMs, pullSeconds } from './pull-once.ts';

export interface ServedRow {
  readonly name: string;
  readonly clients: number;
  /** Megabytes a second of all clients together. */
  readonly firn: number;
  readonly bare: number;
  /** Firn's rate over the bare server's, of each round: median, least, most. */
  readonly ratio: readonly [median: number, least: number, most: number];
}

/**
 * Pulls from Firn and from the bare server in turn; who is first alternates. `before` runs before each pull of Firn.
 */
export async function servedRow(
  name: string,
  {
    urls,
    sizeBytes,
    clients,
    rounds,
    before = async () => undefined,
  }: {
    readonly urls: { readonly firn: string; readonly bare: string };
    readonly sizeBytes: number;
    readonly clients: number;
    readonly rounds: number;
    readonly before?: () => Promise<unknown>;
  },
): Promise<ServedRow> {
  const seconds = { firn: [] as number[], bare: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    for (const which of round % 2 === 0 ? (['firn', 'bare'] as const) : (['bare', 'firn'] as const)) {
      if (which === 'firn') await before();
      const taken = await pullSeconds(urls[which], clients, sizeBytes);
      if (round >= 0) seconds[which].push(taken);
    }
  }
  const megabytes = (clients * sizeBytes) / 1e6;
  const ratios = seconds.firn.map((each, i) => seconds.bare[i]! / each);
  return {
    name,
    clients,
    firn: megabytes / median(seconds.firn),
    bare: megabytes / median(seconds.bare),
    ratio: [median(ratios), Math.min(...ratios), Math.max(...ratios)],
  };
}

/** Milliseconds of HEAD requests by clients that ask again as soon as they are answered: median and 99th percentile. */
export async function headPercentiles(
  url: string,
  clients: number,
  requestsEach: number,
): Promise<{ readonly p50: number; readonly p99: number; readonly perSecond: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let i = 0; i < requestsEach; i++) times.push(await headMs(url, agent));
    }),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.ceil(share * times.length) - 1]!;
  return { p50: at(0.5), p99: at(0.99), perSecond: times.length / seconds };
}

/** Most memory that a process has had resident since it started, in MiB. Linux only. */
export function peakMib(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
