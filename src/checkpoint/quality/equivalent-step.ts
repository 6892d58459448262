import { metricKindRules, needsReference, type MetricKind } from './metric-kind.ts';

/** What a model measured at one step. */
export interface StepValue {
  readonly step: number;
  readonly value: number;
}

/** How far training had come when the uploaded model was as good as a rebuilt one. */
export interface EquivalentStep {
  /** Between uploads a fraction, on the line through the two; never beyond the rebuilt model's own step. */
  readonly step: number;
  /**
   * Whether every upload is better than the rebuilt model: it is then as good as some step before `step`, which is the
   * first of them.
   */
  readonly beforeFirst: boolean;
}

/**
 * At which step of training the uploaded model was as good as what comes back of the checkpoint `rebuilt.step`: the
 * last place before it where the curve of the uploads (in any order, those of later steps are left out) crosses the
 * rebuilt value. A rebuilt model that is no worse than its own upload is as good as its own step. Uploads whose value
 * is not finite are passed over. Undefined where it cannot be told: the rebuilt value or that of its own upload is
 * missing or not finite, or the metric compares with the uploaded model itself.
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
