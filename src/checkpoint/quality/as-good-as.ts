import { equivalentStep, type StepValue } from './equivalent-step.ts';
import type { MetricKind } from './metric-kind.ts';

/** The metric that the lag is computed from: the first bounding one. */
export interface LeadingMetric {
  readonly name: string;
  readonly kind: MetricKind;
}

/** Metrics of one uploaded checkpoint. */
export interface UploadedStep {
  readonly step: number;
  /** JSON has no NaN: values that are not finite are null. */
  readonly metricsBefore: Readonly<Record<string, number | null>>;
}

/** The same as uploaded and as rebuilt. */
export interface MeasuredStep extends UploadedStep {
  readonly metricsAfter: Readonly<Record<string, number | null>>;
}

/** The training step at which the uploaded model was as good as a rebuilt checkpoint. */
export interface AsGoodAs {
  readonly metric: string;
  readonly step: number;
  /** Even the lineage's first upload, at `step`, is better. */
  readonly beforeFirst: boolean;
  /** The lag: from `step` to the checkpoint's own. With `beforeFirst` a lower bound. */
  readonly lagSteps: number;
}

/**
 * `lineage` contains the checkpoint and those it was trained through. Undefined if unknown (see
 * {@link equivalentStep}).
 */
export function asGoodAs(
  checkpoint: MeasuredStep,
  lineage: readonly UploadedStep[],
  { name, kind }: LeadingMetric,
): AsGoodAs | undefined {
  const valueAt = ({ step }: UploadedStep, value: number | null | undefined): StepValue => ({
    step,
    value: value ?? Number.NaN,
  });
  const uploads = lineage.map((each) => valueAt(each, each.metricsBefore[name]));
  const found = equivalentStep(uploads, valueAt(checkpoint, checkpoint.metricsAfter[name]), kind);
  return found && { metric: name, ...found, lagSteps: checkpoint.step - found.step };
}
