import type { DeviceKind } from '../checkpoint/device-kind.ts';
import type { EvalSetSpec, MetricSpec } from '../checkpoint/quality/eval-set-spec.ts';
import type { WeightBinding } from '../graph/weight-binding.ts';

/** An eval set on local disk. */
export interface LocalEvalSet {
  readonly graphPath: string;
  /** Safetensors: every input and label tensor, all with the same first dimension. */
  readonly batchesPath: string;
  readonly spec: EvalSetSpec;
}

export interface EvaluationRequest {
  readonly evalSet: LocalEvalSet;
  readonly binding: WeightBinding;
  /** Local safetensors files that together contain the weights; mapped by the child, never sent to it. */
  readonly weightPaths: readonly string[];
  /** What to run on; the processor when absent. */
  readonly device?: DeviceKind;
  /** Metrics to measure besides those of the set (observed-metrics.ts). */
  readonly observed?: readonly MetricSpec[];
  /**
   * The uploaded model's outputs, as `Evaluator.examine` wrote them. Required by metrics that compare with the uploaded
   * model.
   */
  readonly reference?: ReferenceOutputs;
}

/** Outputs of the uploaded model in a file that `Evaluator.examine` wrote. */
export interface ReferenceOutputs {
  readonly path: string;
  /** All outputs in the file, in their order: `Examination.referenceOutputs`. */
  readonly outputs: readonly string[];
}

export interface ExamineRequest extends Omit<EvaluationRequest, 'reference'> {
  /** File to which the child writes the outputs for later comparisons, and its largest size. */
  readonly reference?: { readonly path: string; readonly bytesMax: number };
  /** Refuse batches that do not make two halves, like `Evaluator.evaluateParts`. */
  readonly needsHalves?: boolean;
  /** Also the metrics of groups of rows. */
  readonly needsGroups?: boolean;
  /** Also the Gram matrices, if that changes no output: `Examination.grams`. */
  readonly grams?: GramOptions;
}

export interface GramRequest extends Omit<EvaluationRequest, 'observed' | 'reference'>, GramOptions {}

export interface GramOptions {
  /**
   * File for the Gram matrices, as raw little-endian F32, one after the other in the order of the answer. Written by
   * the child.
   */
  readonly resultPath: string;
  /**
   * Most bytes of that file. Besides the memory of an evaluation, the child needs up to about five times as much, and
   * four times one convolution's unfolded inputs.
   */
  readonly bytesMax: number;
  /**
   * Most batches that are run, at least 1, spread evenly over the set; all when absent. A convolution's Gram matrix
   * costs several times the convolution.
   */
  readonly batchesMax?: number;
  /** Only batches of the set's first half, so that the second stays unseen. */
  readonly firstHalf?: boolean;
}
