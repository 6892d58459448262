import { describe, expect, it } from 'vitest';

import {
  blockElementsMax,
  exactBytesMax,
  sketchWords,
  type CodebookOptions,
  type LatticeSegment,
  type Partition,
} from '../core.ts';
import { loadCore } from '../load-core.ts';

const core = loadCore({ threads: 1 });
const four = new Uint8Array(4);
const sketch = new BigUint64Array(sketchWords);
const pair = { weights: four, weightDtype: 'F32' } as const;
const partition: Partition = {
  protectMagnitudeMin: Infinity,
  protectSensitivityMin: Infinity,
  pruneMetric: 'magnitude',
  pruneBelow: 0,
};
const options: CodebookOptions = { clustering: 'optimal', weighting: 'frequency', sigma: 0.2, seed: 1n };
const map = { centroids: new Float32Array([0, 1]) };
const dequantize = {
  dtype: 'F32',
  table: new Uint8Array(1024),
  levelCount: 2,
  protectedWords: new Uint16Array(),
} as const;
const block = { current: four, modulus: 4 };
const segment: LatticeSegment = { elementCount: 1, exponent: -10, step: 9, shift: 0, offsets: [0, 0, 0], gain: 256 };
const lattice = { weights: four, dtype: 'F32', segments: [segment], deadZone: 128 } as const;
const coded = {
  ...pair,
  segments: lattice.segments,
  slots: new Uint32Array(1),
  deadZone: 128,
  chain: { links: [], start: new Int32Array(1) },
};
const counted = { counts: core.createContextCounts(), keep: false };
const counts = core.createTokenCounts();
const tables = counts.build();
const priced = { weighting: 'frequency', sigma: 0.2, bitPrice: 1 } as const;

type Untyped<T> = { [K in keyof T]: (...args: unknown[]) => unknown };

/** Calls as untyped JavaScript could make them. */
function untyped(
  call: (values: { core: Untyped<typeof core>; counts: Untyped<typeof counts> }) => unknown,
): () => unknown {
  return () =>
    call({ core: core as unknown as Untyped<typeof core>, counts: counts as unknown as Untyped<typeof counts> });
}

/** ArrayBuffer with the options of ECMAScript 2024. */
const ResizableArrayBuffer = ArrayBuffer as unknown as new (
  length: number,
  options: { maxByteLength: number },
) => ArrayBuffer;

/** The error that a call rejects with or throws. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    return { succeeded: await call() };
  } catch (error) {
    return error;
  }
}

describe('arguments outside their range', () => {
  it.each<[string, () => unknown]>([
    ['weights: 3 bytes', () => core.sketchValues({ weights: new Uint8Array(3), weightDtype: 'F32' }, sketch)],
    ['values: 3 bytes', () => core.convert(new Uint8Array(3), 'BF16', 'F32')],
    ['values dtype: F64', untyped(({ core }) => core.convert(four, 'F64', 'F32'))],
    ['result dtype: I8', untyped(({ core }) => core.convert(four, 'F32', 'I8'))],
    ['sketch: 5 entries', () => core.sketchValues({ weights: four, weightDtype: 'F32' }, new BigUint64Array(5))],
    [
      'gradients: 2 elements for 1',
      () => core.sketchSensitivity({ ...pair, gradients: four, gradientDtype: 'F16' }, sketch),
    ],
    ['gradientDtype: absent', () => core.sketchSensitivity({ ...pair, gradients: four }, sketch)],
    [
      'pruneMetric: size',
      untyped(({ core }) => core.sketchQuantized(pair, { ...partition, pruneMetric: 'size' }, sketch)),
    ],
    ['pruneBelow: NaN', () => core.sketchQuantized(pair, { ...partition, pruneBelow: NaN }, sketch)],
    ['protectMagnitudeMin: -1', () => core.assignLevels(pair, { ...partition, protectMagnitudeMin: -1 }, map)],
    ['fraction: 1', () => core.sketchTopThresholdSync(sketch, 1)],
    ['fraction: 0', () => core.sketchBottomThresholdSync(sketch, 0)],
    ['bins: 1', () => core.buildCodebook(sketch, 1, options)],
    ['bins: 257', () => core.buildCodebook(sketch, 257, options)],
    ['bins: 2.5', () => core.buildCodebook(sketch, 2.5, options)],
    ['sigma: 1.5', () => core.buildCodebook(sketch, 4, { ...options, sigma: 1.5 })],
    ['seed: -1', () => core.buildCodebook(sketch, 4, { ...options, seed: -1n })],
    ['seed: 18446744073709551616', () => core.buildCodebook(sketch, 4, { ...options, seed: 2n ** 64n })],
    ['clustering: best', untyped(({ core }) => core.buildCodebook(sketch, 4, { ...options, clustering: 'best' }))],
    ['bins: 1', () => core.buildEntropyCodebook(sketch, 1, priced)],
    ['sigma: 0', () => core.buildEntropyCodebook(sketch, 4, { ...priced, weighting: 'frequency-magnitude', sigma: 0 })],
    ['bitPrice: -1', () => core.buildEntropyCodebook(sketch, 4, { ...priced, bitPrice: -1 })],
    ['bitPrice: 1025', () => core.buildEntropyCodebook(sketch, 4, { ...priced, bitPrice: 1025 })],
    ['weighting: best', untyped(({ core }) => core.buildEntropyCodebook(sketch, 4, { ...priced, weighting: 'best' }))],
    [
      'boundaries: 0 between 2',
      () => core.assignLevels(pair, partition, { centroids: new Float32Array([1, 2]), boundaries: new Float32Array() }),
    ],
    [
      'boundaries: not finite',
      () =>
        core.assignLevels(pair, partition, {
          centroids: new Float32Array([1, 2]),
          boundaries: new Float32Array([NaN]),
        }),
    ],
    ['centroids: 0', () => core.assignLevels(pair, partition, { centroids: new Float32Array() })],
    [
      'centroids: 257',
      () => core.assignLevels(pair, partition, { centroids: Float32Array.from({ length: 257 }, (_, i) => i) }),
    ],
    ['increasing at index 1', () => core.assignLevels(pair, partition, { centroids: new Float32Array([1, 1]) })],
    ['increasing at index 0', () => core.assignLevels(pair, partition, { centroids: new Float32Array([NaN, 1]) })],
    ['prunedLevel: 1', () => core.assignLevels(pair, partition, { ...map, prunedLevel: 1 })],
    ['protectedLevel: 2', () => core.assignLevels(pair, partition, { ...map, prunedLevel: 2, protectedLevel: 2 })],
    ['protectedLevel: 256', () => core.assignLevels(pair, partition, { ...map, protectedLevel: 256 })],
    ['table: not 256', () => core.dequantize(four, { ...dequantize, table: new Uint8Array(512) })],
    ['levelCount: 0', () => core.dequantize(four, { ...dequantize, levelCount: 0 })],
    ['levelCount: 257', () => core.dequantize(four, { ...dequantize, levelCount: 257 })],
    ['protectedLevel: -1', () => core.dequantize(four, { ...dequantize, protectedLevel: -1 })],
    ['current length: 131073', () => counts.add({ current: new Uint8Array(blockElementsMax + 1), modulus: 4 })],
    ['previous: 3 levels for 4', () => counts.add({ ...block, previous: new Uint8Array(3) })],
    ['modulus: 0', () => tables.encode({ ...block, modulus: 0 })],
    ['modulus: 257', () => tables.encode({ ...block, modulus: 257 })],
    ['elementCount: 131073', () => tables.decode(four, { elementCount: blockElementsMax + 1, modulus: 4 })],
    ['elementCount: -1', () => tables.decode(four, { elementCount: -1, modulus: 4 })],
    ['previous: 4 levels for 5', () => tables.decode(four, { previous: four, elementCount: 5, modulus: 4 })],
    ['current: 3 bytes', () => core.exactEncode({ current: new Uint8Array(3), kind: 'f32' })],
    ['kind: f8', untyped(({ core }) => core.exactEncode({ current: four, kind: 'f8' }))],
    ['block bytes: 16777217', () => core.exactEncode({ current: new Uint8Array(exactBytesMax + 1), kind: 'bytes' })],
    [
      'previous: 4 bytes for a block of 8',
      () => core.exactDecode(four, { previous: four, kind: 'f64', elementCount: 1 }),
    ],
    [
      'into length: 4 is not a whole number in 8..8',
      () => core.exactDecode(four, { into: four, kind: 'f64', elementCount: 1 }),
    ],
    ['block bytes: 16777224', () => core.exactDecode(four, { kind: 'f64', elementCount: exactBytesMax / 8 + 1 })],
    [
      'weights: 1 elements for segments of 2',
      () => core.latticeQuantize({ ...lattice, segments: [{ ...segment, elementCount: 2 }] }),
    ],
    ['deadZone: 1025', () => core.latticeQuantize({ ...lattice, deadZone: 1025 })],
    ['elementCount: 0', () => core.latticeContexts({ segments: [{ ...segment, elementCount: 0 }] })],
    ['exponent: -127', () => core.latticeContexts({ segments: [{ ...segment, exponent: -127 }] })],
    ['exponent: 105', () => core.latticeContexts({ segments: [{ ...segment, exponent: 105 }] })],
    ['step: 0', () => core.latticeContexts({ segments: [{ ...segment, step: 0 }] })],
    ['step: 65536', () => core.latticeContexts({ segments: [{ ...segment, step: 65536 }] })],
    ['shift: 16', () => core.latticeContexts({ segments: [{ ...segment, shift: 16 }] })],
    ['offset: -9', () => core.latticeContexts({ segments: [{ ...segment, offsets: [0, 0, -9] }] })],
    ['offsets length: 2', untyped(({ core }) => core.latticeContexts({ segments: [{ ...segment, offsets: [0, 0] }] }))],
    ['gain: 1024', () => core.latticeContexts({ segments: [{ ...segment, gain: 1024 }] })],
    [
      'elements of all segments: 131073',
      () => core.latticeContexts({ segments: [segment, { ...segment, elementCount: blockElementsMax }] }),
    ],
    [
      'previous values: 2 elements for segments of 1',
      () => core.latticeContexts({ ...lattice, previous: { values: new Int32Array(2), activity: new Uint8Array(1) } }),
    ],
    [
      'previous activity: 4 elements',
      () => core.latticeContexts({ ...lattice, previous: { values: new Int32Array(1), activity: four } }),
    ],
    [
      'symbols: 4 elements for segments of 1',
      () => core.latticeApply({ symbols: four, escapes: new Uint32Array() }, lattice),
    ],
    ['elements: 2 elements for segments of 1', () => core.latticePlace(four, lattice.segments, 'BF16')],
    ['elements dtype: I8', untyped(({ core }) => core.latticePlace(four, lattice.segments, 'I8'))],
    ['values: 2 elements for segments of 1', () => core.latticeValues(new Int32Array(2), lattice.segments, 'F32')],
    ['result dtype: I8', untyped(({ core }) => core.latticeValues(new Int32Array(1), lattice.segments, 'I8'))],
    [
      'gradientScales: absent',
      () => core.residualQuantize({ ...coded, gradients: four, gradientDtype: 'F32' }, counted),
    ],
    [
      'gradientScales: 2 elements for segments of 1',
      () =>
        core.residualQuantize(
          { ...coded, gradients: four, gradientDtype: 'F32', gradientScales: new Float32Array(2) },
          counted,
        ),
    ],
    [
      'origins: 2 elements for segments of 1',
      () => core.residualQuantize({ ...coded, chain: { links: [], start: new Int32Array(2) } }, counted),
    ],
    [
      'slots: 0 elements for segments of 1',
      () => core.residualQuantize({ ...coded, slots: new Uint32Array() }, counted),
    ],
    [
      'rates: 3 elements for segments of 108',
      () => core.residualCodedElements({ ...coded, rates: new Uint8Array(3) }, 'F32'),
    ],
    [
      'targets: 2 elements for segments of 1',
      () => core.residualCodedElements({ ...coded, targets: new Uint8Array(8) }, 'F32'),
    ],
    ['into length: 4 is not a whole number in 2..2', () => core.residualCodedElements(coded, 'BF16', { into: four })],
    ['links: 0', () => core.residualState(coded.chain)],
    ['counts: 3 elements in all', () => core.weightMoments(pair, Uint32Array.of(1, 2))],
    ['seed: 4294967296', () => core.crc32cSync(four, 2 ** 32)],
    ['invalid_argument', () => counts.merge(counts)],
    ['invalid_argument', () => counts.add({ current: Uint8Array.of(4), modulus: 4 })],
  ])('are named: %s', async (detail, call) => {
    expect(await failureOf(call)).toMatchObject({
      name: 'FirnError',
      code: 'native-failure',
      detail: expect.stringContaining(detail),
    });
  });
});

describe('arguments of the wrong type', () => {
  const { add } = counts;
  it.each<[string, () => unknown]>([
    [
      'an array for bytes',
      untyped(({ core }) => core.sketchValues({ weights: [1, 2, 3, 4], weightDtype: 'F32' }, sketch)),
    ],
    ['floats for bytes', untyped(({ core }) => core.convert(new Float32Array(4), 'F32', 'F16'))],
    [
      'floats for a sketch',
      untyped(({ core }) => core.sketchValues({ weights: four, weightDtype: 'F32' }, new Float64Array(sketchWords))),
    ],
    [
      'doubles for centroids',
      untyped(({ core }) => core.assignLevels(pair, partition, { centroids: new Float64Array(2) })),
    ],
    ['bytes for words', untyped(({ core }) => core.dequantize(four, { ...dequantize, protectedWords: four }))],
    ['a number for a seed', untyped(({ core }) => core.buildCodebook(sketch, 4, { ...options, seed: 1 }))],
    ['no gradients for sensitivity', () => core.sketchSensitivity(pair, sketch)],
    [
      'a resizable buffer',
      () =>
        core.exactEncode({ current: new Uint8Array(new ResizableArrayBuffer(4, { maxByteLength: 8 })), kind: 'bytes' }),
    ],
    ['undefined for a block', untyped(({ counts }) => counts.add(undefined))],
    ['undefined for a payload', untyped(({ core }) => core.exactIsStandaloneSync(undefined))],
    [
      'bytes for escapes',
      untyped(({ core }) => core.latticeApply({ symbols: new Uint8Array(1), escapes: four }, lattice)),
    ],
    ['floats for values', untyped(({ core }) => core.latticeValues(new Float32Array(1), lattice.segments, 'F32'))],
    ['undefined for segments', untyped(({ core }) => core.latticeContexts({}))],
    ['a string for tables', untyped(({ core }) => core.parseTokenTables('tables'))],
    ['a number for a path', untyped(({ core }) => core.mapFileSync(3))],
    ['a null character in a path', () => core.mapFileSync('a\0b')],
    ['other counts for merge', untyped(({ counts }) => counts.merge({}))],
    ['tables for merge', untyped(({ counts }) => counts.merge(tables))],
    ['counts for build', () => Object.getPrototypeOf(counts).build.call(tables)],
    ['nothing for add', untyped(() => add.call({} as never, block))],
  ])('are a TypeError: %s', async (_, call) => {
    expect(await failureOf(call)).toBeInstanceOf(TypeError);
  });
});
