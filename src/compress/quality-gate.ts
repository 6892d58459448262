import type { EvalSetSpec } from '../checkpoint/eval-set-spec.ts';
import type { MetricValues } from '../checkpoint/quality.ts';
import type { Evaluator, GramRequest, InputGram } from '../evaluate/evaluator.ts';
import type { BoundGraph } from './bind-graph.ts';

/** Measures files on local disk against a run's eval set. */
export class QualityGate {
  readonly spec: EvalSetSpec;
  private readonly bound: BoundGraph;
  private readonly evaluator: Evaluator;

  constructor(bound: BoundGraph, evaluator: Evaluator) {
    this.spec = bound.evalSet.spec;
    this.bound = bound;
    this.evaluator = evaluator;
  }

  get parallel(): number {
    return this.evaluator.parallel;
  }

  evaluate(weightPaths: readonly string[], signal?: AbortSignal): Promise<MetricValues> {
    return this.evaluator.evaluate({ evalSet: this.bound.evalSet, binding: this.bound.binding, weightPaths }, signal);
  }

  /** Second moments of what enters the matrices, in a file. Rejects as the evaluator. */
  inputGrams(request: Omit<GramRequest, 'evalSet' | 'binding'>, signal?: AbortSignal): Promise<readonly InputGram[]> {
    return this.evaluator.inputGrams({ ...request, evalSet: this.bound.evalSet, binding: this.bound.binding }, signal);
  }
}
