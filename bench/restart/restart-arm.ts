import type { QuantizationMethod } from '../../src/checkpoint/options/quantization-config.ts';

/** A way to store the checkpoints that training restarts from. */
export interface RestartArm {
  /** Name of a run at the hub: letters, digits and dashes. */
  readonly run: string;
  readonly method: QuantizationMethod | 'exact';
  /** For our method; the default one if absent. */
  readonly rounding?: 'archive';
  /** Largest relative degradation of every bounding metric; absent if storage is exact. */
  readonly threshold?: number;
  /** Largest share of a metric's gain since the checkpoint before that may be lost; no such bound if absent. */
  readonly progress?: number;
}

/** Thresholds of the ways to store. */
export interface RestartThresholds {
  readonly ours: readonly number[];
  /** Ours with the rounding `archive`. */
  readonly archive: readonly number[];
  /** Ours with a bound on the loss of progress too. */
  readonly progress: readonly number[];
  readonly paper: readonly number[];
}

/** Share of the progress that may be lost: the value of the guides, with which the cost in bytes was measured too. */
const progressMax = 0.5;

/**
 * Our method at its thresholds, the paper's at its own, and exact storage as a control, which must end like the
 * unbroken run.
 */
export function restartArms(options: RestartThresholds & { readonly exact: boolean }): RestartArm[] {
  const lossy = (
    method: QuantizationMethod,
    thresholds: readonly number[],
    variant: Pick<RestartArm, 'rounding' | 'progress'> = {},
  ): RestartArm[] =>
    thresholds.map((threshold) => ({
      run: [
        method,
        variant.rounding,
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
    ...lossy('residual', options.archive, { rounding: 'archive' }),
    ...lossy('residual', options.progress, { progress: progressMax }),
    ...lossy('inshrinkerator', options.paper),
  ];
}
