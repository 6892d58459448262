import type { HalvedMetrics, MetricValues } from '../checkpoint/quality/quality.ts';
import type { InputGram } from '../graph/grams/input-gram.ts';
import type { EvaluationRequest, ExamineRequest, GramRequest, LocalEvalSet } from './evaluation-request.ts';
import type { Examination } from './examine/examination.ts';

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
