import { effectiveRank } from '../../../../graph/layers/layer-type-of.ts';
import { scaleOf, stepsPerOctave, type ResidualTensor, type StepScales } from '../../../../package/residual-tensor.ts';
import type { Ancestor } from '../../../ancestor/ancestor.ts';
import type { ModelSource } from '../../../upload/model-source.ts';
import { varianceOf } from '../../../upload/weight-variance.ts';
import type { ModelMoments, TensorMoments } from '../tensor-moments.ts';
import type { TensorMoves } from './measure-moves.ts';
import { followedStepLog2, tensorStepMax } from './step-bound.ts';

export interface TensorLimits {
  readonly source: Pick<ModelSource, 'files'>;
  readonly moments: ModelMoments;
  readonly ancestor: Pick<Ancestor, 'residualTensor' | 'index'> | undefined;
  /**
   * Whether weights are rounded to the nearest step: a step then does not exceed that of the ancestor, unless the
   * tensor is in `moves`.
   */
  readonly toNearest: boolean;
  /** Absent if it is not known how weights moved since the ancestor's upload. */
  readonly moves?: TensorMoves | undefined;
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
 * The largest step code of a tensor before the package's scale: what the bound on its error allows; and where weights
 * are rounded to the nearest step, that of the ancestor, or a larger one that the movement of the weights allows.
 */
export function stepCodeLimit(
  limits: TensorLimits,
  file: number,
  tensor: number,
  record: ResidualTensor,
  scales: StepScales,
): number {
  const { source, moments, ancestor, toNearest, moves, weightErrorMax } = limits;
  const { name, shape } = source.files[file]!.layout.tensors[tensor]!;
  const scale = scaleOf(scales, shape);
  const boundLog2 = boundedStepLog2(moments[file]!.get(tensor)!, weightErrorMax);
  const codeAt = (stepLog2: number): number => Math.floor(stepsPerOctave * (stepLog2 - record.exponent)) - scale;
  const ofBound = codeAt(boundLog2);
  const known = toNearest ? ancestor?.residualTensor(file, name) : undefined;
  const scalesBefore = ancestor?.index.residual?.scales;
  if (known === undefined || scalesBefore === undefined) return ofBound;
  const before = { stepCode: known.stepCode, scale: scaleOf(scalesBefore, shape) };
  const ofMovement = codeAt(followedStepLog2(moves?.[file]!.get(tensor)));
  return Math.min(ofBound, Math.max(ofMovement, tensorStepMax(record, scale, before)));
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
