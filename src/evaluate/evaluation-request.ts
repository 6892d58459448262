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
  /** Local safetensors files that together hold the weights; mapped by the child, never sent to it. */
  readonly weightPaths: readonly string[];
  /** Metrics to measure besides those of the set (observed-metrics.ts). */
  readonly observed?: readonly MetricSpec[];
  /**
   * The uploaded model's outputs, as `Evaluator.examine` wrote them. Metrics that compare with the uploaded model
   * need it.
   */
  readonly reference?: ReferenceOutputs;
}

/** Outputs of the uploaded model in a file, as `Evaluator.examine` wrote them. */
export interface ReferenceOutputs {
  readonly path: string;
  /** All that are in the file, in their order: `Examination.referenceOutputs`. */
  readonly outputs: readonly string[];
}

export interface ExamineRequest extends Omit<EvaluationRequest, 'reference'> {
  /**
   * Where to write the outputs that later evaluations compare with, and at most how many bytes; written by the child.
   */
  readonly reference?: { readonly path: string; readonly bytesMax: number };
  /** Refuse batches that do not make two halves, as `Evaluator.evaluateHalves` does. */
  readonly needsHalves?: boolean;
}

export interface GramRequest extends Omit<EvaluationRequest, 'observed' | 'reference'> {
  /**
   * Where the grams go, as raw little-endian F32, one after the other in the order of the answer. Written by the child.
   */
  readonly resultPath: string;
  /**
   * Most bytes of that file. Beyond what an evaluation takes the child needs up to some five times as much, and four
   * times one convolution's unfolded inputs.
   */
  readonly bytesMax: number;
  /**
   * Most batches that are run, at least 1, spread evenly over the set; all when absent. A convolution's gram costs
   * several times the convolution.
   */
  readonly batchesMax?: number;
  /** Only batches of the set's first half, so that the second stays unseen. */
  readonly firstHalf?: boolean;
}
