import { latticeValueMax, type LatticeSegment } from './core.ts';

/**
 * The rules of docs/format-blocks.md, "Lattice blocks", implemented element by element, as a reference for the tests of
 * the seam.
 */
export interface ElementState {
  readonly k: number;
  readonly activity: number;
}

/** Activity after a move of 0, 1, 2, 3, and 4 or more steps, at least. */
const activityOfSteps = [0, 46, 54, 58, 62];

export function unitsOf(weight: number, exponent: number): number {
  const scaled = weight * 2 ** -exponent;
  const below = Math.floor(scaled);
  const rest = scaled - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
}

/** An element without a state, as a residual block starts from it. */
export function placedUnits(element: number, exponent: number): number {
  if (Number.isNaN(element)) return 0;
  return unitsOf(Math.min(Math.max(element * 2 ** -exponent, -latticeValueMax), latticeValueMax), 0) + 0;
}

/** Steps moved. */
export function moveOf(
  x: number,
  previous: ElementState | undefined,
  { step, shift }: LatticeSegment,
  deadZone: number,
): number {
  const r = x - (previous?.k ?? 0) * 2 ** shift;
  if (Math.abs(r) * 256 < deadZone * step) return 0;
  return Math.sign(r) * Math.max(1, Math.floor((Math.abs(r) + Math.floor(step / 2)) / step));
}

/** The symbol of a move, escapes included. */
export function symbolOf(q: number, previous: ElementState | undefined): number {
  const side = previous !== undefined && previous.k < 0 ? -1 : 1;
  return q * side < 0 ? 2 * Math.abs(q) - 1 : 2 * Math.abs(q);
}

export function contextOf(previous: ElementState | undefined, { step, shift }: LatticeSegment): number {
  if (previous === undefined) return 0;
  const a = previous.activity >> 2;
  const activityClass = [12, 28, 40, 48, 56].filter((from) => a >= from).length;
  const k = Math.abs(previous.k * 2 ** shift);
  const magnitudeClass = k < step / 2 ? 0 : k < (3 * step) / 2 ? 1 : 2;
  const sign = [0, 1, -1][previous.activity & 3]!;
  const direction = sign === 0 ? 0 : sign === (previous.k < 0 ? -1 : 1) ? 1 : 2;
  return (activityClass * 3 + direction) * 3 + magnitudeClass;
}

export function afterOf(
  q: number,
  previous: ElementState | undefined,
  { step, shift, offsets }: LatticeSegment,
): ElementState {
  const steps = Math.abs(q);
  const distance = steps === 0 ? 0 : steps * step - offsets[Math.min(steps, 3) - 1]!;
  const k = (previous?.k ?? 0) * 2 ** shift + Math.sign(q) * distance;
  if (previous === undefined) return { k, activity: 42 * 4 };
  const next = Math.max((previous.activity >> 2) - 6, activityOfSteps[Math.min(steps, 4)]!);
  return { k, activity: next * 4 + (q === 0 ? 0 : q > 0 ? 1 : 2) };
}

/** Binary32. */
export function valueOf(k: number, { exponent, gain }: LatticeSegment): number {
  return Math.fround(k * ((768 + gain) / 1024) * 2 ** exponent);
}
