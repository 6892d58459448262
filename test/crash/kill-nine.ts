/**
 * Kills a hub with SIGKILL at random instants and restarts it on the same stores. Meanwhile clients push, fork and
 * delete checkpoints, hub clients do all that they can do (test/harness/hub), and the hub encodes, publishes, merges and
 * collects garbage; some kills hit a start. It checks that no acknowledged content is lost or wrong:
 *
 *   npx tsx test/crash/kill-nine.ts --kills 300 --seed 1 --stores pglite-folder
 *   npx tsx test/crash/kill-nine.ts --kills 300 --seed 1 --stores postgres-bucket
 *
 * The bucket is named by FIRN_TEST_S3_*; postgres-folder works without.
 *
 * At the end everything acknowledged is checked once more, and the remains of the kills are counted and swept.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { randomNumbers } from '../acceptance/random-numbers.ts';
import { startHub, type Hub } from '../acceptance/start-hub.ts';
import { runAsCommand, type Findings } from '../harness/command.ts';
import { bundleProgram, type BundledProgram } from '../harness/bundle-program.ts';
import { firnProgram } from '../harness/firn-program.ts';
import { checkHub } from '../harness/hub/check-hub.ts';
import type { HubActor } from '../harness/hub/hub-actor.ts';
import { hubActors, operationsOf, prepareHub } from '../harness/hub/hub-actors.ts';
import { closeStores } from '../harness/close-stores.ts';
import { openTestStores, type StorePair, type TestStores } from '../harness/test-stores.ts';
import { checkAcknowledged, mergedPackagesOf } from './crash-checks.ts';
import { mergedRun, prepare, pushUntilKilled, runPlans, type Acknowledged } from './crash-clients.ts';
import { forkUntilKilled, type Forks } from './fork-clients.ts';
import { actUntilKilled, senderTo } from './hub-clients.ts';

/**
 * Longest time from the start of the clients to a kill, in ms: long enough for some encodes to be running. On a busy
 * machine it is extended by the time that the start took.
 */
const killAfterMsMax = 2500;
/** Most operations of one hub client between two kills, so that those which are quick do not crowd out the others. */
const hubOperationsMax = 16;
/** Factor on that time in rounds in which merges follow the encodes. */
const quietFactor = 2;
/** Longest time that the last kill waits for something that could be lost, in ms, and how often it looks. */
const acknowledgementMsMax = 120_000;
const acknowledgementPollMs = 20;
/** Kills after which at least one merge should have been seen. */
const killsPerMergeMin = 100;
/**
 * Share of rounds in which clients push one step each and then stop. Merges wait for encodes, so they are running at
 * the kill.
 */
const quietShare = 0.4;
/** Share of rounds in which a start is killed, too. */
const startKillShare = 0.25;
/** Longest time from a start to its kill, in ms: about as long as a start takes. */
const startKillAfterMsMax = 4000;
/**
 * Share of kills that are followed by a collection of garbage without a grace before the next start, which is killed,
 * too. Only with a database that one process at a time can open.
 */
const sweepKillShare = 0.4;
/** Longest time from the start of a collection to its kill, in ms. */
const sweepKillAfterMsMax = 1000;
/** Grace of a sweeper beside the hub, in ms: an encode takes far less from its put to its commit. */
const sweepGraceMs = 60_000;
/**
 * Most objects that one kill may leave: stored bodies that were about to be recorded, and objects that had been
 * replaced or released.
 */
const orphansPerKillMax = 3 * (runPlans.length + 4);

export interface KillReport extends Findings {
  readonly kills: number;
  readonly acknowledgedCheckpoints: number;
  readonly acknowledgedFiles: number;
  /** Operations of hub clients, by kind. */
  readonly hubOperations: Readonly<Record<string, number>>;
  readonly deletedCheckpoints: number;
  readonly forks: number;
  /** Merged packages found at any start. */
  readonly merges: number;
  /** Objects that nothing ever named, after the last kill. */
  readonly orphans: number;
}

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  readonly stores: StorePair;
  /** Whether hub clients also send files in two parts, of 64 MiB. */
  readonly withTwoParts?: boolean;
  readonly say?: (line: string) => void;
}

/** State of the clients from round to round. */
interface Clients {
  readonly acknowledged: Acknowledged[];
  readonly nextSteps: number[];
  readonly forks: Forks;
  readonly actors: readonly HubActor[];
  readonly problems: string[];
}

/** Runs the test; resolves to lost and wrong content. */
export async function killNine({
  kills,
  seed,
  stores: pair,
  withTwoParts = false,
  say,
}: KillOptions): Promise<KillReport> {
  const random = randomNumbers(seed);
  const stores = await openTestStores(pair);
  const sweeping = await bundleProgram(fileURLToPath(new URL('../harness/sweep-until-killed.ts', import.meta.url)));
  const clients: Clients = {
    acknowledged: [],
    nextSteps: runPlans.map(() => 0),
    forks: { made: 0, live: [] },
    actors: hubActors('crash', { seed, withTwoParts }),
    problems: [],
  };
  const { acknowledged, actors, problems } = clients;
  // Collections without a grace run only where the hub has the catalog for itself.
  const checks = { isEnd: false, mayCollect: stores.postgres === undefined };
  let checked: readonly Acknowledged[] = [];
  const merges = new Set<string>();
  try {
    for (let kill = 0; kill < kills; kill++) {
      if (kill > 0 && random() < startKillShare) await killStart(stores, random() * startKillAfterMsMax);
      if (kill > 0 && stores.postgres === undefined && random() < sweepKillShare)
        await killSweep(sweeping, stores, random() * sweepKillAfterMsMax);
      const startedMs = performance.now();
      const hub = await startHub(stores);
      const startMs = performance.now() - startedMs;
      const sweeper = stores.postgres && startSweeper(sweeping, stores, sweepGraceMs);
      if (kill === 0) await Promise.all([prepare(hub.url), prepareHub(actors, senderTo(hub.url))]);
      // Check before pushing anything new, so that only the kill can be the cause. Content checked before is checked
      // again at the end.
      const fresh = acknowledged.filter((each) => !checked.includes(each));
      problems.push(...(await checkAcknowledged(hub.url, fresh)));
      for (const actor of actors) problems.push(...(await checkHub(hub.url, actor, checks)));
      checked = acknowledged.filter(({ committed, deletion }) => committed && deletion !== 'asked');
      for (const id of await mergedPackagesOf(hub.url, mergedRun)) merges.add(id);
      const isQuiet = random() < quietShare;
      const working = work(hub, clients, isQuiet ? 1 : Infinity);
      await delay(random() * (isQuiet ? quietFactor : 1) * Math.max(killAfterMsMax, startMs));
      if (kill === kills - 1) await firstAcknowledgement(clients);
      await Promise.all([hub.stop('SIGKILL'), sweeper && end(sweeper)]);
      await working;
      say?.(
        `kill ${kill + 1}: ${clients.nextSteps.join(', ')} checkpoints of ` +
          `${runPlans.map(({ name }) => name).join(', ')}; ${JSON.stringify(operationsOf(actors))}; ` +
          `${merges.size} merges; ${problems.length} problems`,
      );
    }
    if (merges.size < Math.floor(kills / killsPerMergeMin)) problems.push(`only ${merges.size} merges happened`);
    return { kills, merges: merges.size, ...(await closeUp(stores, clients, { kills, merges: merges.size })) };
  } finally {
    await stores.remove();
    await sweeping.remove();
  }
}

/** Runs every client until the hub dies, or for `stepsMax` steps. */
async function work(
  { url }: Hub,
  { acknowledged, nextSteps, forks, actors, problems }: Clients,
  stepsMax: number,
): Promise<void> {
  const pushing = runPlans.map(async (plan, at) => {
    nextSteps[at] = await pushUntilKilled(url, plan, { nextStep: nextSteps[at]!, stepsMax }, acknowledged);
  });
  const outcomes = await Promise.allSettled([
    ...pushing,
    forkUntilKilled(url, forks, stepsMax, acknowledged),
    ...actors.map((actor) => actUntilKilled(url, actor, Math.min(stepsMax, hubOperationsMax))),
  ]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') problems.push(String(outcome.reason));
}

/**
 * Waits until a checkpoint has been acknowledged since the first start. On a slow machine that may take longer than all
 * rounds together.
 */
async function firstAcknowledgement({ acknowledged, problems }: Clients): Promise<void> {
  const end = performance.now() + acknowledgementMsMax;
  while (!acknowledged.some(({ committed }) => committed)) {
    if (performance.now() > end) {
      problems.push(`no checkpoint was acknowledged within ${acknowledgementMsMax / 1000} s`);
      return;
    }
    await delay(acknowledgementPollMs);
  }
}

/** Starts a hub and kills it before, or soon after, it answers. */
async function killStart({ dataDirectory, environment }: TestStores, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, firnProgram, {
    env: {
      ...process.env,
      FIRN_PORT: '0',
      FIRN_ACCESS: 'open',
      FIRN_DATA_DIR: dataDirectory,
      FIRN_LOG_LEVEL: 'silent',
      ...environment,
    },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const kill = setTimeout(() => child.kill('SIGKILL'), afterMs);
  await exited;
  clearTimeout(kill);
}

/** Collects garbage while no hub runs, and kills that process. */
async function killSweep(sweeping: BundledProgram, stores: TestStores, afterMs: number): Promise<void> {
  const sweeper = startSweeper(sweeping, stores, 0);
  await once(sweeper, 'message');
  await delay(afterMs);
  await end(sweeper);
}

/** A process that collects garbage all the time. It can run beside a hub only with a database server. */
function startSweeper(
  { path }: BundledProgram,
  { dataDirectory, environment }: TestStores,
  graceMs: number,
): ChildProcess {
  return fork(path, [String(graceMs)], {
    execArgv: [],
    env: { ...process.env, ...environment, FIRN_DATA_DIR: dataDirectory },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(`the sweeper ended by itself (${child.exitCode ?? child.signalCode})`);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Checks everything once more after all kills, and their remains. */
async function closeUp(
  stores: TestStores,
  { acknowledged, forks, actors, problems }: Clients,
  { kills, merges }: Pick<KillReport, 'kills' | 'merges'>,
): Promise<Omit<KillReport, 'kills' | 'merges'>> {
  const hub = await startHub(stores);
  const mayCollect = stores.postgres === undefined;
  for (const actor of actors) {
    problems.push(...(await checkHub(hub.url, actor, { isEnd: false, mayCollect })));
    // Few kills may have left some kinds of operations undone.
    while (!actor.isRoundDone) await actor.act(senderTo(hub.url));
  }
  problems.push(...(await checkAcknowledged(hub.url, acknowledged)));
  for (const actor of actors) problems.push(...(await checkHub(hub.url, actor, { isEnd: true, mayCollect })));
  await hub.stop();
  const closing = await closeStores(stores);
  problems.push(...closing.problems);
  if (closing.orphans > kills * orphansPerKillMax + merges)
    problems.push(`${closing.orphans} objects are left over from ${kills} kills`);
  const names = (which: readonly Acknowledged[]): number =>
    new Set(which.map(({ run, step }) => `${run}@${step}`)).size;
  return {
    acknowledgedCheckpoints: names(acknowledged.filter(({ committed }) => committed)),
    acknowledgedFiles: acknowledged.length,
    hubOperations: operationsOf(actors),
    deletedCheckpoints: names(acknowledged.filter(({ deletion }) => deletion === 'done')),
    forks: forks.made,
    orphans: closing.orphans,
    problems,
  };
}

await runAsCommand(
  import.meta.url,
  { kills: '20', seed: '1', stores: 'pglite-folder' },
  ({ kills, seed, stores }, say) =>
    killNine({ kills: Number(kills), seed: Number(seed), stores: stores as StorePair, withTwoParts: true, say }),
);
