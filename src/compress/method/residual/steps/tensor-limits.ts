import { effectiveRank } from '../../../../graph/layers/layer-type-of.ts';
import { scaleOf, stepsPerOctave, type ResidualTensor, type StepScales } from '../../../../package/residual-tensor.ts';
import type { Ancestor } from '../../../ancestor/ancestor.ts';
import type { ModelSource } from '../../../upload/model-source.ts';
import { varianceOf } from '../../../upload/weight-variance.ts';
import type { ModelMoments, TensorMoments } from '../tensor-moments.ts';
import { tensorStepMax } from './step-bound.ts';

export interface TensorLimits {
  readonly source: Pick<ModelSource, 'files'>;
  readonly moments: ModelMoments;
  readonly ancestor: Pick<Ancestor, 'residualTensor' | 'index'> | undefined;
  /** Whether weights are rounded to the nearest step: a step then does not exceed that of the ancestor. */
  readonly toNearest: boolean;
  /** Bound on every tensor's error, in standard deviations of its weights; no bound if undefined. */
  readonly weightErrorMax?: number | undefined;
}

/**
 * log2 of how much finer the largest step is than the one whose rounding error alone reaches the bound: rounding with
 * feedback (GPTQ) adds a few per cent, and a tensor beyond its bound is quantized again.
 */
const feedbackRoom = 2 / stepsPerOctave;

/**
 * log2 of the largest step of a tensor under a bound on its error: uniform errors of a step have a deviation of
 * 1 / sqrt(12) steps. Infinity without a bound, and for a tensor of equal values.
 */
export function boundedStepLog2(sums: TensorMoments, weightErrorMax: number | undefined): number {
  const deviation = Math.sqrt(varianceOf(sums));
  if (weightErrorMax === undefined || deviation === 0) return Infinity;
  return Math.log2(deviation * weightErrorMax * Math.sqrt(12)) - feedbackRoom;
}

/**
 * The largest step code of a tensor before the package's scale: that of the ancestor where weights are rounded to the
 * nearest step, and what the bound on its error allows.
 */
export function stepCodeLimit(
  limits: TensorLimits,
  file: number,
  tensor: number,
  record: ResidualTensor,
  scales: StepScales,
): number {
  const { source, moments, ancestor, toNearest, weightErrorMax } = limits;
  const { name, shape } = source.files[file]!.layout.tensors[tensor]!;
  const scale = scaleOf(scales, shape);
  const boundLog2 = boundedStepLog2(moments[file]!.get(tensor)!, weightErrorMax);
  const ofBound = Math.floor(stepsPerOctave * (boundLog2 - record.exponent)) - scale;
  const known = toNearest ? ancestor?.residualTensor(file, name) : undefined;
  const scalesBefore = ancestor?.index.residual?.scales;
  if (known === undefined || scalesBefore === undefined) return ofBound;
  const before = { stepCode: known.stepCode, scale: scaleOf(scalesBefore, shape) };
  return Math.min(ofBound, tensorStepMax(record, scale, before));
}

/**
 * The common step, in 1/32 octaves, at which the last matrix reaches its limit, so that a larger one changes nothing;
 * undefined if no matrix has a limit.
 */
export function commonStepLimit(
  limits: TensorLimits,
  records: readonly ReadonlyMap<number, ResidualTensor>[],
): number | undefined {
  const atZero: StepScales = { matrices: 0, vectors: 0 };
  const ofTensors = records.flatMap((tensors, file) =>
    [...tensors]
      .filter(([tensor]) => effectiveRank(limits.source.files[file]!.layout.tensors[tensor]!.shape) > 1)
      .map(([tensor, record]) => stepCodeLimit(limits, file, tensor, record, atZero) - record.stepCode),
  );
  const most = ofTensors.reduce((a, b) => Math.max(a, b), -Infinity);
  return Number.isFinite(most) ? most : undefined;
}
