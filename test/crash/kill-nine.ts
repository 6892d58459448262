/**
 * Kills a hub with SIGKILL at random instants and restarts it on the same stores. Meanwhile clients push, fork and
 * delete checkpoints, hub clients do all that they can do (test/harness/hub), and the hub encodes, publishes, merges
 * and collects garbage; some kills hit a start. It checks that no acknowledged content is lost or wrong:
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
 * machine it is extended by the time that the start took, but not to more than twice as much.
 */
const killAfterMsMax = 2500;
/** Most operations of one hub client beside all others, so that those which are quick do not crowd out the rest. */
const hubOperationsMax = 16;
/** Factor on that time in rounds in which merges follow the encodes. */
const quietFactor = 2;
/** Kills after which at least one merge should have been seen. */
const killsPerMergeMin = 100;
/**
 * What happens until a kill, and how often: all clients work; all push one step and then stop, so that merges, which
 * wait for encodes, are running at the kill; only hub clients work, so that the kill hits many of their operations.
 */
const rounds = [
  ['busy', 0.35],
  ['quiet', 0.3],
  ['hub', 0.35],
] as const;
type Round = (typeof rounds)[number][0];
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
  // Collections have a short grace here, or none.
  const checks = { isEnd: false, mayCollect: true };
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
      const round = roundOf(random());
      const working = work(hub, clients, round);
      await delay(
        random() *
          (round === 'quiet' ? quietFactor : 1) *
          Math.min(Math.max(killAfterMsMax, startMs), 2 * killAfterMsMax),
      );
      await Promise.all([hub.stop('SIGKILL'), sweeper && end(sweeper)]);
      await working;
      say?.(
        `kill ${kill + 1} (${round}): ${clients.nextSteps.join(', ')} checkpoints of ` +
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

function roundOf(chosen: number): Round {
  let left = chosen;
  return rounds.find(([, share]) => (left -= share) < 0)?.[0] ?? 'hub';
}

/** Runs the clients of a round until the hub dies, or until they have done their part. */
async function work(
  { url }: Hub,
  { acknowledged, nextSteps, forks, actors, problems }: Clients,
  round: Round,
): Promise<void> {
  const stepsMax = round === 'quiet' ? 1 : Infinity;
  const operationsMax = round === 'busy' ? hubOperationsMax : stepsMax;
  const pushing = (round === 'hub' ? [] : runPlans).map(async (plan, at) => {
    nextSteps[at] = await pushUntilKilled(url, plan, { nextStep: nextSteps[at]!, stepsMax }, acknowledged);
  });
  const outcomes = await Promise.allSettled([
    ...pushing,
    ...(round === 'hub' ? [] : [forkUntilKilled(url, forks, stepsMax, acknowledged)]),
    ...actors.map((actor) => actUntilKilled(url, actor, operationsMax)),
  ]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') problems.push(String(outcome.reason));
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
  await Promise.race([once(sweeper, 'message'), once(sweeper, 'exit')]);
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
  { acknowledged, nextSteps, forks, actors, problems }: Clients,
  { kills, merges }: Pick<KillReport, 'kills' | 'merges'>,
): Promise<Omit<KillReport, 'kills' | 'merges'>> {
  const hub = await startHub(stores);
  // On a slow machine few kills leave something undone that is to be counted.
  if (!acknowledged.some(({ committed }) => committed))
    await pushUntilKilled(hub.url, runPlans[0]!, { nextStep: nextSteps[0]!, stepsMax: 1 }, acknowledged);
  for (const actor of actors) {
    problems.push(...(await checkHub(hub.url, actor, { isEnd: false, mayCollect: true })));
    // What a kill interrupted is done to its end.
    while (actor.current !== undefined || !actor.isRoundDone) await actor.act(senderTo(hub.url));
  }
  problems.push(...(await checkAcknowledged(hub.url, acknowledged)));
  for (const actor of actors) problems.push(...(await checkHub(hub.url, actor, { isEnd: true, mayCollect: true })));
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
