import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HubClient } from '../../src/cli/demo/hub-client.ts';
import type { NativeCore } from '../../src/native/core.ts';
import type { SeedTraining } from '../restart/seed-training.ts';
import { Slots } from '../restart/slots.ts';
import { resumeTraining } from './resume-training.ts';
import type { StateArm } from './state-arm.ts';
import { StateRun } from './state-run.ts';

export interface ResumeComparison {
  readonly hub: HubClient;
  readonly core: NativeCore;
  readonly arms: readonly StateArm[];
  readonly seeds: number;
  readonly parallel: number;
  readonly lastStep: number;
  readonly training: Pick<SeedTraining, 'pythonPath' | 'script' | 'arguments'>;
  /** For everything; the caller removes it. */
  readonly directory: string;
  readonly onProgress: (line: string) => void;
}

/** What came of one seed. */
export interface SeedOutcome {
  readonly seed: number;
  readonly unbroken: number;
  readonly arms: readonly {
    readonly run: string;
    readonly describe: string;
    readonly final: number;
    readonly rawBytes: number;
    readonly storedBytes: number;
  }[];
}

/** Half-way: the averages have settled, and as much training as before is left to show a loss or to heal it. */
const resumeShare = 0.5;
/** Between the seeds of one script and those of its next repetition. */
const seedDistance = 1000;
const metric = 'loss';

/**
 * For every seed: one training without a break, and one for each arm that goes on half-way from weights and optimizer
 * state as the hub gives them back.
 */
export async function compareResumed(comparison: ResumeComparison): Promise<SeedOutcome[]> {
  const { hub, core, arms, seeds, lastStep, onProgress } = comparison;
  const outcomes: SeedOutcome[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const directory = join(comparison.directory, `seed-${seed}`);
    await mkdir(directory, { recursive: true });
    const training: SeedTraining = {
      ...comparison.training,
      directory,
      slots: new Slots(comparison.parallel),
      seedShift: (seed - 1) * seedDistance,
    };
    const runs: StateRun[] = [];
    const { unbroken, resumed } = await resumeTraining({
      training,
      resumeShare,
      lastStep,
      metric,
      openRuns: async (series) => {
        const place = { hub, core, directory, name: `state-${seed}`, series };
        for (const arm of arms) runs.push(await StateRun.create(place, arm, [series.metric]));
        return runs;
      },
    });
    outcomes.push({
      seed,
      unbroken,
      arms: runs.map(({ arm, rawBytes, storedBytes }) => ({
        run: arm.run,
        describe: arm.describe,
        final: resumed.get(arm.run)!,
        rawBytes,
        storedBytes,
      })),
    });
    onProgress(
      `seed ${seed}: unbroken ${unbroken.toFixed(4)}, ${runs.map(({ arm }) => `${arm.run} ${resumed.get(arm.run)!.toFixed(4)}`).join(', ')}`,
    );
  }
  return outcomes;
}
