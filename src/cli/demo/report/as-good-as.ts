import { equivalentStep, type StepValue } from '../../../checkpoint/quality/equivalent-step.ts';
import type { MetricKind } from '../../../checkpoint/quality/metric-kind.ts';

/** The metric that tells how far a checkpoint is behind: the first of those that bound it. */
export interface LeadingMetric {
  readonly name: string;
  readonly kind: MetricKind;
}

/** What a checkpoint measured as uploaded and as it comes back. */
export interface MeasuredStep {
  readonly step: number;
  /** JSON has no NaN: what is not finite is null. */
  readonly metricsBefore: Readonly<Record<string, number | null>>;
  readonly metricsAfter: Readonly<Record<string, number | null>>;
}

/** The step of training at which the uploaded model was as good as what comes back of a checkpoint. */
export interface AsGoodAs {
  readonly metric: string;
  readonly step: number;
  /** The lineage's first upload, at `step`, is better already. */
  readonly beforeFirst: boolean;
  /** From `step` to the checkpoint's own: how far it is behind, or, with `beforeFirst`, the least that it is. */
  readonly lagSteps: number;
}

/**
 * `lineage` has the checkpoint and what it was trained through. Undefined where it cannot be told (see {@link
 * equivalentStep}).
 */
export function asGoodAs(
  checkpoint: MeasuredStep,
  lineage: readonly MeasuredStep[],
  { name, kind }: LeadingMetric,
): AsGoodAs | undefined {
  const valueAt = ({ step }: MeasuredStep, value: number | null | undefined): StepValue => ({
    step,
    value: value ?? Number.NaN,
  });
  const uploads = lineage.map((each) => valueAt(each, each.metricsBefore[name]));
  const found = equivalentStep(uploads, valueAt(checkpoint, checkpoint.metricsAfter[name]), kind);
  return found && { metric: name, ...found, lagSteps: checkpoint.step - found.step };
}
