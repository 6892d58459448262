import type { EvalSetSpec, MetricSpec } from '../checkpoint/quality/eval-set-spec.ts';
import type { HalvedMetrics, MetricValues } from '../checkpoint/quality/quality.ts';
import type { InputGram } from '../graph/grams/input-gram.ts';
import type { WeightBinding } from '../graph/weight-binding.ts';
import type { Examination } from './examine/examination.ts';

export type { InputGram } from '../graph/grams/input-gram.ts';
export type { WeightBinding } from '../graph/weight-binding.ts';

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
   * The uploaded model's outputs, as {@link Evaluator.examine} wrote them. Metrics that compare with the uploaded model
   * need it.
   */
  readonly reference?: KeptReference;
}

/** Outputs of the uploaded model in a file, as {@link Evaluator.examine} wrote them. */
export interface KeptReference {
  readonly path: string;
  /** All that are in the file, in their order: `Examination.referenceOutputs`. */
  readonly outputs: readonly string[];
}

export interface ExamineRequest extends Omit<EvaluationRequest, 'reference'> {
  /**
   * Where to write the outputs that later evaluations compare with, and at most how many bytes; written by the child.
   */
  readonly reference?: { readonly path: string; readonly bytesMax: number };
  /** Refuse batches that do not make two halves, as {@link Evaluator.evaluateHalves} does. */
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

/**
 * Runs eval graphs in child processes: at most `parallel` at once, each with a deadline and a watched memory limit,
 * killed when over. Deterministic: one intra-op thread, fixed batch order. Errors: `eval-timeout`, `eval-memory`,
 * `eval-crashed`, `eval-input-mismatch`, `eval-label-mismatch`, `graph-invalid`, `graph-external-data`,
 * `graph-missing-weights`, `metric-unknown`, `storage-full`, `cancelled`.
 */
export interface Evaluator {
  readonly parallel: number;
  /** Metric values over all batches. A value may be non-finite (and then passes no threshold). */
  evaluate(request: EvaluationRequest, signal?: AbortSignal): Promise<MetricValues>;
  /**
   * The same values of the uploaded model, with what was understood of graph, batches and labels. The graph runs once;
   * the metrics cost two to three times those of an evaluation. Also refuses outputs that are probabilities where
   * logits are wanted (`eval-label-mismatch`).
   */
  examine(request: ExamineRequest, signal?: AbortSignal): Promise<Examination>;
  /**
   * The same values, and those of each half of the batches, for the cost of one evaluation. `eval-input-mismatch` also
   * where the batches do not make two halves: there is one alone, or one half has less than a quarter of the rows.
   */
  evaluateHalves(request: EvaluationRequest, signal?: AbortSignal): Promise<HalvedMetrics>;
  /**
   * Second moments of what enters each matrix of the model, summed over the batches, with these weights. Matrices whose
   * use in the graph is not understood, or whose moments are not finite, have none; blocks get smaller where all would
   * take more than `bytesMax`.
   */
  inputGrams(request: GramRequest, signal?: AbortSignal): Promise<readonly InputGram[]>;
  /**
   * Checks graph, batches and spec against each other in a child, without weights where the graph has none: the labels
   * of every row, and the batches that can show what is wrong with the others.
   */
  check(evalSet: LocalEvalSet, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface ProbedEvaluator extends Evaluator {
  /**
   * Resolves when an evaluation process has answered, now or a few minutes ago; for readiness. Rejects as an evaluation
   * does whose process cannot be started.
   */
  probe(): Promise<void>;
}
