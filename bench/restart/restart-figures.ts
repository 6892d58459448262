import { relativeDegradation } from '../../src/checkpoint/quality/quality.ts';
import type { RestartArm } from './restart-arm.ts';
import type { RunBytes } from './stored-run.ts';

/** Result of one restarted run. */
export interface RestartOutcome {
  readonly arm: RestartArm;
  readonly plan: string;
  readonly seed: number;
  /** The metric at the last checkpoint. */
  readonly unbroken: number;
  readonly restarted: number;
  readonly bytes: RunBytes;
}

/** A row of the table: one way to store, one plan of restarts, all seeds. */
export interface RestartFigures {
  readonly arm: RestartArm;
  readonly plan: string;
  readonly seedCount: number;
  readonly unbrokenMean: number;
  readonly restartedMean: number;
  /** Relative to the unbroken run of the same seed, positive if worse. */
  readonly excessMean: number;
  readonly excessWorst: number;
  /** Over the runs of all seeds together. */
  readonly ratio: number;
}

/** One row for every arm and plan, in their order. */
export function restartFigures(outcomes: readonly RestartOutcome[], higherIsBetter: boolean): RestartFigures[] {
  const groups = new Map<string, RestartOutcome[]>();
  for (const outcome of outcomes) {
    const key = `${outcome.arm.run} ${outcome.arm.state} ${outcome.plan}`;
    groups.set(key, [...(groups.get(key) ?? []), outcome]);
  }
  return [...groups.values()].map((group) => {
    const excess = group.map(({ unbroken, restarted }) => relativeDegradation(unbroken, restarted, higherIsBetter));
    return {
      arm: group[0]!.arm,
      plan: group[0]!.plan,
      seedCount: group.length,
      unbrokenMean: mean(group.map(({ unbroken }) => unbroken)),
      restartedMean: mean(group.map(({ restarted }) => restarted)),
      excessMean: mean(excess),
      excessWorst: Math.max(...excess),
      ratio: sum(group.map(({ bytes }) => bytes.raw)) / sum(group.map(({ bytes }) => bytes.stored)),
    };
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
