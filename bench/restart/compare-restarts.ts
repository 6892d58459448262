import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HubClient } from '../../src/cli/demo/hub-client.ts';
import { prepareBenchHub } from '../prepare-bench-hub.ts';
import type { RestartArm } from './restart-arm.ts';
import type { RestartOutcome } from './restart-figures.ts';
import { planRestarts } from './restart-plan.ts';
import { trainRestarted, trainUnbroken, type SeedTraining, type UnbrokenRun } from './seed-training.ts';
import { Slots } from './slots.ts';
import { StoredRun, type StoredRunPlace } from './stored-run.ts';

export interface RestartComparison {
  readonly hub: HubClient;
  readonly arms: readonly RestartArm[];
  readonly seeds: number;
  readonly restarts: number;
  readonly parallel: number;
  /** Bounding metrics; the series' own by default. */
  readonly metrics?: readonly string[];
  readonly training: Pick<SeedTraining, 'pythonPath' | 'script' | 'arguments'>;
  /** Folder for all files; the caller removes it. */
  readonly directory: string;
  readonly onProgress: (line: string) => void;
  /** Called with the results so far after each seed. */
  readonly onResults: (report: RestartReport) => Promise<void>;
}

export interface RestartReport {
  readonly series: string;
  readonly checkpointCount: number;
  readonly lastStep: number;
  /** Bounding metrics. */
  readonly bounded: readonly string[];
  /** The metric compared at the end: the loss if it is recorded, because it is more sensitive. */
  readonly metric: string;
  readonly metricHigherIsBetter: boolean;
  readonly outcomes: readonly RestartOutcome[];
}

/**
 * Distance between a seed and the same one in the next repetition of a script. It is large, so that a script with
 * several seeds never uses one of them again.
 */
const seedDistance = 1000;

/**
 * For every seed: trains once without a break, stores its checkpoints in every arm, and trains again with restarts from
 * the stored ones. Weights come from the hub, and so does bounded optimizer state; gradient averages, random numbers
 * and the schedule continue exactly.
 */
export async function compareRestarts(comparison: RestartComparison): Promise<RestartReport> {
  const { seeds, arms, onProgress, onResults } = comparison;
  const slots = new Slots(comparison.parallel);
  const outcomes: RestartOutcome[] = [];
  let report: RestartReport | undefined;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const directory = join(comparison.directory, `seed-${seed}`);
    await mkdir(directory, { recursive: true });
    const training: SeedTraining = { ...comparison.training, directory, slots, seedShift: (seed - 1) * seedDistance };
    const unbroken = await trainUnbroken(
      training,
      arms.some(({ state }) => state === 'bounded'),
    );
    report ??= describe(unbroken, comparison, outcomes);
    onProgress(`seed ${seed}: unbroken ${report.metric} ${unbroken.metrics.at(-1)![report.metric]!.toFixed(4)}`);
    const stored = await storeSeed({ unbroken, report, seed, directory, slots }, comparison);
    outcomes.push(...(await restartSeed({ training, unbroken, stored, arms, report, seed }, comparison)));
    await onResults(report);
  }
  return report!;
}

function describe(
  unbroken: UnbrokenRun,
  { metrics }: RestartComparison,
  outcomes: readonly RestartOutcome[],
): RestartReport {
  const { series } = unbroken;
  const bounded = metrics ?? [series.metric];
  const unknown = bounded.find((metric) => !series.metrics.includes(metric));
  if (unknown !== undefined) throw new Error(`training records ${series.metrics.join(', ')}, not ${unknown}`);
  const metric = series.metrics.includes('loss') ? 'loss' : series.metric;
  return {
    series: series.name,
    checkpointCount: series.checkpoints.length,
    lastStep: series.checkpoints.at(-1)!.step,
    bounded,
    metric,
    metricHigherIsBetter: series.directions[metric] ?? false,
    outcomes,
  };
}

interface SeedStorage {
  readonly unbroken: UnbrokenRun;
  readonly report: RestartReport;
  readonly seed: number;
  readonly directory: string;
  readonly slots: Slots;
}

/**
 * Stores the unbroken run for every arm; arms that store the same share it. Each run has its own repository: in a
 * shared one, a later run's exact files would be references to an earlier one's.
 */
async function storeSeed(
  { unbroken, report, seed, directory, slots }: SeedStorage,
  { hub, arms, onProgress }: RestartComparison,
): Promise<StoredRun[]> {
  const runs = new Map<string, Promise<StoredRun>>();
  const store = async (arm: RestartArm): Promise<StoredRun> => {
    const repository = await prepareBenchHub(hub, `restart-${seed}-${arm.run}`, unbroken.series);
    const place = { hub, directory, repository };
    return storeUnbroken(place, arm, { unbroken, bounded: report.bounded, slots, onProgress });
  };
  for (const arm of arms) if (!runs.has(arm.run)) runs.set(arm.run, store(arm));
  return Promise.all(arms.map(({ run }) => runs.get(run)!));
}

interface StoreOptions {
  readonly unbroken: UnbrokenRun;
  readonly bounded: readonly string[];
  readonly slots: Slots;
  readonly onProgress: (line: string) => void;
}

async function storeUnbroken(place: StoredRunPlace, arm: RestartArm, options: StoreOptions) {
  return options.slots.run(async () => {
    const run = await StoredRun.create(place, arm, options.bounded);
    for (const checkpoint of options.unbroken.series.checkpoints) await run.push(checkpoint);
    options.onProgress(`${place.repository}: ratio ${(run.bytes.raw / run.bytes.stored).toFixed(1)}`);
    return run;
  });
}

interface SeedRestarts {
  readonly training: SeedTraining;
  readonly unbroken: UnbrokenRun;
  /** Stored runs by arm. */
  readonly stored: readonly StoredRun[];
  readonly arms: readonly RestartArm[];
  readonly report: RestartReport;
  readonly seed: number;
}

async function restartSeed(
  { training, unbroken, stored, arms, report, seed }: SeedRestarts,
  { restarts, onProgress }: RestartComparison,
) {
  const plans = planRestarts(
    unbroken.series.checkpoints.map(({ step }) => step),
    restarts,
  );
  const branches = arms.flatMap((arm, i) =>
    plans.map((plan, p) => ({
      name: `${arm.run}-${arm.state}-restarts-${p}`,
      arm,
      plan,
      state: arm.state,
      stored: stored[i]!,
    })),
  );
  const results = await trainRestarted(training, unbroken, branches);
  return branches.map(({ name, arm, plan }): RestartOutcome => {
    const { final, stored: run } = results.get(name)!;
    const outcome = {
      arm,
      plan: plan.name,
      seed,
      unbroken: unbroken.metrics.at(-1)![report.metric]!,
      restarted: final[report.metric]!,
      bytes: run.bytes,
    };
    onProgress(`seed ${seed} ${arm.run}, ${arm.state} state, restarts ${plan.name}: ${outcome.restarted.toFixed(4)}`);
    return outcome;
  });
}
