import type { DeviceKind } from '../../checkpoint/device-kind.ts';
import type { EvalSetSpec, MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { rm } from 'node:fs/promises';
import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import { isDivergence, needsReference } from '../../checkpoint/quality/metric-kind.ts';
import { observedMetrics, withoutSoftmax } from '../../checkpoint/quality/observed-metrics.ts';
import type { HalvedMetrics, MetricValues, PartedMetrics } from '../../checkpoint/quality/quality.ts';
import type { EvalBatches } from '../../checkpoint/options/search-options.ts';
import type {
  EvaluationRequest,
  ExamineRequest,
  GramOptions,
  GramRequest,
  ReferenceOutputs,
} from '../../evaluate/evaluation-request.ts';
import type { Evaluator } from '../../evaluate/evaluator.ts';
import type { InputGram } from '../../graph/grams/input-gram.ts';
import type { Examination } from '../../evaluate/examine/examination.ts';
import type { BoundGraph } from '../eval-set/bind-graph.ts';

/**
 * Measured metrics; halves exist exactly if the thresholds must hold on them, groups if standard errors are wanted.
 */
export type Measurement = PartedMetrics & { readonly observed?: MetricValues };

/** The measured metrics of the uploaded weights, and the findings on the eval set. */
export interface ExaminedUpload {
  readonly baseline: Measurement;
  readonly examination: Examination;
}

/** Gram matrices that are wanted; on which batches is the gate's choice. */
export type WantedGrams = Omit<GramOptions, 'firstHalf'>;

/** Failures of an examination that the work for Gram matrices may cause. */
const gramFailures: ReadonlySet<FirnErrorCode> = new Set<FirnErrorCode>([
  'eval-memory',
  'eval-timeout',
  'eval-crashed',
  'graph-invalid',
  'storage-full',
]);

/**
 * Most bytes of the uploaded model's outputs that are stored for comparison, if a metric of the set needs them: 4 GiB.
 */
const askedReferenceMaxBytes = 4 * 2 ** 30;
/** The same limit if a guard on divergence needs them: 1 GiB. */
const guardReferenceMaxBytes = 2 ** 30;
/** The same limit if they are only shown: 256 MiB. */
const observedReferenceMaxBytes = 256 * 2 ** 20;

export interface GateOptions {
  readonly evalBatches: EvalBatches;
  /** Whether standard errors are wanted, which takes the metrics of groups of rows. */
  readonly groups?: boolean;
  /** Whether candidates are compared with the outputs of the uploaded model, where these allow it. */
  readonly divergence?: boolean;
  /** What every measurement of the checkpoint runs on. */
  readonly device: DeviceKind;
  /** File for the uploaded model's outputs while the checkpoint is in work. */
  readonly referencePath: string;
}

/**
 * Measures files on local disk against a run's eval set: first the uploaded weights ({@link examine}), then candidates
 * to compare with them.
 */
export class QualityGate {
  readonly spec: EvalSetSpec;
  /** What everything is measured on. */
  readonly device: DeviceKind;
  private readonly bound: BoundGraph;
  private readonly evaluator: Evaluator;
  private readonly halved: boolean;
  private readonly grouped: boolean;
  private readonly divergence: boolean;
  private readonly referencePath: string;
  /** Outputs of the uploaded model, after its examination. */
  private kept: ReferenceOutputs | undefined;
  /** Observed metrics that the outputs allow besides the requested ones. */
  private observed: readonly MetricSpec[];

  constructor(bound: BoundGraph, evaluator: Evaluator, options: GateOptions) {
    const { evalBatches, referencePath, groups = false, divergence = false } = options;
    this.spec = bound.evalSet.spec;
    this.device = options.device;
    this.bound = bound;
    this.evaluator = evaluator;
    this.halved = evalBatches === 'halves';
    this.grouped = groups;
    this.divergence = divergence;
    this.referencePath = referencePath;
    this.observed = observedMetrics(this.spec);
  }

  get parallel(): number {
    return this.evaluator.parallelOn(this.device);
  }

  /** The observed metrics, after the examination of the upload. */
  get observedMetrics(): readonly MetricSpec[] {
    return this.observed;
  }

  /**
   * Measures the uploaded weights, and stores the outputs for later comparisons. Also measures second moments of the
   * matrices' inputs, if they are wanted and need no run of their own: `Examination.grams`. Rejects with the errors of
   * the evaluator, and with `eval-input-mismatch` if those outputs exceed the limit.
   */
  async examine(
    weightPaths: readonly string[],
    { grams, signal }: { readonly grams?: WantedGrams | undefined; readonly signal?: AbortSignal } = {},
  ): Promise<ExaminedUpload> {
    const asked = this.spec.metrics.some(({ kind }) => needsReference(kind));
    const guardMaxBytes = this.divergence ? guardReferenceMaxBytes : observedReferenceMaxBytes;
    const bytesMax = asked ? askedReferenceMaxBytes : guardMaxBytes;
    const request = {
      ...this.request(weightPaths),
      observed: this.observed,
      reference: { path: this.referencePath, bytesMax },
      needsHalves: this.halved,
      needsGroups: this.grouped,
    };
    const examination = await this.examineWith(grams, request, signal);
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
      ...this.split(examination.whole, this.observed),
      ...(halves !== undefined && { halves: halves as unknown as HalvedMetrics['halves'] }),
      ...(examination.groups !== undefined && { groups: examination.groups }),
    };
    return { baseline, examination };
  }

  /** If an examination with Gram matrices fails, they may be the cause; then it is made without them. */
  private async examineWith(
    grams: WantedGrams | undefined,
    request: ExamineRequest,
    signal: AbortSignal | undefined,
  ): Promise<Examination> {
    if (grams === undefined) return this.evaluator.examine(request, signal);
    try {
      return await this.evaluator.examine({ ...request, grams: { ...grams, firstHalf: this.halved } }, signal);
    } catch (error) {
      if (!(error instanceof FirnError) || !gramFailures.has(error.code)) throw error;
      await rm(this.referencePath, { force: true });
      return this.evaluator.examine(request, signal);
    }
  }

  /**
   * One evaluation of a candidate: the metrics of the set, their parts, and the divergences that guards may bound.
   * Rejects with the errors of the evaluator.
   */
  evaluate(weightPaths: readonly string[], signal?: AbortSignal): Promise<Measurement> {
    const compared = this.divergence ? this.observed.filter(({ kind }) => isDivergence(kind)) : [];
    return this.measure(weightPaths, compared, signal);
  }

  /** Like {@link evaluate}, with all observed metrics. */
  evaluateAll(weightPaths: readonly string[], signal?: AbortSignal): Promise<Measurement> {
    return this.measure(weightPaths, this.observed, signal);
  }

  private async measure(
    weightPaths: readonly string[],
    observed: readonly MetricSpec[],
    signal?: AbortSignal,
  ): Promise<Measurement> {
    const request = {
      ...this.request(weightPaths),
      observed,
      ...this.keptFor([...this.spec.metrics, ...observed]),
    };
    const parts = { halves: this.halved, groups: this.grouped };
    const { whole, halves, groups } = await this.evaluator.evaluateParts(request, parts, signal);
    return {
      ...this.split(whole, observed),
      ...(halves && { halves: [this.pick(halves[0], this.spec.metrics), this.pick(halves[1], this.spec.metrics)] }),
      ...(groups && { groups }),
    };
  }

  /**
   * Writes second moments of the matrices' inputs to a file. They are measured on the first half only, if the second
   * half is to confirm. Rejects with the errors of the evaluator.
   */
  inputGrams(
    request: WantedGrams & Pick<GramRequest, 'weightPaths'>,
    signal?: AbortSignal,
  ): Promise<readonly InputGram[]> {
    return this.evaluator.inputGrams(
      { ...request, ...this.request(request.weightPaths), firstHalf: this.halved },
      signal,
    );
  }

  private request(weightPaths: readonly string[]): EvaluationRequest {
    return { evalSet: this.bound.evalSet, binding: this.bound.binding, weightPaths, device: this.device };
  }

  private keptFor(metrics: readonly MetricSpec[]): Pick<EvaluationRequest, 'reference'> {
    return this.kept !== undefined && metrics.some(({ kind }) => needsReference(kind)) ? { reference: this.kept } : {};
  }

  private split(values: MetricValues, observed: readonly MetricSpec[]): Pick<Measurement, 'whole' | 'observed'> {
    return { whole: this.pick(values, this.spec.metrics), observed: this.pick(values, observed) };
  }

  private pick(values: MetricValues, metrics: readonly MetricSpec[]): MetricValues {
    return Object.fromEntries(metrics.map(({ name }) => [name, values[name] ?? Number.NaN]));
  }
}
