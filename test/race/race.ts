/**
 * Uploads, commits, forks, cancels, deletes and reads of many clients at once, while encodes, merges and garbage
 * collection run. A simple in-memory twin checks each answer:
 *
 *   npx tsx test/race/race.ts --operations 100000 --seed 1 [--clients 16] [--grace-ms 20000] [--stores postgres-folder]
 *
 * At the end the hub holds exactly what the twin does, every object is named after a last sweep, and when all runs are
 * deleted no object is left.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { randomNumbers } from '../acceptance/random-numbers.ts';
import { startHub } from '../acceptance/start-hub.ts';
import { ask, must, pick, sha256 } from '../harness/ask.ts';
import { runAsCommand, type Findings } from '../harness/command.ts';
import { closeStores } from '../harness/close-stores.ts';
import { openStores, sweepStores } from '../harness/sweep-stores.ts';
import { openTestStores, type StorePair, type TestStores } from '../harness/test-stores.ts';
import { modelPath } from './contents.ts';
import {
  compareList,
  isPush,
  note,
  operations,
  removeWholeRun,
  repository,
  type RaceContext,
} from './race-operations.ts';
import { heldSteps, Twin, type TwinStep } from './twin.ts';

/** Pause between two sweeps, in ms. */
const sweepPauseMs = 2_000;
/** Longest wait for the last encodes, in ms. */
const settleMsMax = 600_000;
/** Checkpoints that wait for their encode; beyond that, clients poll instead of pushing. */
const waitingMax = 60;
/**
 * The last operations of every group of this many push nothing, and begin when nothing waits for its encode: merges run
 * after encodes, so they run during these.
 */
const lullEvery = 200;
const lullLength = 50;
/** Operations after which a merge should have been seen. */
const operationsPerMergeMin = 5_000;
/** After this many problems, further ones say nothing new. */
const problemsMax = 20;

export interface RaceOptions {
  readonly operations: number;
  readonly clients: number;
  readonly seed: number;
  readonly graceMs: number;
  readonly stores: StorePair;
  readonly say?: (line: string) => void;
}

export interface RaceReport extends Findings {
  /** By operation and status. */
  readonly answers: Readonly<Record<string, number>>;
  readonly swept: number;
  /** Merged packages that answers mentioned. */
  readonly merges: number;
  /** Live and ready at the end. */
  readonly checkpoints: number;
  readonly runs: number;
  /** Objects that nothing named before the last sweep, and objects left after everything had been deleted. */
  readonly orphans: number;
  readonly leaked: number;
}

export async function raceOperations({
  operations: total,
  clients,
  seed,
  graceMs,
  stores: pair,
  say,
}: RaceOptions): Promise<RaceReport> {
  const stores = await openTestStores(pair);
  const problems: string[] = [];
  const counts = new Map<string, number>();
  const merges = new Set<string>();
  const twin = new Twin();
  try {
    let hub = await startHub({ ...stores, environment: { ...stores.environment, FIRN_ENCODE_CONCURRENCY: '2' } });
    await must('POST', `${hub.url}/v1/repositories`, { json: { namespace: 'race', name: 'twin' } });
    const random = randomNumbers(seed);
    const problem = (sentence: string): void => {
      problems.push(sentence);
      say?.(sentence);
    };
    const context = (url: string): RaceContext => ({
      url,
      twin,
      random,
      counts,
      merges,
      problem,
      looking: undefined,
    });
    const ctx = context(hub.url);
    const sweeping = startSweeping(stores, graceMs);
    let left = total;
    const client = async (): Promise<void> => {
      while (left > 0 && problems.length < problemsMax) {
        left--;
        if (left % 1000 === 0)
          say?.(
            `${total - left} operations, ${twin.live.length} runs, ${waiting(twin).length} waiting, ` +
              `${problems.length} problems`,
          );
        await next(ctx, (total - left) % lullEvery >= lullEvery - lullLength);
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: clients }, client));
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') problems.push(`a client ended: ${String(outcome.reason)}`);
    const swept = await sweeping.end();
    await compareAll(ctx, say);
    if (merges.size < Math.floor(total / operationsPerMergeMin)) problems.push(`only ${merges.size} merges happened`);
    const checkpoints = [...twin.runs.values()].flatMap(heldSteps).filter(({ current }) => current!.isReady).length;
    const runs = twin.runs.size;
    await hub.stop();
    const closing = await closeStores(stores);
    problems.push(...closing.problems);
    if (closing.verified.checkpoints !== checkpoints)
      problems.push(`${closing.verified.checkpoints} checkpoints are ready, and not ${checkpoints}`);
    hub = await startHub(stores);
    await removeEverything(context(hub.url));
    await hub.stop();
    const empty = await closeStores(stores);
    problems.push(...empty.problems);
    const leaked = empty.verified.objects + empty.verified.unnamed.objects;
    if (leaked > 0) problems.push(`${leaked} objects are left after everything was deleted`);
    return {
      answers: Object.fromEntries([...counts].sort()),
      swept,
      merges: merges.size,
      checkpoints,
      runs,
      orphans: closing.orphans,
      leaked,
      problems,
    };
  } finally {
    await stores.remove();
  }
}

/**
 * One operation, chosen by its share, once not too many encodes wait. In a lull none wait, and nothing is pushed.
 */
async function next(ctx: RaceContext, isLull: boolean): Promise<void> {
  for (let late = waiting(ctx.twin); late.length > (isLull ? 0 : waitingMax); late = waiting(ctx.twin))
    await lookTogether(ctx, late);
  const possible = operations.filter(([, operation]) => !isLull || !isPush(operation));
  const total = possible.reduce((sum, [share]) => sum + share, 0);
  let at = ctx.random() * total;
  for (const [share, operation] of possible) if ((at -= share) < 0) return operation(ctx);
}

function waiting({ runs }: Twin): TwinStep[] {
  return [...runs.values()].flatMap(heldSteps).filter(({ current }) => !current!.isReady && !current!.mayBeCancelled);
}

/** One client looks for all that wait: a look of each would take the processor from the encodes. */
function lookTogether(ctx: RaceContext, late: readonly TwinStep[]): Promise<void> {
  ctx.looking ??= look(ctx, pick(ctx.random, late)!).finally(() => {
    ctx.looking = undefined;
  });
  return ctx.looking;
}

/** Reads the state of a checkpoint; the answer counts only if nobody changed the checkpoint meanwhile. */
async function look(ctx: RaceContext, step: TwinStep): Promise<void> {
  const { current, epoch } = step;
  const wasReady = current?.isReady === true;
  const answer = await ask('GET', `${ctx.url}${repository}/runs/${step.run.name}/checkpoints/${step.step}`);
  const stoodStill = step.current === current && step.epoch === epoch && !step.isChanging && !step.run.isDeleting;
  if (answer.status === 200 && stoodStill && current !== undefined)
    note(ctx, step, { described: JSON.parse(answer.bytes.toString()), wasReady });
  await pause(20);
}

/**
 * Collects garbage beside the hub, with a grace longer than any request or encode of this test. With PGlite only the
 * hub can open the catalog, so it sweeps alone.
 */
function startSweeping(stores: TestStores, graceMs: number): { end(): Promise<number> } {
  const stop = new AbortController();
  const sweeping = (async () => {
    if (stores.postgres === undefined) return 0;
    const hub = await openStores(stores);
    let swept = 0;
    try {
      while (!stop.signal.aborted) {
        swept += await sweepStores(hub, graceMs);
        await pause(sweepPauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
      }
      return swept;
    } finally {
      await hub.close();
    }
  })();
  sweeping.catch(() => undefined);
  return {
    end: () => {
      stop.abort();
      return sweeping;
    },
  };
}

/**
 * After all changes: every run lists its twin's steps, every checkpoint becomes ready, and every file downloads
 * correctly.
 */
async function compareAll(ctx: RaceContext, say: RaceOptions['say']): Promise<void> {
  const { twin, url } = ctx;
  for (const deadline = Date.now() + settleMsMax; waiting(twin).length > 0;) {
    for (const step of waiting(twin)) await look(ctx, step);
    if (Date.now() > deadline || ctx.twin.runs.size === 0)
      return ctx.problem(`${waiting(twin).length} checkpoints do not become ready`);
  }
  say?.('comparing everything');
  for (const run of twin.runs.values()) {
    compareList(ctx, run, await ask('GET', `${url}${repository}/runs/${run.name}/checkpoints?limit=1000`));
    for (const step of heldSteps(run)) await compareStep(ctx, step);
  }
}

async function compareStep(ctx: RaceContext, step: TwinStep): Promise<void> {
  const path = `${ctx.url}${repository}/runs/${step.run.name}/checkpoints/${step.step}`;
  const described = await ask('GET', path);
  if (described.status !== 200) return ctx.problem(`${path} is lost: ${described.status}`);
  note(ctx, step, { described: JSON.parse(described.bytes.toString()), wasReady: step.current!.isReady });
  const { content, isReady, rebuilt } = step.current!;
  for (const file of content.files) {
    // A cancelled checkpoint keeps its upload.
    const answer = await ask('GET', `${path}/files/${file.path}${isReady ? '' : '?as=uploaded'}`);
    const expected = isReady && file.path === modelPath ? rebuilt : file.sha256;
    const found = sha256(answer.bytes);
    if (answer.status !== 200 || found !== expected)
      ctx.problem(`${path} ${file.path} comes down with ${answer.status} and ${found}, and not ${expected}`);
  }
}

async function removeEverything(ctx: RaceContext): Promise<void> {
  for (const run of [...ctx.twin.runs.values()]) {
    if (!(await removeWholeRun(ctx, run)))
      ctx.problem(`${run.name} cannot be deleted although nothing of it is under way`);
  }
}

await runAsCommand(
  import.meta.url,
  { operations: '10000', seed: '1', clients: '16', 'grace-ms': '20000', stores: 'postgres-folder' },
  ({ operations: count, seed, clients, stores, 'grace-ms': graceMs }, say) =>
    raceOperations({
      operations: Number(count),
      seed: Number(seed),
      clients: Number(clients),
      graceMs: Number(graceMs),
      stores: stores as StorePair,
      say,
    }),
);
