import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { modelFiles, sensitivityPathOf } from '../../src/cli/demo/model-files.ts';
import { readSeries, type Series, type SeriesCheckpoint } from '../../src/cli/demo/read-series.ts';
import { requireFiles } from '../../src/cli/demo/require-files.ts';
import { seriesTensorMap } from '../../src/cli/demo/series-tensor-map.ts';
import type { RestartState } from './restart-arm.ts';
import type { RestartPlan } from './restart-plan.ts';
import {
  runTraining,
  trunk,
  type TrainingCheckpoint,
  type TrainingDecision,
  type TrainingDirector,
  type TrainingFork,
} from './run-training.ts';
import type { Slots } from './slots.ts';
import type { StoredRun } from './stored-run.ts';

/** A training run with one seed, and the data for repeating it. */
export interface SeedTraining {
  readonly pythonPath: string;
  readonly script: string;
  /** Arguments after the output directory. */
  readonly arguments: readonly string[];
  readonly seedShift: number;
  /** Folder for all files of this seed; the caller removes it. */
  readonly directory: string;
  readonly slots: Slots;
}

/** Metrics at a run's end. */
export type FinalMetrics = Readonly<Record<string, number>>;

export interface UnbrokenRun {
  readonly series: Series;
  /** Metrics by checkpoint. */
  readonly metrics: readonly FinalMetrics[];
}

/** A run that restarts from a hub's stored checkpoints of it. */
export interface RestartedBranch {
  /** Letters, digits and dashes. */
  readonly name: string;
  readonly plan: RestartPlan;
  readonly state: RestartState;
  /** The hub's run with the unbroken run's checkpoints. */
  readonly stored: StoredRun;
}

export interface RestartedRun {
  readonly final: FinalMetrics;
  /** The hub's run with all checkpoints: for a run with one restart the unbroken run's, else its own. */
  readonly stored: StoredRun;
}

/**
 * Trains from start to end. Its checkpoints, eval set and graph are a series, on request with optimizer state.
 */
export async function trainUnbroken(training: SeedTraining, withState: boolean): Promise<UnbrokenRun> {
  const out = join(training.directory, 'unbroken');
  await mkdir(out, { recursive: true });
  const metrics: FinalMetrics[] = [];
  await training.slots.run(() =>
    runTraining(planOf(training, out), {
      begin: () => Promise.resolve(),
      decide: (checkpoint) => {
        if (withState && !checkpoint.state) return Promise.resolve({ saveState: statePathOf(checkpoint.file) });
        metrics.push(checkpoint.metrics);
        return Promise.resolve({});
      },
    }),
  );
  const trained = readSeries(out);
  const series = withState ? { ...trained, checkpoints: trained.checkpoints.map(addState) } : trained;
  requireFiles(series);
  const tensorMap = await seriesTensorMap(series);
  return { series: tensorMap === undefined ? series : { ...series, tensorMap }, metrics };
}

/**
 * Trains once more and branches at each restart. Up to there both runs are the same; from there the branch has the
 * hub's weights. A branch with several restarts pushes its own checkpoints and restarts from those. Resolves to the
 * results of the branches, by name. Rejects with an Error if the repetition differs from the unbroken run, because the
 * figures would then mean nothing.
 */
export async function trainRestarted(
  training: SeedTraining,
  unbroken: UnbrokenRun,
  branches: readonly RestartedBranch[],
): Promise<ReadonlyMap<string, RestartedRun>> {
  const out = join(training.directory, 'repeated');
  await mkdir(out, { recursive: true });
  const director = new RestartDirector(training, unbroken, branches);
  await runTraining(planOf(training, out), director);
  const missing = branches.find(({ name }) => !director.results.has(name));
  if (missing !== undefined) throw new Error(`the training of ${missing.name} ended before its last checkpoint`);
  await rm(out, { recursive: true });
  return director.results;
}

function planOf({ pythonPath, script, seedShift, directory, ...training }: SeedTraining, out: string) {
  return { pythonPath, script, seedShift, directory, arguments: [out, ...training.arguments] };
}

class RestartDirector implements TrainingDirector {
  readonly results = new Map<string, RestartedRun>();
  private readonly training: SeedTraining;
  private readonly unbroken: UnbrokenRun;
  private readonly branches: readonly RestartedBranch[];
  /** Separate runs for branches with several restarts. */
  private readonly forks = new Map<string, StoredRun>();

  constructor(training: SeedTraining, unbroken: UnbrokenRun, branches: readonly RestartedBranch[]) {
    this.training = training;
    this.unbroken = unbroken;
    this.branches = branches;
  }

  async begin(name: string): Promise<void> {
    await this.training.slots.take();
    const branch = this.branches.find((each) => each.name === name);
    if (branch === undefined || branch.plan.checkpoints.length === 1) return;
    this.forks.set(name, await branch.stored.fork(name, this.stepAt(branch.plan.checkpoints[0]!)));
  }

  async decide(checkpoint: TrainingCheckpoint): Promise<TrainingDecision> {
    const at = this.unbroken.series.checkpoints.findIndex(({ step }) => step === checkpoint.step);
    const decision =
      checkpoint.branch === trunk ? await this.decideTrunk(checkpoint, at) : await this.decideBranch(checkpoint, at);
    if (decision.stop === true) this.training.slots.release();
    return decision;
  }

  private async decideTrunk({ metrics, step }: TrainingCheckpoint, at: number): Promise<TrainingDecision> {
    const before = this.unbroken.metrics[at] ?? {};
    const changed = Object.keys(metrics).find((name) => metrics[name] !== before[name]);
    if (changed !== undefined)
      throw new Error(
        `training is not repeatable here: ${changed} at step ${step} is ${metrics[changed]}, and was ` +
          `${before[changed]} the first time`,
      );
    const fork: TrainingFork[] = [];
    for (const { name, stored, state } of this.branches.filter((branch) => branch.plan.checkpoints[0] === at)) {
      const directory = join(this.training.directory, name);
      await mkdir(directory, { recursive: true });
      fork.push({ branch: name, directory, ...(await stored.download(step, state)) });
    }
    const last = Math.max(...this.branches.map(({ plan }) => plan.checkpoints[0]!));
    return { fork, ...(at >= last && { stop: true }) };
  }

  private async decideBranch(
    { branch: name, metrics, step, file, state: hasState }: TrainingCheckpoint,
    at: number,
  ): Promise<TrainingDecision> {
    const { plan, stored, state } = this.branches.find((branch) => branch.name === name)!;
    const own = this.forks.get(name);
    if (own?.storesState === true && !hasState) return { saveState: statePathOf(file) };
    await own?.push(checkpointOf(file, step, at));
    if (at === this.unbroken.series.checkpoints.length - 1) {
      this.results.set(name, { final: metrics, stored: own ?? stored });
      await rm(join(this.training.directory, name), { recursive: true });
      return { stop: true };
    }
    return own !== undefined && plan.checkpoints.includes(at) ? await own.download(step, state) : {};
  }

  private stepAt(checkpoint: number): number {
    return this.unbroken.series.checkpoints[checkpoint]!.step;
  }
}

function checkpointOf(file: string, step: number, index: number): SeriesCheckpoint {
  const sensitivityPath = sensitivityPathOf(file);
  const optimizerPath = statePathOf(file);
  return {
    index,
    step,
    modelFiles: modelFiles(file),
    ...(existsSync(sensitivityPath) && { sensitivityPath }),
    ...(existsSync(optimizerPath) && { optimizerPath }),
    recorded: {},
  };
}

function addState(checkpoint: SeriesCheckpoint): SeriesCheckpoint {
  return { ...checkpoint, optimizerPath: statePathOf(checkpoint.modelFiles[0]!.from) };
}

/** Where the optimizer state of a checkpoint is written. */
function statePathOf(file: string): string {
  return file.replace(/\.safetensors$/, '.optim.safetensors');
}
