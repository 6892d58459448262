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
  /** Folder for all files; the caller removes it. */
  readonly directory: string;
  readonly onProgress: (line: string) => void;
}

/** Results of one seed. */
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

/**
 * Half-way: the averages have settled, and the rest of the training is long enough to show a loss or to recover from
 * it.
 */
const resumeShare = 0.5;
/** Distance between a seed and the same one in the next repetition of a script. */
const seedDistance = 1000;
const metric = 'loss';

/**
 * Runs for every seed one training without a break, and one for each arm that continues half-way from the hub's
 * downloads of weights and optimizer state.
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
      `seed ${seed}: unbroken ${unbroken.toFixed(4)}, ` +
        `${runs.map(({ arm }) => `${arm.run} ${resumed.get(arm.run)!.toFixed(4)}`).join(', ')}`,
    );
  }
  return outcomes;
}
