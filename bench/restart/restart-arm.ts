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
}

/** Thresholds of the ways to store. */
export interface RestartThresholds {
  readonly ours: readonly number[];
  /** Ours with the rounding `archive`. */
  readonly archive: readonly number[];
  readonly paper: readonly number[];
}

/**
 * Our method at its thresholds, the paper's at its own, and exact storage as a control, which must end like the
 * unbroken run.
 */
export function restartArms(options: RestartThresholds & { readonly exact: boolean }): RestartArm[] {
  const lossy = (method: QuantizationMethod, thresholds: readonly number[], rounding?: 'archive'): RestartArm[] =>
    thresholds.map((threshold) => ({
      run: [method, rounding, String(threshold).replace(/[^0-9a-z]/g, '-')]
        .filter((part) => part !== undefined)
        .join('-'),
      method,
      threshold,
      ...(rounding !== undefined && { rounding }),
    }));
  return [
    ...(options.exact ? [{ run: 'exact', method: 'exact' as const }] : []),
    ...lossy('residual', options.ours),
    ...lossy('residual', options.archive, 'archive'),
    ...lossy('inshrinkerator', options.paper),
  ];
}
