import { metricKindRules, needsReference, type MetricKind } from './metric-kind.ts';

/** A metric of the uploaded model at one step. */
export interface StepValue {
  readonly step: number;
  readonly value: number;
}

/** How far training had come when the uploaded model was as good as a rebuilt one. */
export interface EquivalentStep {
  /** A fraction between uploads, on the line through the two; never beyond the rebuilt model's own step. */
  readonly step: number;
  /**
   * Whether every upload is better than the rebuilt model. The rebuilt model is then as good as some step before
   * `step`, the first upload.
   */
  readonly beforeFirst: boolean;
}

/**
 * The step of training at which the uploaded model was as good as the rebuilt checkpoint: the last place before
 * `rebuilt.step` at which the curve of the uploads crosses the rebuilt value. Uploads may come in any order; later
 * steps do not count. A rebuilt model that is no worse than its own upload is as good as its own step. Uploads with a
 * value that is not finite are skipped. Undefined if it cannot be determined: the rebuilt value or the value of its own
 * upload is missing or not finite, or the metric compares with the uploaded model itself.
 */
export function equivalentStep(
  uploads: readonly StepValue[],
  rebuilt: StepValue,
  kind: MetricKind,
): EquivalentStep | undefined {
  if (needsReference(kind) || !Number.isFinite(rebuilt.value)) return undefined;
  const curve = uploads
    .filter(({ step, value }) => step <= rebuilt.step && Number.isFinite(value))
    .sort((a, b) => a.step - b.step);
  const own = curve.at(-1);
  if (own?.step !== rebuilt.step) return undefined;
  const sign = metricKindRules[kind].higherIsBetter ? 1 : -1;
  const isBetter = ({ value }: StepValue): boolean => sign * (value - rebuilt.value) > 0;
  if (!isBetter(own)) return { step: own.step, beforeFirst: false };
  const before = curve.findLastIndex((upload) => !isBetter(upload));
  if (before === -1) return { step: curve[0]!.step, beforeFirst: true };
  const [from, to] = [curve[before]!, curve[before + 1]!];
  return {
    step: from.step + ((rebuilt.value - from.value) / (to.value - from.value)) * (to.step - from.step),
    beforeFirst: false,
  };
}
