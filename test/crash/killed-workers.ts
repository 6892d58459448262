/**
 * Two gateways and two workers on one Postgres server and one bucket (or folder); one worker is killed over and over. A
 * single worker does the same work on a copy of everything:
 *
 *   npx tsx test/crash/killed-workers.ts --checkpoints 60 --kill-every-s 20 --seed 1 --stores postgres-bucket
 *
 * Every job has to be done once, and every package has to have the bytes that the single worker made. Merging is off,
 * because which deltas are merged depends on when a worker is idle.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CopyObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { plainS3Client } from '../../src/store/s3/s3-server.test-support.ts';
import {
  classifierBatches,
  classifierFile,
  classifierGraph,
  classifierRows,
  classifierSpec,
  classifierWeights,
} from '../acceptance/classifier.ts';
import { randomNumbers } from '../acceptance/random-numbers.ts';
import { startHub, type Hub } from '../acceptance/start-hub.ts';
import { ask, must, sha256 } from '../harness/ask.ts';
import { runAsCommand, type Findings } from '../harness/command.ts';
import { openTestStores, removePrefix, type StorePair, type TestStores } from '../harness/test-stores.ts';
import { onServer } from '../postgres/create-database.ts';
import { exactContent } from '../race/contents.ts';
import { movingFile } from './crash-clients.ts';

const pollMs = 200;
/** Longest wait for all checkpoints, in ms. */
const settleMsMax = 3_600_000;
/**
 * Runs, each in a repository of its own, because the packages of runs that share one depend on each other's progress.
 */
const kinds = ['exact', 'moving', 'searched', 'exact', 'moving', 'searched'] as const;
const smallSearch = {
  method: 'inshrinkerator',
  bins: [4, 8, 16, 32],
  embeddingBins: [16, 32],
  pruneFractions: [0.2, 0],
  protectFractions: [0.01],
  trialsMax: 24,
};

export interface WorkersReport extends Findings {
  readonly checkpoints: number;
  readonly kills: number;
  /** Claims by the two workers beyond one per job: jobs taken over after a kill, or deferred. */
  readonly takenAgain: number;
  readonly packagesCompared: number;
  readonly packageBytes: number;
}

export interface WorkersOptions {
  readonly checkpoints: number;
  readonly killEveryMs: number;
  readonly seed: number;
  readonly stores: StorePair;
  readonly say?: (line: string) => void;
}

type Environment = Pick<TestStores, 'environment' | 'dataDirectory'>;

export async function killedWorkers({
  checkpoints,
  killEveryMs,
  seed,
  stores: pair,
  say,
}: WorkersOptions): Promise<WorkersReport> {
  const stores = await openTestStores(pair);
  if (stores.postgres === undefined) throw new Error('two processes need a Postgres server');
  const random = randomNumbers(seed);
  const problems: string[] = [];
  const copyDirectory = await mkdtemp(join(tmpdir(), 'firn-single-worker-'));
  const copyPrefix = stores.s3 && `copy-${stores.s3.prefix}`;
  const hubs = new Set<Hub>();
  const start = async (command: 'serve' | 'work', { environment, dataDirectory }: Environment): Promise<Hub> => {
    const hub = await startHub({
      command,
      dataDirectory,
      environment: { ...environment, FIRN_MERGE: 'off', FIRN_EVAL_PARALLEL: '1' },
    });
    hubs.add(hub);
    return hub;
  };
  const stop = async (hub: Hub, signal?: 'SIGKILL'): Promise<void> => {
    await hub.stop(signal);
    hubs.delete(hub);
  };
  try {
    let gateways = await Promise.all([start('serve', stores), start('serve', stores)]);
    const pushed = await pushAll(gateways, checkpoints, random);
    say?.(`${pushed.length} checkpoints pushed`);
    await Promise.all(gateways.map((gateway) => stop(gateway)));
    const copy = await copyStores(stores, copyDirectory, copyPrefix);

    gateways = await Promise.all([start('serve', stores), start('serve', stores)]);
    const workers = await Promise.all([start('work', stores), start('work', stores)]);
    let kills = 0;
    let isDone = false;
    const killing = (async () => {
      while (!isDone) {
        for (const until = Date.now() + killEveryMs; Date.now() < until && !isDone;) await pause(pollMs);
        if (isDone) return;
        const which = Math.floor(random() * workers.length);
        await stop(workers[which]!, 'SIGKILL');
        workers[which] = await start('work', stores);
        kills++;
      }
    })();
    await allReady(gateways[0]!.url, pushed, problems).finally(() => (isDone = true));
    await killing;
    say?.(`all ready after ${kills} kills`);
    const jobs = await jobCounts(stores.environment['FIRN_DATABASE_URL']!);
    if (jobs.done !== pushed.length || jobs.other > 0 || jobs.packages !== pushed.length)
      problems.push(
        `${jobs.done} jobs are done, ${jobs.other} are not, and there are ${jobs.packages} packages of ` +
          `${pushed.length} checkpoints`,
      );

    const single = await Promise.all([start('serve', copy), start('work', copy)]);
    await allReady(single[0].url, pushed, problems);
    let packageBytes = 0;
    for (const [at, path] of pushed.entries()) {
      const [many, one] = await Promise.all([
        ask('GET', `${gateways[at % 2]!.url}${path}/package`),
        ask('GET', `${single[0].url}${path}/package`),
      ]);
      if (many.status !== 200 || one.status !== 200 || !many.bytes.equals(one.bytes))
        problems.push(
          `the packages of ${path} differ: ${many.status} ${sha256(many.bytes)}, and of a single worker ` +
            `${one.status} ${sha256(one.bytes)}`,
        );
      packageBytes += many.bytes.length;
    }
    return {
      checkpoints: pushed.length,
      kills,
      takenAgain: jobs.claims - jobs.done,
      packagesCompared: pushed.length,
      packageBytes,
      problems,
    };
  } finally {
    await Promise.all([...hubs].map((hub) => hub.stop('SIGKILL')));
    await stores.remove();
    if (stores.s3 !== undefined) await removePrefix(stores.s3.server, copyPrefix!);
    await rm(copyDirectory, { recursive: true, force: true });
  }
}

/** Pushes through both gateways in turn; resolves to the paths of the checkpoints. */
async function pushAll(gateways: readonly Hub[], checkpoints: number, random: () => number): Promise<string[]> {
  const { url } = gateways[0]!;
  const collections: string[] = [];
  for (const [at, kind] of kinds.entries()) {
    await must('POST', `${url}/v1/repositories`, { json: { namespace: 'workers', name: `r${at}` } });
    const repository = `/v1/repositories/workers/r${at}`;
    if (kind === 'searched') await createEvalSet(url, repository);
    const lossy = { evalSet: 'held-out', thresholds: { loss: 0.05 }, search: smallSearch };
    const fixed = { search: { method: 'residual', fixedConfig: { method: 'residual', step: 0 } } };
    await must('POST', `${url}${repository}/runs`, {
      json: { name: 'run', ...(kind === 'exact' ? { fidelity: 'exact' } : kind === 'moving' ? fixed : lossy) },
    });
    collections.push(`${repository}/runs/run/checkpoints`);
  }
  const pushed: string[] = [];
  for (let number = 0; number < checkpoints; number++) {
    const at = number % kinds.length;
    const step = Math.floor(number / kinds.length);
    const path = `${collections[at]}/${step}`;
    const kind = kinds[at]!;
    const body =
      kind === 'exact'
        ? exactContent(random, false).files[0]!.bytes
        : kind === 'moving'
          ? movingFile(step)
          : classifierFile(classifierWeights(step, at));
    await must('PUT', `${gateways[number % gateways.length]!.url}${path}`, { body });
    pushed.push(path);
  }
  return pushed;
}

async function createEvalSet(url: string, repository: string): Promise<void> {
  const set = `${url}${repository}/eval-sets/held-out`;
  await must('POST', `${url}${repository}/eval-sets`, { json: { name: 'held-out', spec: classifierSpec } });
  await must('PUT', `${set}/graph`, { body: classifierGraph() });
  await must('PUT', `${set}/batches`, { body: classifierBatches(classifierRows(classifierWeights(0))) });
  await must('POST', `${set}/commit`);
}

async function allReady(url: string, pushed: readonly string[], problems: string[]): Promise<void> {
  const deadline = Date.now() + settleMsMax;
  for (const path of pushed) {
    for (;;) {
      const { state, error } = (await must('GET', url + path)) as { state: string; error?: unknown };
      if (state === 'ready') break;
      if (state !== 'queued' && state !== 'working') {
        problems.push(`${path} is ${state}: ${JSON.stringify(error)}`);
        break;
      }
      if (Date.now() > deadline) throw new Error(`${path} is still ${state}`);
      await pause(pollMs);
    }
  }
}

async function jobCounts(
  databaseUrl: string,
): Promise<{ done: number; other: number; claims: number; packages: number }> {
  const [counts] = await onServer(
    databaseUrl,
    `select (select count(*) from jobs where kind = 'encode' and state = 'done')::int as done,
            (select count(*) from jobs where kind = 'encode' and state <> 'done')::int as other,
            (select coalesce(sum(fence), 0) from jobs where kind = 'encode')::int as claims,
            (select count(distinct checkpoint_id) from packages)::int as packages`,
  );
  return counts as { done: number; other: number; claims: number; packages: number };
}

/**
 * Copies everything for a single worker: the same rows, so that the packages have the same ids, and the same objects.
 * Nobody may use the stores.
 */
async function copyStores(
  { environment, dataDirectory, s3 }: TestStores,
  copyDirectory: string,
  copyPrefix: string | undefined,
): Promise<Environment> {
  const url = new URL(environment['FIRN_DATABASE_URL']!);
  await onServer(
    Object.assign(new URL(url), { pathname: '/template1' }).href,
    `create database single template ${url.pathname.slice(1)}`,
  );
  const database = { FIRN_DATABASE_URL: Object.assign(new URL(url), { pathname: '/single' }).href };
  if (s3 === undefined) {
    await cp(join(dataDirectory, 'objects'), join(copyDirectory, 'objects'), { recursive: true });
    return { dataDirectory: copyDirectory, environment: { ...environment, ...database } };
  }
  const client = plainS3Client(s3.server);
  const { bucket } = s3.server;
  for (let token: string | undefined; ;) {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: s3.prefix, ContinuationToken: token }),
    );
    for (const { Key } of page.Contents ?? [])
      await client.send(
        new CopyObjectCommand({
          Bucket: bucket,
          Key: copyPrefix + Key!.slice(s3.prefix.length),
          CopySource: `${bucket}/${encodeURIComponent(Key!)}`,
        }),
      );
    token = page.NextContinuationToken;
    if (token === undefined) break;
  }
  client.destroy();
  return { dataDirectory: copyDirectory, environment: { ...environment, ...database, FIRN_S3_PREFIX: copyPrefix! } };
}

await runAsCommand(
  import.meta.url,
  { checkpoints: '60', 'kill-every-s': '20', seed: '1', stores: 'postgres-bucket' },
  (options, say) =>
    killedWorkers({
      checkpoints: Number(options.checkpoints),
      killEveryMs: Number(options['kill-every-s']) * 1000,
      seed: Number(options.seed),
      stores: options.stores as StorePair,
      say,
    }),
);
