import { stepsPerOctave } from '../../../package/residual-tensor.ts';
import type { Rounding } from './lattice/gptq-targets.ts';
import { movedDeadZone } from './steps/movement-pull.ts';
import type { TensorMoves } from './steps/measure-moves.ts';
import type { TensorPlace } from '../../../package/tensor-place.ts';
import type { GramMatrices } from '../gram-matrices.ts';
import type { TensorOutsideBound } from './tensor-errors.ts';

/** The ways of rounding a tensor depend on these. */
export interface RoundingParts {
  /** Absent if the inputs of no matrix were measured. */
  readonly gramMatrices?: GramMatrices | undefined;
  readonly toNearest: boolean;
  /** Absent if weights before are not known. */
  readonly moves?: TensorMoves | undefined;
}

interface Roundings {
  readonly withGptq: readonly Rounding[];
  readonly plain: readonly Rounding[];
}

/**
 * Ways of rounding a tensor's weights, tried in order until its error is inside {@link errorRatioMax}. GPTQ starts with
 * the full share of errors handed on. The dead zone starts just below the one that makes the squared error 1.5 times
 * that of plain rounding. After the last, the tensor's step becomes finer: in a small tensor a few weights decide, and
 * any one step may be unlucky.
 */
const roundings: Readonly<Record<'deadZone' | 'nearest', Roundings>> = {
  deadZone: {
    withGptq: [
      { strength: 1, deadZone: 156 },
      { strength: 0.6, deadZone: 152 },
      { strength: 0.3, deadZone: 142 },
      { strength: 0, deadZone: 128 },
    ],
    plain: [
      { strength: 0, deadZone: 156 },
      { strength: 0, deadZone: 142 },
      { strength: 0, deadZone: 128 },
    ],
  },
  nearest: {
    withGptq: [1, 0.6, 0.3, 0].map((strength) => ({ strength, deadZone: 128 })),
    plain: [{ strength: 0, deadZone: 128 }],
  },
};

/**
 * The same for tensors with {@link TensorMoves}: a wide dead zone, which is narrower for weights that follow their
 * movement.
 */
const pulledRoundings: readonly Rounding[] = [
  { strength: 1, deadZone: movedDeadZone },
  { strength: 1, deadZone: (movedDeadZone + 128) >> 1 },
  ...roundings.nearest.withGptq,
];

/**
 * How often steps then become finer: first by 1/32 octave, which is enough if one step was unlucky; then by octaves,
 * for a tensor that needs almost exact values.
 */
const finerSmall = 24;
const finerOctaves = 12;
/**
 * Most 1/32 octaves by which a tensor's step becomes finer than its limit (`steps/tensor-limits.ts`) to keep its error
 * inside `weightErrorMax`: feedback and uneven weights add less than 1.2 octaves to the error that the limit is for.
 */
export const finerOfBoundMax = 48;
/**
 * Widest dead zone with GPTQ in a base: weights of a base are seldom within a step of zero, and a wide zone costs more
 * error than it saves bits. Measured: 2 % fewer bytes than with 156.
 */
export const baseDeadZone = 140;

/** Corrections of a tensor that were not good enough so far. */
export interface Attempt {
  /** Number of ways of rounding. */
  readonly tries: number;
  /** By how many 1/32 octaves its step is finer because of `weightErrorMax`. */
  readonly finer: number;
}

/** By file, by tensor. */
export type Attempts = readonly ReadonlyMap<number, Attempt>[];

const firstAttempt: Attempt = { tries: 0, finer: 0 };

export function attemptOf(attempts: Attempts, file: number, tensor: number): Attempt {
  return attempts[file]!.get(tensor) ?? firstAttempt;
}

/** The next attempts for tensors that are not good enough; undefined if no other way is left for any of them. */
export function nextAttempts(
  parts: RoundingParts,
  attempts: Attempts,
  found: {
    readonly beyond: readonly TensorPlace[];
    readonly outside: readonly TensorOutsideBound[];
  },
): Attempts | undefined {
  const next = attempts.map((byTensor) => new Map(byTensor));
  let isChanged = false;
  for (const { file, tensor, octaves } of found.outside) {
    const { tries, finer } = attemptOf(attempts, file, tensor);
    if (finer >= finerOfBoundMax) continue;
    const more = Math.max(1, Math.ceil(octaves * stepsPerOctave));
    next[file]!.set(tensor, { tries, finer: Math.min(finerOfBoundMax, finer + more) });
    isChanged = true;
  }
  for (const { file, tensor } of found.beyond) {
    const { tries, finer } = attemptOf(next, file, tensor);
    if (tries >= attemptsMax(parts, file, tensor)) continue;
    next[file]!.set(tensor, { tries: tries + 1, finer });
    isChanged = true;
  }
  return isChanged ? next : undefined;
}

export function roundingsOf(parts: RoundingParts, file: number, tensor: number): readonly Rounding[] {
  const { withGptq, plain } = waysOf(parts);
  if (!hasGramMatrix(parts, file, tensor)) return plain;
  return parts.moves?.[file]!.has(tensor) === true ? pulledRoundings : withGptq;
}

export function waysOf({ toNearest }: Pick<RoundingParts, 'toNearest'>): Roundings {
  return toNearest ? roundings.nearest : roundings.deadZone;
}

function attemptsMax(parts: RoundingParts, file: number, tensor: number): number {
  return roundingsOf(parts, file, tensor).length - 1 + finerSmall + finerOctaves;
}

/** By how many 1/32 octaves a step is finer after so many attempts. */
export function finerBy(tries: number): number {
  return tries <= finerSmall ? Math.max(0, tries) : finerSmall + (tries - finerSmall) * stepsPerOctave;
}

export function hasGramMatrix(
  { gramMatrices }: Pick<RoundingParts, 'gramMatrices'>,
  file: number,
  tensor: number,
): boolean {
  return gramMatrices?.[file]?.has(tensor) ?? false;
}
