import { dtypeBytes, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import { bitPriceMax } from '../../checkpoint/options/methods/inshrinkerator-config.ts';
import {
  blockElementsMax,
  contextSlotsMax,
  exactBytesMax,
  sketchWords,
  type CodebookOptions,
  type ContextBlock,
  type ContextLayout,
  type DequantizeRequest,
  type ElementKind,
  type EntropyOptions,
  type ExactDecodeRequest,
  type LevelBlock,
  type LevelMap,
  type Partition,
  type Sketch,
  type WeightBlock,
} from '../core.ts';
import { elementKindBytes, nativeNumbers } from './native-numbers.ts';
import { argumentError } from './native-status.ts';

/**
 * The checks of every native call before it crosses the seam. A value of the wrong type is a TypeError. A value outside
 * a range stated in core.ts is a FirnError `native-failure` whose detail names it. All are O(1) except for level maps
 * (at most 256 entries of each kind).
 */
export const checkArguments = {
  bytes,
  elements,
  sketch,
  weightBlock,
  parts,
  partition,
  fraction,
  codebook,
  entropyCodebook,
  levelMap,
  dequantize,
  levelTable,
  levelBlock,
  levelCoding,
  levelDecode,
  exactBlock,
  exactDecode,
  uint32,
  typed,
  integer,
  contextLayout,
  contextSegments,
  contextBlock,
  contextSlots,
};

const levelsMax = 256;
/** Entries of a dequantization table. */
const tableElements = 256;

function bytes(name: string, value: Uint8Array): void {
  typed(name, value, Uint8Array);
}

function typed(
  name: string,
  value: ArrayBufferView,
  type: { new (...args: never[]): ArrayBufferView; readonly name: string },
): void {
  if (!(value instanceof type)) throw new TypeError(`${name} must be a ${type.name}`);
  // Its memory could be freed while a job reads it.
  if ((value.buffer as { resizable?: boolean }).resizable === true)
    throw new TypeError(`${name} must not be a view of a resizable buffer`);
}

function known<T extends string>(name: string, value: T, numbers: Readonly<Record<T, number>>): void {
  if (!Object.hasOwn(numbers, value))
    throw argumentError(`${name}: ${String(value)} is not one of ${Object.keys(numbers).join(', ')}`);
}

function integer(name: string, value: number, minimum: number, maximum: number): void {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return;
  throw argumentError(`${name}: ${value} is not a whole number in ${minimum}..${maximum}`);
}

function uint32(name: string, value: number): void {
  integer(name, value, 0, 0xffff_ffff);
}

/** Returns the number of elements. */
function elements(name: string, value: Uint8Array, dtype: QuantizableDtype): number {
  bytes(name, value);
  known(`${name} dtype`, dtype, nativeNumbers.dtype);
  return wholeElements(name, value, dtypeBytes[dtype]);
}

function wholeElements(name: string, value: Uint8Array, elementBytes: number): number {
  if (value.byteLength % elementBytes !== 0) {
    throw argumentError(`${name}: ${value.byteLength} bytes are not whole elements of ${elementBytes} bytes`);
  }
  return value.byteLength / elementBytes;
}

function sketch(value: Sketch): void {
  typed('sketch', value, BigUint64Array);
  if (value.length !== sketchWords) throw argumentError(`sketch: ${value.length} entries instead of ${sketchWords}`);
}

function weightBlock(pair: WeightBlock): void {
  const count = elements('weights', pair.weights, pair.weightDtype);
  if (pair.gradients === undefined) return;
  if (pair.gradientDtype === undefined) throw argumentError('gradientDtype: absent although there are gradients');
  const gradientCount = elements('gradients', pair.gradients, pair.gradientDtype);
  if (gradientCount !== count) throw argumentError(`gradients: ${gradientCount} elements for ${count} weights`);
}

function parts({ weights, weightDtype }: WeightBlock, counts: Uint32Array): void {
  typed('counts', counts, Uint32Array);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total !== weights.byteLength / dtypeBytes[weightDtype])
    throw argumentError(`counts: ${total} elements in all, but not as many weights`);
}

function partition(value: Partition): void {
  known('pruneMetric', value.pruneMetric, nativeNumbers.metric);
  for (const name of ['protectMagnitudeMin', 'protectSensitivityMin', 'pruneBelow'] as const) {
    // Also refuses NaN.
    if (!(value[name] >= 0)) throw argumentError(`${name}: ${value[name]} is not a threshold of at least 0`);
  }
}

function fraction(value: number): void {
  if (!(value > 0 && value < 1)) throw argumentError(`fraction: ${value} is not between 0 and 1`);
}

function codebook(bins: number, options: CodebookOptions): void {
  integer('bins', bins, 2, levelsMax);
  known('clustering', options.clustering, nativeNumbers.clustering);
  known('weighting', options.weighting, nativeNumbers.weighting);
  if (!(options.sigma >= 0 && options.sigma <= 1)) throw argumentError(`sigma: ${options.sigma} is not in 0..1`);
  if (typeof options.seed !== 'bigint') throw new TypeError('seed must be a bigint');
  if (options.seed !== BigInt.asUintN(64, options.seed))
    throw argumentError(`seed: ${options.seed} does not fit 64 bits`);
}

function entropyCodebook(bins: number, options: EntropyOptions): void {
  integer('bins', bins, 2, levelsMax);
  known('weighting', options.weighting, nativeNumbers.weighting);
  // Every bucket must have weight.
  const sigmaMin = options.weighting === 'frequency' ? 0 : 2 ** -20;
  if (!(options.sigma >= sigmaMin && options.sigma <= 1))
    throw argumentError(`sigma: ${options.sigma} is not in ${sigmaMin}..1`);
  if (!(options.bitPrice >= 0 && options.bitPrice <= bitPriceMax))
    throw argumentError(`bitPrice: ${options.bitPrice} is not in 0..${bitPriceMax}`);
}

function levelMap({ centroids, boundaries, prunedLevel, protectedLevel }: LevelMap): void {
  integer('centroids', increasing('centroids', centroids), 1, levelsMax);
  if (boundaries !== undefined && increasing('boundaries', boundaries) !== centroids.length - 1) {
    throw argumentError(`boundaries: ${boundaries.length} between ${centroids.length} centroids`);
  }
  if (prunedLevel !== undefined) integer('prunedLevel', prunedLevel, centroids.length, levelsMax - 1);
  if (protectedLevel !== undefined) {
    integer(
      'protectedLevel',
      protectedLevel,
      prunedLevel === undefined ? centroids.length : prunedLevel + 1,
      levelsMax - 1,
    );
  }
}

/** Returns their number. */
function increasing(name: string, values: Float32Array): number {
  typed(name, values, Float32Array);
  for (let i = 0; i < Math.min(values.length, levelsMax); i++) {
    const value = values[i]!;
    if (!Number.isFinite(value) || (i > 0 && value <= values[i - 1]!))
      throw argumentError(`${name}: not finite and strictly increasing at index ${i}`);
  }
  return values.length;
}

function dequantize(levels: Uint8Array, request: DequantizeRequest): void {
  bytes('levels', levels);
  levelTable(request);
  if (request.protectedLevel !== undefined) integer('protectedLevel', request.protectedLevel, 0, levelsMax - 1);
  typed('protectedWords', request.protectedWords, Uint16Array);
}

function levelTable({ table, dtype, levelCount }: Pick<DequantizeRequest, 'table' | 'dtype' | 'levelCount'>): void {
  if (elements('table', table, dtype) !== tableElements) {
    throw argumentError(`table: not ${tableElements} elements of ${dtype}`);
  }
  integer('levelCount', levelCount, 1, levelsMax);
}

function levelBlock(block: LevelBlock): void {
  bytes('current', block.current);
  integer('current length', block.current.length, 0, blockElementsMax);
  previousLevels(block.previous, block.current.length);
  integer('modulus', block.modulus, 1, levelsMax);
}

/** Of weights that were checked. */
function levelCoding(
  { weights, weightDtype }: WeightBlock,
  { previous, modulus }: { previous: Uint8Array | undefined; modulus: number },
): void {
  const count = weights.length / dtypeBytes[weightDtype];
  integer('elements of a block', count, 0, blockElementsMax);
  previousLevels(previous, count);
  integer('modulus', modulus, 1, levelsMax);
}

function levelDecode(
  payload: Uint8Array,
  request: { previous?: Uint8Array; elementCount: number; modulus: number },
): void {
  bytes('payload', payload);
  integer('elementCount', request.elementCount, 0, blockElementsMax);
  previousLevels(request.previous, request.elementCount);
  integer('modulus', request.modulus, 1, levelsMax);
}

function previousLevels(previous: Uint8Array | undefined, count: number): void {
  if (previous === undefined) return;
  bytes('previous', previous);
  if (previous.length !== count) throw argumentError(`previous: ${previous.length} levels for ${count} elements`);
}

function contextLayout({ contexts, segments }: ContextLayout): void {
  bytes('contexts', contexts);
  integer('contexts length', contexts.length, 0, blockElementsMax);
  contextSegments(segments);
}

function contextSegments(segments: ContextLayout['segments']): void {
  typed('segment counts', segments.counts, Uint32Array);
  typed('segment slots', segments.slots, Uint32Array);
  integer('segments', segments.counts.length, 0, blockElementsMax);
  if (segments.slots.length !== segments.counts.length) {
    throw argumentError(`segments: ${segments.slots.length} slots for ${segments.counts.length} counts`);
  }
}

function contextBlock(block: ContextBlock): void {
  contextLayout(block);
  bytes('symbols', block.symbols);
  typed('escapes', block.escapes, Uint32Array);
  if (block.symbols.length !== block.contexts.length) {
    throw argumentError(`symbols: ${block.symbols.length} for ${block.contexts.length} contexts`);
  }
}

function contextSlots(slots: number): void {
  integer('slots', slots, 0, contextSlotsMax);
}

function exactBlock(current: Uint8Array, previous: Uint8Array | undefined, kind: ElementKind): void {
  known('kind', kind, nativeNumbers.elementKind);
  bytes('current', current);
  wholeElements('current', current, elementKindBytes[kind]);
  exactBytes(previous, current.byteLength);
}

function exactDecode(payload: Uint8Array, { previous, kind, elementCount, into }: ExactDecodeRequest): void {
  known('kind', kind, nativeNumbers.elementKind);
  bytes('payload', payload);
  integer('elementCount', elementCount, 0, exactBytesMax);
  const sizeBytes = elementCount * elementKindBytes[kind];
  exactBytes(previous, sizeBytes);
  if (into === undefined) return;
  bytes('into', into);
  integer('into length', into.length, sizeBytes, sizeBytes);
}

function exactBytes(previous: Uint8Array | undefined, sizeBytes: number): void {
  integer('block bytes', sizeBytes, 0, exactBytesMax);
  if (previous === undefined) return;
  bytes('previous', previous);
  if (previous.byteLength !== sizeBytes)
    throw argumentError(`previous: ${previous.byteLength} bytes for a block of ${sizeBytes}`);
}
