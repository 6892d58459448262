/**
 * Breaks the connection between a hub and its database or bucket, or fills its disk, in one episode after another,
 * while clients push and read:
 *
 *   npx tsx test/faults/inject-faults.ts --episodes 60 --seed 1 --stores postgres-bucket
 *   npx tsx test/faults/inject-faults.ts --episodes 30 --seed 1 --stores postgres-folder
 *
 * The bucket is named by FIRN_TEST_S3_*. Only root can make the small disk that is filled; for others it is left out.
 *
 * Every request has to end in a success, in a 5xx problem with Retry-After, or, once bytes are being sent, short of its
 * Content-Length. No byte may be wrong, and the same process has to recover when an episode is over. At the end every
 * acknowledged checkpoint is ready and right.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FaultProxy } from '../../src/store/fault-proxy.test-support.ts';
import { randomNumbers } from '../acceptance/random-numbers.ts';
import { mountSmallDisk, type SmallDisk } from '../acceptance/small-disk.ts';
import { startHub } from '../acceptance/start-hub.ts';
import { ask, must } from '../harness/ask.ts';
import { runAsCommand, type Findings } from '../harness/command.ts';
import { checkHub } from '../harness/hub/check-hub.ts';
import { hubActors, operationsOf, prepareHub } from '../harness/hub/hub-actors.ts';
import { closeStores } from '../harness/close-stores.ts';
import { undoing } from '../harness/undoing.ts';
import { openTestStores, type StorePair, type TestStores } from '../harness/test-stores.ts';
import { bucketEpisodes, diskEpisodes, postgresEpisodes, type Episode } from './faults.ts';
import { checkAcknowledged, client, hubClient, repository, worksAgain, type FaultContext } from './fault-clients.ts';
import { TcpProxy } from './tcp-proxy.ts';

const clients = 6;
const diskMib = 192;
/** Shortest and longest episode, in ms: some last longer than all retries of the hub. */
const episodeMsMin = 500;
const longestEpisodeMs = 6_000;
/** Longest recovery after an episode, in ms. */
const recoveryMsMax = 60_000;
/**
 * Longest wait until all checkpoints are ready at the end, in ms. There are several hundred encodes, a bucket on one
 * busy disk takes one a second, and retried jobs come last.
 */
const settleMsMax = 1_200_000;
/** Short, so that waiting for a stalled server ends soon. */
const patience = {
  FIRN_S3_IDLE_TIMEOUT_S: '2',
  FIRN_S3_REQUEST_TIMEOUT_S: '10',
  FIRN_DATABASE_CONNECT_S: '2',
  FIRN_DATABASE_STATEMENT_S: '4',
};

export interface FaultReport extends Findings {
  readonly episodes: Readonly<Record<string, number>>;
  readonly outcomes: FaultContext['outcomes'];
  readonly acknowledged: number;
  /** Acknowledged operations of hub clients, by kind. */
  readonly hubOperations: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  readonly slowestRecoveryMs: number;
}

export interface FaultOptions {
  readonly episodes: number;
  readonly seed: number;
  readonly stores: StorePair;
  /** Only episodes whose name contains this. */
  readonly only?: string;
  /** Longest episode, in ms. */
  readonly episodeMsMax?: number;
  readonly say?: (line: string) => void;
}

export function injectFaults({
  episodes,
  seed,
  stores: pair,
  only = '',
  episodeMsMax = longestEpisodeMs,
  say,
}: FaultOptions): Promise<FaultReport> {
  return undoing(async (later) => {
    const disk = mountSmallDisk(diskMib);
    if (disk === undefined) say?.('no full disk: mounting a small one takes root');
    later(() => disk?.unmount());
    const stores = await openTestStores(pair, disk && join(disk.directory, 'data'));
    later(() => stores.remove());
    const random = randomNumbers(seed);
    const problems: string[] = [];
    const line = await faultyLine(stores, random, disk);
    later(() => line.close());
    const choices = line.episodes.filter(({ name }) => name.includes(only));
    const hub = await startHub({
      dataDirectory: stores.dataDirectory,
      environment: { ...stores.environment, ...patience, ...line.environment },
    });
    later(() => hub.stop('SIGKILL'));
    let current = 'no fault';
    let isOver = false;
    later(() => (isOver = true));
    const ctx: FaultContext = {
      url: hub.url,
      random,
      acknowledged: [],
      outcomes: { succeeded: 0, toldToComeAgain: 0, cutShort: 0 },
      slowestMs: 0,
      problem: (sentence) => void problems.push(sentence),
      fault: () => current,
      isOver: () => isOver,
    };
    const counted: Record<string, number> = {};
    let slowestRecoveryMs = 0;
    // A file in two parts would take the small disk for itself.
    const actors = hubActors('faults', { seed, withTwoParts: false });
    await prepare(hub.url);
    await prepareHub(actors, () => (method, path, body) => asked(hub.url, method, path, body));
    const working = Promise.allSettled([
      ...actors.map((actor) => hubClient(ctx, actor)),
      ...Array.from({ length: clients }, (_, number) => client(ctx, number)),
    ]);
    for (let number = 0; number < episodes; number++) {
      // Every kind once, then kinds at random.
      const episode = choices[number < choices.length ? number : Math.floor(random() * choices.length)]!;
      counted[episode.name] = (counted[episode.name] ?? 0) + 1;
      current = episode.name;
      await episode.begin();
      await pause(episodeMsMin + random() * (episodeMsMax - episodeMsMin));
      await episode.end();
      current = `after ${episode.name}`;
      const recoveryMs = await recovered(ctx, number);
      slowestRecoveryMs = Math.max(slowestRecoveryMs, recoveryMs);
      const outcomes = `${ctx.acknowledged.length} acknowledged, ${JSON.stringify(ctx.outcomes)}`;
      const recovery = `works again after ${Math.round(recoveryMs)} ms`;
      say?.(`${number + 1} ${episode.name}: ${recovery}; ${outcomes}, ${problems.length} problems`);
    }
    // Operations of hub clients take up to six requests, and short episodes may have cut each of their tries.
    const isMissing = (): boolean => actors.some(({ isRoundDone }) => !isRoundDone);
    for (const deadline = Date.now() + settleMsMax; isMissing() && Date.now() < deadline;) await pause(100);
    isOver = true;
    for (const outcome of await working)
      if (outcome.status === 'rejected') problems.push(`a client ended: ${String(outcome.reason)}`);
    current = 'in the end';
    for (const known of ctx.acknowledged) await checkAcknowledged(ctx, known, Date.now() + settleMsMax);
    const checks = { isEnd: true, mayCollect: false };
    for (const actor of actors) problems.push(...(await checkHub(hub.url, actor, checks)));
    if (hub.process.exitCode !== null) problems.push(`the hub ended with ${hub.process.exitCode}`);
    await hub.stop();
    problems.push(...(await closeStores(stores)).problems);
    const { outcomes, acknowledged } = ctx;
    const [slowestMs, recoveryMs] = [ctx.slowestMs, slowestRecoveryMs].map(Math.round) as [number, number];
    return {
      episodes: counted,
      outcomes,
      acknowledged: acknowledged.length,
      hubOperations: operationsOf(actors),
      slowestMs,
      slowestRecoveryMs: recoveryMs,
      problems,
    };
  });
}

/** The proxy between the hub and its stores, with its faults. */
async function faultyLine(
  { postgres, s3, environment }: TestStores,
  random: () => number,
  disk: SmallDisk | undefined,
) {
  const episodes: Episode[] = disk === undefined ? [] : diskEpisodes(disk);
  const keys: Record<string, string> = {};
  const closing: (() => Promise<void>)[] = [];
  if (s3 !== undefined) {
    const proxy = await FaultProxy.start(s3.server.endpoint);
    keys['FIRN_S3_ENDPOINT'] = proxy.url;
    episodes.push(...bucketEpisodes(proxy, random));
    closing.push(() => proxy.refuse());
  }
  if (postgres !== undefined) {
    const proxy = await TcpProxy.start(postgres.url);
    keys['FIRN_DATABASE_URL'] = proxy.through(environment['FIRN_DATABASE_URL']!);
    episodes.push(...postgresEpisodes(proxy, postgres.url));
    closing.push(() => proxy.refuse());
  }
  return {
    episodes,
    environment: keys,
    close: async () => void (await Promise.allSettled(closing.map((close) => close()))),
  };
}

async function prepare(url: string): Promise<void> {
  await must('POST', `${url}/v1/repositories`, { json: { namespace: 'faults', name: 'test' } });
  const search = { method: 'residual', fixedConfig: { method: 'residual', step: 0 } };
  for (let number = 0; number < clients; number++)
    await must('POST', `${url}${repository}/runs`, {
      json: { name: `run-${number}`, ...(number % 3 === 2 ? { search } : { fidelity: 'exact' }) },
    });
  await must('POST', `${url}${repository}/runs`, { json: { name: 'recovery', fidelity: 'exact' } });
}

async function asked(url: string, method: string, path: string, body?: Uint8Array | object): Promise<Buffer> {
  const sent = body instanceof Uint8Array ? { body } : { json: body };
  const { status, bytes } = await ask(method, url + path, sent);
  if (status >= 300) throw new Error(`${method} ${path} answered ${status} ${bytes.toString()}`);
  return bytes;
}

/** Time until everything works again, in ms. */
async function recovered(ctx: FaultContext, step: number): Promise<number> {
  const startedMs = performance.now();
  while (!(await worksAgain(ctx, 'recovery', step))) {
    if (performance.now() - startedMs > recoveryMsMax) {
      ctx.problem(`does not work again after ${recoveryMsMax} ms (${ctx.fault()})`);
      break;
    }
    await pause(100);
  }
  return performance.now() - startedMs;
}

await runAsCommand(
  import.meta.url,
  { episodes: '20', seed: '1', stores: 'postgres-bucket', only: '' },
  ({ episodes, seed, stores, only }, say) =>
    injectFaults({ episodes: Number(episodes), seed: Number(seed), stores: stores as StorePair, only, say }),
);
