/**
 * Downloads from Firn beside the same bytes from a bare node:http server, in one run:
 * `npm run bench:serve -- [--layers 2] [--rounds 5] [--big-mib 4096] [--only rates|gaps|heads|memory] [--rows cached]`.
 * A synthetic model of 32 MB and 50 MB a layer drifts for 14 checkpoints; pulled are its base, the end of its longest
 * chain, and a file of random bytes that is stored raw. `no cache`: every pull is rebuilt. `cold`: the cache has room
 * for one file, and another was pulled before, so that each pull also fills it. `cached`: the file was pulled before.
 * Every answer is compared with its digest before it is timed. Clients run in this process, the two servers in one of
 * their own each. `gaps`: the first byte and the longest gap between two pieces of a rebuilt file. `memory` pulls a raw
 * and a rebuilt file of the given size with eight clients at once. Linux only; needs five times that size of disk.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HubClient } from '../src/cli/demo/hub-client.ts';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { headPercentiles, peakMib, servedRow } from './serve/measure-rows.ts';
import { median } from './speed/timed-rounds.ts';
import { digestOf, pullGaps, pullSeconds } from './serve/pull-once.ts';
import { pushChain, pushNoise, pushWeights, type StoredFile } from './serve/push-files.ts';

const { values: options } = parseArgs({
  options: {
    layers: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    'big-mib': { type: 'string', default: '4096' },
    only: { type: 'string', default: '' },
    /** Rows with this label alone: as stored, no cache, cold or cached. */
    rows: { type: 'string', default: '' },
  },
});
const rounds = Number(options.rounds);
const runs = (part: string): boolean => options.only === '' || options.only === part;
const mib = 1024 * 1024;
/** Time for a hub to do what it does after its start, in ms. */
const settleMs = 5_000;
/** The rate limits are for strangers, not for a bench. */
const unlimited = { FIRN_ANONYMOUS_REQUESTS_PER_MINUTE: '10000000', FIRN_SCRUB_MIB_PER_S: '0' };

const folder = await mkdtemp(join(tmpdir(), 'firn-serve-'));
const data = join(folder, 'hub');

async function withHub<T>(cacheMib: number, use: (hub: HubProcess) => Promise<T>): Promise<T> {
  const hub = await HubProcess.start(data, { ...unlimited, FIRN_DECODED_CACHE_MIB: String(cacheMib) });
  try {
    return await use(hub);
  } finally {
    await hub.stop();
  }
}

async function withBare(path: string, use: (url: string) => Promise<void>): Promise<void> {
  const server = fork(fileURLToPath(new URL('./serve/bare-server.ts', import.meta.url)), [path]);
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    await use(`http://127.0.0.1:${port}/`);
  } finally {
    server.disconnect();
    await once(server, 'exit');
  }
}

async function rateRows(label: string, hub: HubProcess, file: StoredFile, other?: StoredFile): Promise<void> {
  if (options.rows !== '' && options.rows !== label) return;
  const url = hub.url + file.path;
  if ((await digestOf(url)) !== file.sha256) throw new Error(`${url}: other bytes than announced`);
  const evict = other && (() => digestOf(hub.url + other.path));
  await withBare(file.copy, async (bare) => {
    for (const clients of [1, 8]) {
      const row = await servedRow(`${file.name}, ${label}`, {
        urls: { firn: url, bare },
        sizeBytes: file.sizeBytes,
        clients,
        rounds,
        ...(evict && { before: evict }),
      });
      const [ratio, least, most] = row.ratio.map((each) => each.toFixed(2));
      const speeds = `${row.firn.toFixed(0)} | ${row.bare.toFixed(0)}`;
      console.log(`| ${row.name} | ${clients} | ${speeds} | ${ratio} (${least} to ${most}) |`);
    }
  });
}

async function rates(base: StoredFile, deepest: StoredFile): Promise<void> {
  const noise = await withHub(0, (hub) => pushNoise(new HubClient(hub.url), folder, base.sizeBytes));
  console.log(`${base.sizeBytes} bytes a file\n| file | clients | Firn, MB/s | bare, MB/s | ratio |`);
  await withHub(0, async (hub) => {
    for (const file of [noise, base, deepest]) await rateRows(file === noise ? 'as stored' : 'no cache', hub, file);
  });
  await withHub(Math.ceil((1.5 * base.sizeBytes) / mib), async (hub) => {
    await rateRows('cold', hub, base, deepest);
    await rateRows('cold', hub, deepest, base);
  });
  await withHub(8192, async (hub) => {
    for (const file of [base, deepest]) await rateRows('cached', hub, file);
  });
}

/** The first byte and the longest gap of pulls that are rebuilt, one at a time: the median and the worst of them. */
async function gaps(files: readonly StoredFile[]): Promise<void> {
  console.log('| file, no cache | first byte, ms | longest gap, ms |');
  await withHub(0, async (hub) => {
    await pause(settleMs);
    for (const file of files) {
      const url = hub.url + file.path;
      if ((await digestOf(url)) !== file.sha256) throw new Error(`${url}: other bytes than announced`);
      const pulls: Awaited<ReturnType<typeof pullGaps>>[] = [];
      for (let round = 0; round < rounds; round++) pulls.push(await pullGaps(url, file.sizeBytes));
      const [first, longest] = (['firstByteMs', 'longestGapMs'] as const).map((key) => {
        const values = pulls.map((each) => each[key]);
        return `${median(values).toFixed(0)} (at most ${Math.max(...values).toFixed(0)})`;
      });
      console.log(`| ${file.name} | ${first} | ${longest} |`);
    }
  });
}

async function heads(): Promise<void> {
  await withHub(0, async (hub) => {
    const url = `${hub.url}/bench/serve/resolve/main/model.safetensors`;
    // A hub that has just started tidies its catalog, which holds up everything for half a second.
    await pause(settleMs);
    await headPercentiles(url, 64, 5);
    const { p50, p99, perSecond } = await headPercentiles(url, 64, 60);
    console.log(
      `HEAD, 64 clients: median ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${perSecond.toFixed(0)} a second`,
    );
  });
}

async function memory(): Promise<void> {
  const sizeBytes = Number(options['big-mib']) * mib;
  for (const push of [pushNoise, pushWeights]) {
    const file = await withHub(0, (hub) => push(new HubClient(hub.url), folder, sizeBytes));
    for (const cacheMib of push === pushNoise ? [0] : [0, 8192]) {
      await withHub(cacheMib, async (hub) => {
        const before = peakMib(hub.pid);
        const seconds = await pullSeconds(hub.url + file.path, 8, file.sizeBytes);
        const peak = `${peakMib(hub.pid).toFixed(0)} MiB (${before.toFixed(0)} before)`;
        console.log(`${file.name}, cache ${cacheMib} MiB, eight clients: peak ${peak}, ${seconds.toFixed(1)} s`);
      });
    }
  }
}

try {
  if (options.only !== 'memory') {
    const [base, deepest] = await withHub(0, (hub) =>
      pushChain(new HubClient(hub.url), folder, Number(options.layers)),
    );
    if (runs('rates')) await rates(base!, deepest!);
    if (runs('gaps')) await gaps([base!, deepest!]);
    if (runs('heads')) await heads();
  }
  if (runs('memory')) await memory();
} finally {
  await rm(folder, { recursive: true, force: true });
}
