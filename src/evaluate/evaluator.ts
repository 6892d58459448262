import type { DeviceKind } from '../checkpoint/device-kind.ts';
import type { EvalParts, MetricValues, PartedMetrics } from '../checkpoint/quality/quality.ts';
import type { InputGram } from '../graph/grams/input-gram.ts';
import type { EvaluationRequest, ExamineRequest, GramRequest, LocalEvalSet } from './evaluation-request.ts';
import type { Examination } from './examine/examination.ts';

/**
 * Runs eval graphs in child processes: at most `parallelOn` at once, each with a deadline and a watched memory limit,
 * and killed when it exceeds one. Deterministic on each kind of device: one intra-op thread, fixed batch order. Errors:
 * `eval-timeout`, `eval-memory`, `eval-crashed`, `eval-device` (of requests with `device: 'cuda'` alone),
 * `eval-input-mismatch`, `eval-label-mismatch`, `graph-invalid`, `graph-external-data`, `graph-missing-weights`,
 * `metric-unknown`, `storage-full`, `cancelled`.
 */
export interface Evaluator {
  /** Most evaluations at once on a kind of device. */
  parallelOn(device: DeviceKind): number;
  /**
   * The kinds of devices that evaluations can run on now; empty if CUDA is demanded and does not start. The first call
   * may start a child. Never rejects.
   */
  kinds(): Promise<readonly DeviceKind[]>;
  /** Whether work that fails on CUDA should be done on the processor instead. */
  readonly fallsBack: boolean;
  /** Metric values over all batches. A value may be non-finite; it then passes no threshold. */
  evaluate(request: EvaluationRequest, signal?: AbortSignal): Promise<MetricValues>;
  /**
   * The same values for the uploaded model, with the findings on graph, batches and labels. The graph runs once; the
   * metrics cost two to three times those of an evaluation. If wanted, second moments of the matrices' inputs are
   * measured in the same run, as {@link inputGrams} does, with the same values. Also refuses outputs that are
   * probabilities instead of logits (`eval-label-mismatch`).
   */
  examine(request: ExamineRequest, signal?: AbortSignal): Promise<Examination>;
  /**
   * The same values, and those of parts of the set, at the cost of one evaluation. `eval-input-mismatch` also if halves
   * are wanted and the batches do not make two: there is only one, or one half has less than a quarter of the rows.
   */
  evaluateParts(request: EvaluationRequest, parts: EvalParts, signal?: AbortSignal): Promise<PartedMetrics>;
  /**
   * Second moments of the inputs of each matrix of the model, summed over the batches, with these weights. Matrices
   * with an unknown use in the graph, or with moments that are not finite, have none. If all would take more than
   * `bytesMax`, blocks get smaller.
   */
  inputGrams(request: GramRequest, signal?: AbortSignal): Promise<readonly InputGram[]>;
  /**
   * Checks graph, batches and spec against each other in a child, with zeros for weights that the graph lacks. It
   * checks the labels of every row, and runs the batches most likely to show errors.
   */
  check(evalSet: LocalEvalSet, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface ProbedEvaluator extends Evaluator {
  /** Rejects with `eval-device`, in one sentence, if CUDA is demanded and does not start. */
  requireDevice(): Promise<void>;
  /**
   * Resolves when an evaluation process has answered, now or in the last minutes; for readiness. Rejects like an
   * evaluation whose process cannot be started, and like {@link requireDevice}.
   */
  probe(): Promise<void>;
}
