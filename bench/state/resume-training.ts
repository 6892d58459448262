import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { modelFiles, sensitivityPathOf } from '../../src/cli/demo/model-files.ts';
import { readSeries, type Series } from '../../src/cli/demo/read-series.ts';
import type { SeedTraining } from '../restart/seed-training.ts';
import {
  runTraining,
  trunk,
  type TrainingCheckpoint,
  type TrainingDecision,
  type TrainingDirector,
  type TrainingFork,
} from '../restart/run-training.ts';
import type { StateRun } from './state-run.ts';

export interface ResumedTraining {
  readonly training: SeedTraining;
  /** Share of the steps at whose checkpoint training is resumed: the first checkpoint at or after it. */
  readonly resumeShare: number;
  readonly lastStep: number;
  readonly metric: string;
  /** Opens the runs once there is a series for an eval set. */
  readonly openRuns: (series: Series) => Promise<readonly StateRun[]>;
}

/**
 * Final losses: of the unbroken run, and by arm of those that continued from the checkpoint that a hub stored half-way.
 */
export interface ResumedLosses {
  readonly unbroken: number;
  readonly resumed: ReadonlyMap<string, number>;
}

/**
 * Trains once. Every checkpoint up to the resumed one is pushed with its optimizer state into all runs. There a copy of
 * the training continues for each run from the downloaded weights and state. Rejects with an Error if training or a
 * push fails.
 */
export async function resumeTraining(plan: ResumedTraining): Promise<ResumedLosses> {
  const out = join(plan.training.directory, 'trained');
  await mkdir(out, { recursive: true });
  const director = new ResumeDirector(plan, out);
  const { pythonPath, script, seedShift, directory } = plan.training;
  await runTraining(
    { pythonPath, script, seedShift, directory, arguments: [out, ...plan.training.arguments] },
    director,
  );
  const unbroken = director.finals.get(trunk);
  if (unbroken === undefined) throw new Error('training ended before its last checkpoint');
  return { unbroken, resumed: new Map([...director.finals].filter(([branch]) => branch !== trunk)) };
}

class ResumeDirector implements TrainingDirector {
  /** Final losses by branch. */
  readonly finals = new Map<string, number>();
  private readonly plan: ResumedTraining;
  private readonly out: string;
  private runs: readonly StateRun[] | undefined;
  private resumed = false;

  constructor(plan: ResumedTraining, out: string) {
    this.plan = plan;
    this.out = out;
  }

  async begin(): Promise<void> {
    await this.plan.training.slots.take();
  }

  async decide(checkpoint: TrainingCheckpoint): Promise<TrainingDecision> {
    const decision = await this.answer(checkpoint);
    if (decision.stop === true) this.plan.training.slots.release();
    return decision;
  }

  private async answer(checkpoint: TrainingCheckpoint): Promise<TrainingDecision> {
    const { branch, step, metrics } = checkpoint;
    if (step >= this.plan.lastStep) {
      this.finals.set(branch, metrics[this.plan.metric]!);
      return { stop: true };
    }
    if (branch !== trunk || this.resumed) return {};
    const statePath = join(this.out, `state-${step}.safetensors`);
    return checkpoint.state ? this.store(checkpoint, statePath) : { saveState: statePath };
  }

  private async store({ file, step }: TrainingCheckpoint, optimizerPath: string): Promise<TrainingDecision> {
    this.runs ??= await this.plan.openRuns(readSeries(this.out));
    const sensitivityPath = sensitivityPathOf(file);
    const checkpoint = {
      index: step,
      step,
      modelFiles: modelFiles(file),
      optimizerPath,
      recorded: {},
      ...(existsSync(sensitivityPath) && { sensitivityPath }),
    };
    for (const run of this.runs) await run.push(checkpoint);
    if (step < this.plan.resumeShare * this.plan.lastStep) return {};
    this.resumed = true;
    const fork: TrainingFork[] = [];
    for (const run of this.runs) {
      const { weights, state } = await run.download(step);
      const directory = join(this.plan.training.directory, run.arm.run);
      await mkdir(directory, { recursive: true });
      fork.push({ branch: run.arm.run, directory, load: weights, loadState: state });
    }
    return { fork };
  }
}
