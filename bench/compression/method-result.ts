import type { GuardOutcome } from '../guards/guard-outcome.ts';

/** Result of one method on one checkpoint. */
export interface CheckpointOutcome {
  readonly step: number;
  readonly rawBytes: number;
  readonly bytes: number;
  /** The chosen knob in a few words. */
  readonly knob: string;
  /** Relative, by metric, positive if worse. Exact checkpoints have 0. */
  readonly degradation: Readonly<Record<string, number>>;
  /** Metrics of the uploaded model, and of the rebuilt one; null if a hub measured a value that is not finite. */
  readonly metricsBefore: Readonly<Record<string, number | null>>;
  readonly metricsAfter: Readonly<Record<string, number | null>>;
  /** Configs measured on the eval set. */
  readonly evaluations: number;
  /**
   * Share of weights whose bin differs from the previous checkpoint's; absent for a first checkpoint, and without bins.
   */
  readonly migration?: number;
  /**
   * Share of the weights' movement since the previous checkpoint that is missing from the rebuilt ones
   * ({@link movementLost}); absent for a first checkpoint.
   */
  readonly movementLost?: number;
  /** Squared errors weighted by squared gradients, divided by those of quantizing afresh with the same step. */
  readonly errorRatio?: ErrorRatio;
  /** Of a hub's methods. */
  readonly guards?: GuardOutcome;
  /** As `degradation`, on examples that the hub never saw; absent if there are none. */
  readonly freshDegradation?: Readonly<Record<string, number>>;
  /** Stored bytes of the bins with their tables, and the empirical bound on them. */
  readonly bins?: { readonly bytes: number; readonly boundBytes: number };
}

export interface ErrorRatio {
  /** Over all tensors together. */
  readonly pooled: number;
  /** Ratio of the worst tensor, and its name. */
  readonly worst: number;
  readonly worstTensor: string;
}

/** A method over a series. */
export interface MethodResult {
  readonly name: string;
  /** Distinguishes this run from others of the name, for example by the search that won. */
  readonly note: string;
  readonly outcomes: readonly CheckpointOutcome[];
  /** Over the whole series, for the chosen configs alone; absent if only a code length was computed. */
  readonly encodeSeconds?: number;
  readonly decodeSeconds?: number;
  /**
   * True if every checkpoint is quantized from its raw weights with new bins, so that the error is that of quantizing
   * afresh.
   */
  readonly alwaysAfresh: boolean;
  /**
   * Name of the row whose model this one rebuilds bit for bit, in fewer or more bytes. Its metrics are then that row's,
   * without a new evaluation.
   */
  readonly sameModelAs?: string;
}

/** Bytes of all checkpoints. */
export function totalBytes(result: MethodResult): number {
  return result.outcomes.reduce((sum, outcome) => sum + outcome.bytes, 0);
}
