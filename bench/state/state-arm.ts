import type { QualityThresholds } from '../../src/checkpoint/quality/quality.ts';
import type { StateFidelity, StateOptions } from '../../src/checkpoint/options/state-options.ts';
import { benchEvalSet } from '../prepare-bench-hub.ts';

/** A way to store full training state: weights and optimizer state. */
export interface StateArm {
  /** Name of a run at the hub: letters, digits and dashes. */
  readonly run: string;
  readonly describe: string;
  /** Threshold of weights in the residual method; exact if absent. */
  readonly threshold?: number;
  readonly state: StateFidelity;
}

/** Exact storage comes first, because the others are compared with it. */
export function stateArms(threshold: number): readonly StateArm[] {
  const percent = `${Number((100 * threshold).toPrecision(3))} %`;
  return [
    { run: 'exact', describe: 'all exact', state: 'exact' },
    { run: 'bitsnap', describe: 'weights exact, moments BitSnap', state: 'bitsnap' },
    { run: 'bounded', describe: 'weights exact, moments bounded', state: 'bounded' },
    { run: 'weights', describe: `weights at ${percent}, moments exact`, threshold, state: 'exact' },
    { run: 'full', describe: `weights at ${percent}, moments bounded`, threshold, state: 'bounded' },
  ];
}

/** The request that creates a run of this kind. */
export function runRequest({ run, threshold, state }: StateArm, metrics: readonly string[]) {
  const options: StateOptions = { firstMoment: state, secondMoment: state, momentum: state };
  if (threshold === undefined) return { name: run, fidelity: 'exact', state: options };
  const thresholds: QualityThresholds = Object.fromEntries(metrics.map((metric) => [metric, threshold]));
  return {
    name: run,
    fidelity: 'lossy',
    evalSet: benchEvalSet,
    thresholds,
    allowLarge: true,
    search: { method: 'residual' },
    state: options,
  };
}
