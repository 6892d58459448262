import { checkArguments } from './check-arguments.ts';
import { checkLattice } from './check-lattice.ts';
import { gptqBlockMax, gptqPullMax, type GptqWeights, type LatticeSegment } from '../core.ts';
import { argumentError } from './native-status.ts';

/** The checks of the GPTQ calls; see check-arguments.ts. */
export const checkGptq = { gram, weights, place, into };

type Rounded = Pick<GptqWeights, 'place' | 'firstElement' | 'strength' | 'deadZone'>;

const { elements, integer, typed } = checkArguments;

/** Largest side of a matrix that the seam can pass. */
const sideMax = 2 ** 31 - 1;

function gram(matrix: Float32Array, size: number, damping: number): void {
  typed('gram', matrix, Float32Array);
  integer('size', size, 1, gptqBlockMax);
  if (matrix.length % (size * size) !== 0)
    throw argumentError(`gram: ${matrix.length} numbers are no blocks of ${size} x ${size}`);
  if (!(damping > 0 && Number.isFinite(damping))) throw argumentError(`damping: ${damping}, but positive expected`);
}

function weights(request: GptqWeights): void {
  const { segment, previous } = request;
  const count = checkLattice.block({ segments: [segment], ...(previous && { previous }) });
  if (elements('weights', request.weights, request.dtype) !== count)
    throw argumentError(`weights: not the ${count} elements of the segment`);
  checkLattice.rates(request.symbolRates);
  place(request, count);
  const { movement } = request;
  if (movement === undefined) return;
  if (elements('before', movement.before, request.dtype) !== count)
    throw argumentError(`before: not the ${count} elements of the segment`);
  if (!(movement.pull >= 0 && movement.pull <= gptqPullMax))
    throw argumentError(`pull: ${movement.pull}, but 0 to ${gptqPullMax} expected`);
}

/** The place of a segment of `count` elements in its matrix, and how it is rounded. */
function place({ place: at, firstElement, strength, deadZone }: Rounded, count: number): void {
  const { factor, size, inputs, outputs } = at;
  typed('factor', factor, Float32Array);
  integer('size', size, 1, gptqBlockMax);
  integer('inputs', inputs, 1, sideMax);
  integer('outputs', outputs, 1, sideMax);
  if (inputs % size !== 0 || factor.length !== inputs * size)
    throw argumentError(`factor: ${factor.length} numbers for ${inputs} inputs in blocks of ${size}`);
  integer('firstElement', firstElement, 0, inputs * outputs - count);
  if (!(strength >= 0 && strength <= 1)) throw argumentError(`strength: ${strength}, but 0 to 1 expected`);
  integer('deadZone', deadZone, 0, 256);
}

function into(memory: Uint8Array, { elementCount }: LatticeSegment): void {
  typed('into', memory, Uint8Array);
  const width = Float32Array.BYTES_PER_ELEMENT;
  integer('into length', memory.length, elementCount * width, elementCount * width);
  if (memory.byteOffset % width !== 0)
    throw argumentError(`into: at byte ${memory.byteOffset}, where no F32 may begin`);
}
