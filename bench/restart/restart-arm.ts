import type { QuantizationMethod } from '../../src/checkpoint/options/quantization-config.ts';

/**
 * The optimizer state with which training restarts: as it was, as the hub gives back what it stored bounded, or none.
 */
export const restartStates = ['exact', 'bounded', 'fresh'] as const;
export type RestartState = (typeof restartStates)[number];

/**
 * The guards of a threshold that a run can do without (docs/decisions/0046-quality-guards.md, `progress` by
 * 0071-progress-after-a-restart.md), and all of them.
 */
export const liftedGuards = ['rounding', 'weights', 'divergence', 'errors', 'progress', 'all'] as const;
export type LiftedGuard = (typeof liftedGuards)[number];

/** A way to store the checkpoints that training restarts from, and the optimizer state that it restarts with. */
export interface RestartArm {
  /** Name of a run at the hub, letters, digits and dashes. Arms that store the same share it. */
  readonly run: string;
  readonly state: RestartState;
  readonly method: QuantizationMethod | 'exact';
  /** For our method; every guard holds if absent. */
  readonly without?: LiftedGuard;
  /** Largest relative degradation of every bounding metric; absent if storage is exact. */
  readonly threshold?: number;
  /** Largest share of a metric's gain since the checkpoint before that may be lost; no such bound if absent. */
  readonly progress?: number;
}

/** Thresholds of the ways to store. */
export interface RestartThresholds {
  readonly ours: readonly number[];
  /** Guards that ours does without, one after the other, at each of its thresholds. */
  readonly without: readonly LiftedGuard[];
  /** Ours with a bound on the loss of progress too. */
  readonly progress: readonly number[];
  readonly paper: readonly number[];
}

/** Share of the progress that may be lost: the value of the guides, with which the cost in bytes was measured too. */
const progressMax = 0.5;

/**
 * For each state our method at its thresholds, the paper's at its own, and exact storage as a control. With exact state
 * it must end like the unbroken run; with others it shows what the state alone costs.
 */
export function restartArms(
  options: RestartThresholds & { readonly exact: boolean; readonly states: readonly RestartState[] },
): RestartArm[] {
  return options.states.flatMap((state) =>
    waysToStore(options).map((way) => ({ ...way, state, run: state === 'bounded' ? `${way.run}-bounded` : way.run })),
  );
}

function waysToStore(options: RestartThresholds & { readonly exact: boolean }): Omit<RestartArm, 'state'>[] {
  const lossy = (
    method: QuantizationMethod,
    thresholds: readonly number[],
    variant: Pick<RestartArm, 'without' | 'progress'> = {},
  ): Omit<RestartArm, 'state'>[] =>
    thresholds.map((threshold) => ({
      run: [
        method,
        variant.without !== undefined && `without-${variant.without}`,
        variant.progress !== undefined && 'progress',
        String(threshold).replace(/[^0-9a-z]/g, '-'),
      ]
        .filter(Boolean)
        .join('-'),
      method,
      threshold,
      ...variant,
    }));
  return [
    ...(options.exact ? [{ run: 'exact', method: 'exact' as const }] : []),
    ...lossy('residual', options.ours),
    ...options.without.flatMap((without) => lossy('residual', options.ours, { without })),
    ...lossy('residual', options.progress, { progress: progressMax }),
    ...lossy('inshrinkerator', options.paper),
  ];
}
