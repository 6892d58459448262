import type { EvalSetSpec, MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { needsReference } from '../../checkpoint/quality/metric-kind.ts';
import { observedMetrics, withoutSoftmax } from '../../checkpoint/quality/observed-metrics.ts';
import type { HalvedMetrics, MetricValues } from '../../checkpoint/quality/quality.ts';
import type { EvalBatches } from '../../checkpoint/options/search-options.ts';
import type { EvaluationRequest, GramRequest, ReferenceOutputs } from '../../evaluate/evaluation-request.ts';
import type { Evaluator } from '../../evaluate/evaluator.ts';
import type { InputGram } from '../../graph/grams/input-gram.ts';
import type { Examination } from '../../evaluate/examine/examination.ts';
import type { BoundGraph } from '../eval-set/bind-graph.ts';

/** Measured metrics; halves exist exactly if the thresholds must hold on them. */
export type Measurement = Pick<HalvedMetrics, 'whole'> &
  Partial<Pick<HalvedMetrics, 'halves'>> & { readonly observed?: MetricValues };

/** The measured metrics of the uploaded weights, and the findings on the eval set. */
export interface ExaminedUpload {
  readonly baseline: Measurement;
  readonly examination: Examination;
}

/**
 * Most bytes of the uploaded model's outputs that are stored for comparison, if a metric of the set needs them: 4 GiB.
 */
const askedReferenceMaxBytes = 4 * 2 ** 30;
/** The same limit if only observed metrics need them: 256 MiB. */
const observedReferenceMaxBytes = 256 * 2 ** 20;

export interface GateOptions {
  readonly evalBatches: EvalBatches;
  /** File for the uploaded model's outputs while the checkpoint is in work. */
  readonly referencePath: string;
}

/**
 * Measures files on local disk against a run's eval set: first the uploaded weights ({@link examine}), then candidates
 * to compare with them.
 */
export class QualityGate {
  readonly spec: EvalSetSpec;
  private readonly bound: BoundGraph;
  private readonly evaluator: Evaluator;
  private readonly halved: boolean;
  private readonly referencePath: string;
  /** Outputs of the uploaded model, after its examination. */
  private kept: ReferenceOutputs | undefined;
  /** Observed metrics that the outputs allow besides the requested ones. */
  private observed: readonly MetricSpec[];

  constructor(bound: BoundGraph, evaluator: Evaluator, { evalBatches, referencePath }: GateOptions) {
    this.spec = bound.evalSet.spec;
    this.bound = bound;
    this.evaluator = evaluator;
    this.halved = evalBatches === 'halves';
    this.referencePath = referencePath;
    this.observed = observedMetrics(this.spec);
  }

  get parallel(): number {
    return this.evaluator.parallel;
  }

  /** The observed metrics, after the examination of the upload. */
  get observedMetrics(): readonly MetricSpec[] {
    return this.observed;
  }

  /**
   * Measures the uploaded weights, and stores the outputs for later comparisons. Rejects with the errors of the
   * evaluator, and with `eval-input-mismatch` if those outputs exceed the limit.
   */
  async examine(weightPaths: readonly string[], signal?: AbortSignal): Promise<ExaminedUpload> {
    const asked = this.spec.metrics.some(({ kind }) => needsReference(kind));
    const bytesMax = asked ? askedReferenceMaxBytes : observedReferenceMaxBytes;
    const request = {
      ...this.request(weightPaths),
      observed: this.observed,
      reference: { path: this.referencePath, bytesMax },
      needsHalves: this.halved,
    };
    const examination = await this.evaluator.examine(request, signal);
    if (asked && !examination.referenceWritten)
      throw new FirnError(
        'eval-input-mismatch',
        `The outputs of the eval set take more than ${bytesMax / 2 ** 30} GiB to compare with; use fewer rows.`,
      );
    this.kept = examination.referenceWritten
      ? { path: this.referencePath, outputs: examination.referenceOutputs }
      : undefined;
    const observed = withoutSoftmax(this.observed, examination.probabilityOutputs);
    this.observed = examination.referenceWritten ? observed : observed.filter(({ kind }) => !needsReference(kind));
    const halves = this.halved ? examination.halves?.map((half) => this.pick(half, this.spec.metrics)) : undefined;
    const baseline = {
      ...this.split(examination.whole),
      ...(halves !== undefined && { halves: halves as unknown as HalvedMetrics['halves'] }),
    };
    return { baseline, examination };
  }

  /** One evaluation, with halves or without. Rejects with the errors of the evaluator. */
  async evaluate(weightPaths: readonly string[], signal?: AbortSignal): Promise<Measurement> {
    const request = { ...this.request(weightPaths), ...this.keptFor(this.spec.metrics) };
    return this.halved
      ? this.evaluator.evaluateHalves(request, signal)
      : { whole: await this.evaluator.evaluate(request, signal) };
  }

  /** Like {@link evaluate}, with the observed metrics. */
  async evaluateAll(weightPaths: readonly string[], signal?: AbortSignal): Promise<Measurement> {
    const request = {
      ...this.request(weightPaths),
      observed: this.observed,
      ...this.keptFor([...this.spec.metrics, ...this.observed]),
    };
    if (!this.halved) return this.split(await this.evaluator.evaluate(request, signal));
    const { whole, halves } = await this.evaluator.evaluateHalves(request, signal);
    const [first, second] = [this.pick(halves[0], this.spec.metrics), this.pick(halves[1], this.spec.metrics)];
    return { ...this.split(whole), halves: [first, second] };
  }

  /**
   * Writes second moments of the matrices' inputs to a file. They are measured on the first half only, if the second
   * half is to confirm. Rejects with the errors of the evaluator.
   */
  inputGrams(
    request: Omit<GramRequest, 'evalSet' | 'binding' | 'firstHalf'>,
    signal?: AbortSignal,
  ): Promise<readonly InputGram[]> {
    return this.evaluator.inputGrams(
      { ...request, evalSet: this.bound.evalSet, binding: this.bound.binding, firstHalf: this.halved },
      signal,
    );
  }

  private request(weightPaths: readonly string[]): EvaluationRequest {
    return { evalSet: this.bound.evalSet, binding: this.bound.binding, weightPaths };
  }

  private keptFor(metrics: readonly MetricSpec[]): Pick<EvaluationRequest, 'reference'> {
    return this.kept !== undefined && metrics.some(({ kind }) => needsReference(kind)) ? { reference: this.kept } : {};
  }

  private split(values: MetricValues): Pick<Measurement, 'whole' | 'observed'> {
    return { whole: this.pick(values, this.spec.metrics), observed: this.pick(values, this.observed) };
  }

  private pick(values: MetricValues, metrics: readonly MetricSpec[]): MetricValues {
    return Object.fromEntries(metrics.map(({ name }) => [name, values[name] ?? Number.NaN]));
  }
}
