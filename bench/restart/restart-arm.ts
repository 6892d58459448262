import type { QuantizationMethod } from '../../src/checkpoint/quantization-config.ts';

/** A way to store checkpoints that training restarts from. */
export interface RestartArm {
  /** Letters, digits and dashes: a run at the hub is called so. */
  readonly run: string;
  readonly method: QuantizationMethod | 'exact';
  /** Largest relative degradation of every bounding metric; absent where bytes come back as they were. */
  readonly threshold?: number;
}

/** Ours at its thresholds, the paper's at its own, and, as a control that has to end where the unbroken run ends, exact storage. */
export function restartArms(options: { readonly ours: readonly number[]; readonly paper: readonly number[]; readonly exact: boolean }): RestartArm[] {
  const lossy = (method: QuantizationMethod, thresholds: readonly number[]): RestartArm[] =>
    thresholds.map((threshold) => ({ run: `${method}-${String(threshold).replace(/[^0-9a-z]/g, '-')}`, method, threshold }));
  return [
    ...(options.exact ? [{ run: 'exact', method: 'exact' as const }] : []),
    ...lossy('residual', options.ours),
    ...lossy('inshrinkerator', options.paper),
  ];
}
