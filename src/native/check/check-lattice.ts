import type { QuantizableDtype } from '../../checkpoint/dtype.ts';
import { checkArguments } from './check-arguments.ts';
import {
  blockElementsMax,
  latticeDeadZoneMax,
  latticeExponentMax,
  latticeExponentMin,
  latticeGainMax,
  latticeRates,
  latticeShiftMax,
  latticeStepMax,
  jointSymbolWidthMax,
  type CodedBlock,
  type HeldBlock,
  type LatticeBlock,
  type LatticeSymbols,
  type LatticeSegment,
  type LatticeWeights,
  type ResidualBlock,
  type ResidualChain,
  type ResidualLink,
} from '../core.ts';
import { argumentError } from './native-status.ts';

/** The checks of the lattice calls; see check-arguments.ts. Linear in the number of segments. */
export const checkLattice = {
  weights,
  block,
  symbolsOf,
  placed,
  values,
  segmentsElements,
  chain,
  chainBefore,
  codedBlock,
  rates,
};

/** Packages of one chain; equals the limit in package/format-limits.ts. */
const chainLinksMax = 1024;

type LinkPart = NonNullable<ResidualLink['part']>;

const { bytes, elements, integer, typed, weightBlock } = checkArguments;

function segmentsElements(segments: readonly LatticeSegment[]): number {
  let total = 0;
  for (const { elementCount, exponent, step, shift, offsets, gain } of segments) {
    integer('elementCount', elementCount, 1, blockElementsMax);
    integer('exponent', exponent, latticeExponentMin, latticeExponentMax);
    integer('step', step, 1, latticeStepMax);
    integer('shift', shift, 0, latticeShiftMax);
    integer('offsets length', offsets.length, 3, 3);
    for (const offset of offsets) integer('offset', offset, 1 - step, step - 1);
    integer('gain', gain, 0, latticeGainMax);
    total += elementCount;
  }
  integer('elements of all segments', total, 0, blockElementsMax);
  return total;
}

function sameCount(name: string, actual: number, expected: number): void {
  if (actual !== expected) throw argumentError(`${name}: ${actual} elements for segments of ${expected}`);
}

/** Returns the number of elements, like the others. */
function block({ segments, previous }: LatticeBlock): number {
  const count = segmentsElements(segments);
  if (previous === undefined) return count;
  typed('previous values', previous.values, Int32Array);
  bytes('previous activity', previous.activity);
  sameCount('previous values', previous.values.length, count);
  sameCount('previous activity', previous.activity.length, count);
  return count;
}

/** A chain that ends with its last link. Returns the number of elements. */
function chain(request: ResidualChain): number {
  integer('links', request.links.length, 1, chainLinksMax);
  return chainBefore(request, request.links[0]!.segments);
}

/** A chain before a block with these segments. Returns the number of elements. */
function chainBefore({ links, start }: ResidualChain, own: readonly LatticeSegment[]): number {
  integer('links', links.length, 0, chainLinksMax);
  const count = start instanceof Int32Array ? segmentsElements(own) : block({ segments: own, previous: start });
  if (start instanceof Int32Array) sameCount('origins', start.length, own.length);
  for (const [i, { payload, segments, slots, part }] of links.entries()) {
    bytes('payload', payload);
    sameCount('segments', segmentsElements(segments), count);
    typed('slots', slots, Uint32Array);
    sameCount('slots', slots.length, segments.length);
    if (part !== undefined) partOfPayload(part, links[i - 1]?.part);
  }
  return count;
}

function partOfPayload({ jointSymbols: { symbols, width }, position }: LinkPart, before: LinkPart | undefined): void {
  bytes('jointSymbols', symbols);
  integer('width of joint symbols', width, 2, jointSymbolWidthMax);
  if (symbols.length === 0 || symbols.length % width !== 0)
    throw argumentError(`jointSymbols: ${symbols.length} symbols of ${width} checkpoints`);
  integer('position', position, 0, width - 1);
  if (position > 0 && before?.position !== position - 1) throw argumentError('position: not behind the one before it');
}

function weights(request: LatticeWeights): void {
  sameCount('weights', elements('weights', request.weights, request.dtype), block(request));
  integer('deadZone', request.deadZone, 0, latticeDeadZoneMax);
}

function symbolsOf({ symbols, escapes }: LatticeSymbols, request: LatticeBlock): number {
  bytes('symbols', symbols);
  typed('escapes', escapes, Uint32Array);
  const count = block(request);
  sameCount('symbols', symbols.length, count);
  return count;
}

function placed(list: Uint8Array, segments: readonly LatticeSegment[], dtype: QuantizableDtype): void {
  sameCount('elements', elements('elements', list, dtype), segmentsElements(segments));
}

function values(list: Int32Array, segments: readonly LatticeSegment[]): number {
  typed('values', list, Int32Array);
  const count = segmentsElements(segments);
  sameCount('values', list.length, count);
  return count;
}

function rates(list: Uint8Array | undefined): void {
  if (list === undefined) return;
  bytes('rates', list);
  sameCount('rates', list.length, latticeRates);
}

/** Returns the number of elements. */
function codedBlock(request: CodedBlock): number {
  const { segments, slots, deadZone, gradientScales } = request;
  const count = request.weights === undefined ? heldBlock(request) : broughtBlock(request);
  typed('slots', slots, Uint32Array);
  sameCount('slots', slots.length, segments.length);
  integer('deadZone', deadZone, 0, latticeDeadZoneMax);
  rates(request.rates);
  if (gradientScales === undefined) return count;
  typed('gradientScales', gradientScales, Float32Array);
  sameCount('gradientScales', gradientScales.length, segments.length);
  return count;
}

function broughtBlock(request: ResidualBlock): number {
  weightBlock(request);
  const { segments, chain: before, targets, gradients, gradientScales } = request;
  const count = chainBefore(before, segments);
  sameCount('weights', elements('weights', request.weights, request.weightDtype), count);
  if (targets !== undefined) sameCount('targets', elements('targets', targets, 'F32'), count);
  if (gradients !== undefined && gradientScales === undefined)
    throw argumentError('gradientScales: absent although there are gradients');
  return count;
}

function heldBlock({ chain: before, segments, held }: HeldBlock): number {
  if (held.weights === '') throw argumentError('held: weights without a name');
  return before === undefined ? segmentsElements(segments) : chainBefore(before, segments);
}
