import { effectiveRank } from '../../../../graph/layers/layer-type-of.ts';
import {
  exponentMax,
  exponentMin,
  stepCodeMax,
  stepsPerOctave,
  unitGain,
  type ResidualTensor,
} from '../../../../package/residual-tensor.ts';
import type { Ancestor } from '../../../ancestor/ancestor.ts';
import { inLatticeRange, weightUnitsLog2Max } from '../lattice/lattice-range.ts';
import type { SourceFile } from '../../../upload/model-source.ts';
import { varianceOf } from '../../../upload/weight-variance.ts';
import { boundedStepLog2 } from './tensor-limits.ts';
import type { ModelMoments, TensorMoments } from '../tensor-moments.ts';

/**
 * Steps are proportional to the gradients' root mean square to the power of minus this. Under a bound on the error of
 * weights it is one, at which every bit reduces the loss equally: whatever the gradients say, no tensor's step is
 * beyond what the bound allows (`tensor-limits.ts`). Without a bound it depends on the steps. While most weights do
 * not move, it makes little difference how the few bits are spread, and the gradients of a barely trained model are
 * little guide. The finer the steps, the nearer the power is to one. Measured on the language series
 * (docs/decisions/0018-steps-follow-gradients.md, docs/decisions/0068-steps-up-to-the-bound.md).
 */
const gradientPower = { bounded: 1, least: 0.25, atOneDeviation: 0.7, perOctave: 0.3, most: 0.85 };
/** Steps of a vector per standard deviation, before the search. */
const vectorStepsPerDeviation = 4;
/**
 * An almost constant vector has steps of its root mean square divided by this: the first if it may come back as its
 * mean, the second if the error of weights is bounded (fp32 has 2^24 steps, and half of them are below its rounding).
 */
const stepsPerMean = { usual: 256, bounded: 2 ** 20 };
/** A step at scale 0 has at least 2^this units, as offsets and gains need this resolution. */
const unitsPerStepLog2 = 9;
/**
 * The same for a tensor that starts from exact weights: the most units that a step can have. Weights that do not move
 * come back at the nearest unit, and a fine-tune moves by far less than a deviation.
 */
const startedUnitsPerStepLog2 = 15;
/**
 * The ancestor's record stays in use while its step is within this distance of the computed one, in 1/32 octaves:
 * unchanged records cost nothing.
 */
const stepTolerance = 8;
/** If a step has fewer than 2^this units, the unit becomes finer. */
const unitsPerStepLog2Min = 6;
const finerShift = 4;

export interface StepPlanning {
  readonly ancestor?: Ancestor | undefined;
  /** The common step of the checkpoint before, in 1/32 octaves; absent for a run's first. */
  readonly lastScale?: number | undefined;
  /**
   * Bound on every tensor's error, in standard deviations of its weights; absent without one. With one no vector comes
   * back constant that was not.
   */
  readonly weightErrorMax?: number | undefined;
  /** By file: the tensors that start from exact weights of the ancestor. */
  readonly started?: readonly ReadonlySet<number>[];
}

/**
 * Step of every residual tensor before the search's common factor. Matrices share one step, in proportion to the
 * standard deviation of all of them, finer for large gradients; each vector has its own. Undefined if a tensor has
 * outgrown the units of the ancestor.
 */
export function planSteps(
  files: readonly SourceFile[],
  moments: ModelMoments,
  { ancestor, lastScale, weightErrorMax, started }: StepPlanning,
): readonly Map<number, ResidualTensor>[] | undefined {
  const isBounded = weightErrorMax !== undefined;
  const power = isBounded ? gradientPower.bounded : powerAt(lastScale);
  const wanted = wantedSteps(files, moments, { power, isBounded });
  const scaleHint = Math.min(0, lastScale ?? 0);
  const records: Map<number, ResidualTensor>[] = [];
  for (const [file, tensors] of moments.entries()) {
    const here = new Map<number, ResidualTensor>();
    for (const [tensor, sums] of tensors) {
      const { name, shape } = files[file]!.layout.tensors[tensor]!;
      const before = ancestor?.residualTensor(file, name);
      const stepLog2 = wanted[file]!.get(tensor)!;
      const record =
        before === undefined
          ? newRecord(stepLog2, sums, {
              isMatrix: effectiveRank(shape) > 1,
              limitLog2: boundedStepLog2(sums, weightErrorMax),
              unitsLog2: started?.[file]!.has(tensor) === true ? startedUnitsPerStepLog2 : unitsPerStepLog2,
            })
          : keptRecord(before, stepLog2, scaleHint);
      if (!inLatticeRange(sums.magnitudeMax, record.exponent)) return undefined;
      here.set(tensor, record);
    }
    records.push(here);
  }
  return records;
}

/** `scale`: the common step of the previous checkpoint, in 1/32 octaves of the weights' deviation. */
function powerAt(scale: number | undefined): number {
  const { least, atOneDeviation, perOctave, most } = gradientPower;
  return scale === undefined
    ? least
    : Math.min(most, Math.max(least, atOneDeviation - (perOctave * scale) / stepsPerOctave));
}

/** By file, by tensor: log2 of the step at scale 0. */
function wantedSteps(
  files: readonly SourceFile[],
  moments: ModelMoments,
  { power, isBounded }: { readonly power: number; readonly isBounded: boolean },
): readonly ReadonlyMap<number, number>[] {
  const all = moments.flatMap((tensors, file) =>
    [...tensors].map(([tensor, sums]) => ({ file, tensor, sums, entry: files[file]!.layout.tensors[tensor]! })),
  );
  const matrices = all.filter(({ entry }) => effectiveRank(entry.shape) > 1);
  const weights = matrices.reduce((count, { sums }) => count + sums.elementCount, 0);
  const pooled = pool(matrices.map(({ sums }) => sums));
  const deviation = Math.sqrt(pooled === undefined ? 0 : varianceOf(pooled)) || 1;
  const slopes = matrices
    .map(({ sums }) => Math.sqrt(sums.gradientSumOfSquares / sums.elementCount))
    .filter((slope) => slope > 0);
  const usual = slopes.sort((a, b) => a - b)[slopes.length >> 1] ?? 1;
  const finer = (sums: TensorMoments): number =>
    -power * Math.log2((Math.sqrt(sums.gradientSumOfSquares / sums.elementCount) || usual) / usual);
  // The mean over all weights is zero, so that the common factor alone sets the average step.
  const mean = matrices.reduce((sum, { sums }) => sum + finer(sums) * sums.elementCount, 0) / Math.max(1, weights);
  const steps = files.map(() => new Map<number, number>());
  for (const { file, tensor, sums, entry } of all) {
    steps[file]!.set(
      tensor,
      effectiveRank(entry.shape) > 1 ? Math.log2(deviation) + finer(sums) - mean : vectorStep(sums, isBounded),
    );
  }
  return steps;
}

function pool(moments: readonly TensorMoments[]): TensorMoments | undefined {
  return moments.reduce<TensorMoments | undefined>(
    (sum, { elementCount, sum: first, sumOfSquares }) => ({
      elementCount: (sum?.elementCount ?? 0) + elementCount,
      sum: (sum?.sum ?? 0) + first,
      sumOfSquares: (sum?.sumOfSquares ?? 0) + sumOfSquares,
      magnitudeMax: 0,
      gradientSumOfSquares: 0,
    }),
    undefined,
  );
}

function vectorStep(sums: TensorMoments, isBounded: boolean): number {
  const step = Math.max(
    Math.sqrt(varianceOf(sums)) / vectorStepsPerDeviation,
    Math.sqrt(sums.sumOfSquares / sums.elementCount) / (isBounded ? stepsPerMean.bounded : stepsPerMean.usual),
  );
  return step > 0 ? Math.log2(step) : 0;
}

interface NewRecord {
  readonly isMatrix: boolean;
  readonly unitsLog2: number;
  /** See {@link boundedStepLog2}. */
  readonly limitLog2: number;
}

function newRecord(
  stepLog2: number,
  { magnitudeMax, sum, elementCount }: TensorMoments,
  { isMatrix, unitsLog2, limitLog2 }: NewRecord,
): ResidualTensor {
  const room = magnitudeMax > 0 ? Math.floor(Math.log2(magnitudeMax)) + 1 - weightUnitsLog2Max : exponentMin;
  const wanted = Math.floor(Math.min(stepLog2, limitLog2)) - unitsLog2;
  const exponent = Math.min(exponentMax, Math.max(exponentMin, wanted, room));
  const origin = isMatrix ? 0 : Math.round(sum / elementCount / 2 ** exponent);
  return { exponent, origin, shift: 0, stepCode: codeOf(stepLog2, exponent), offsets: [0, 0], gain: unitGain };
}

function keptRecord(before: ResidualTensor, stepLog2: number, scale: number): ResidualTensor {
  const wanted = codeOf(stepLog2, before.exponent);
  const stepCode = Math.abs(wanted - before.stepCode) <= stepTolerance ? before.stepCode : wanted;
  const shift =
    stepCode + scale < unitsPerStepLog2Min * stepsPerOctave && before.exponent - finerShift >= exponentMin
      ? finerShift
      : 0;
  return {
    ...before,
    shift,
    origin: before.origin * 2 ** shift,
    exponent: before.exponent - shift,
    stepCode: Math.min(stepCodeMax, stepCode + shift * stepsPerOctave),
  };
}

function codeOf(stepLog2: number, exponent: number): number {
  return Math.min(stepCodeMax, Math.max(0, Math.round(stepsPerOctave * (stepLog2 - exponent))));
}
