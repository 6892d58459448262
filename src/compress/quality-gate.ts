import type { EvalSetSpec } from '../checkpoint/eval-set-spec.ts';
import type { HalvedMetrics } from '../checkpoint/quality.ts';
import type { EvalBatches } from '../checkpoint/search-options.ts';
import type { Evaluator, GramRequest, InputGram } from '../evaluate/evaluator.ts';
import type { BoundGraph } from './bind-graph.ts';

/** What was measured: the halves are there exactly where the thresholds must hold on them. */
export type Measurement = Pick<HalvedMetrics, 'whole'> & Partial<Pick<HalvedMetrics, 'halves'>>;

/** Measures files on local disk against a run's eval set. */
export class QualityGate {
  readonly spec: EvalSetSpec;
  private readonly bound: BoundGraph;
  private readonly evaluator: Evaluator;
  private readonly halved: boolean;

  constructor(bound: BoundGraph, evaluator: Evaluator, evalBatches: EvalBatches) {
    this.spec = bound.evalSet.spec;
    this.bound = bound;
    this.evaluator = evaluator;
    this.halved = evalBatches === 'halves';
  }

  get parallel(): number {
    return this.evaluator.parallel;
  }

  /** One evaluation, with halves or without. Rejects as the evaluator. */
  async evaluate(weightPaths: readonly string[], signal?: AbortSignal): Promise<Measurement> {
    const request = { evalSet: this.bound.evalSet, binding: this.bound.binding, weightPaths };
    return this.halved ? this.evaluator.evaluateHalves(request, signal) : { whole: await this.evaluator.evaluate(request, signal) };
  }

  /** Second moments of what enters the matrices, in a file; of the first half alone where the second is to confirm. Rejects as the evaluator. */
  inputGrams(request: Omit<GramRequest, 'evalSet' | 'binding' | 'firstHalf'>, signal?: AbortSignal): Promise<readonly InputGram[]> {
    return this.evaluator.inputGrams({ ...request, evalSet: this.bound.evalSet, binding: this.bound.binding, firstHalf: this.halved }, signal);
  }
}
