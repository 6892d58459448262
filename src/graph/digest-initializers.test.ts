import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dtypeBytes } from '../checkpoint/dtype.ts';
import { pairByHeaders } from './binding/pair/pair-by-headers.ts';
import { buildModel, floats, node } from './onnx/build-model.ts';
import { describeGraph, type GraphInitializer } from './describe-graph.ts';
import { digestInitializers, digestTransposed } from './digest-initializers.ts';
import { memoryGraphSource, type GraphSource } from './onnx/graph-source.ts';
import { onnxTypeOfDtype, type FloatDtype } from './onnx/onnx-dtype.ts';
import { transposeBytes } from './elements/transpose-bytes.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const numbered = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => (at * 131 + (at >> 8)) % 251);

/** A matrix in a file, cut at the given places. */
function stored(bytes: Uint8Array, shape: readonly number[], dtype: FloatDtype, cuts: readonly number[] = []) {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const file = Buffer.concat(
    places.slice(1).flatMap((end, i) => [Buffer.alloc(3, 0xee), bytes.subarray(places[i], end)]),
  );
  const spans = places
    .slice(1)
    .map((end, i) => ({ startBytes: places[i]! + 3 * (i + 1), lengthBytes: end - places[i]! }));
  const elementCount = shape.reduce((product, size) => product * size, 1);
  const initializer: GraphInitializer = {
    name: 'w',
    dtype,
    shape,
    elementCount,
    external: false,
    stored: { encoding: 'elements', spans, sizeBytes: bytes.length },
  };
  return { source: memoryGraphSource(file), initializer };
}

describe('digestTransposed', () => {
  test('is the digest of the transposed matrix, whatever its shape, type, pieces and band', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom<FloatDtype>('F32', 'F16', 'BF16', 'F64'),
        fc.array(fc.nat(), { maxLength: 4 }),
        fc.constantFrom(1, 64, 500, 2 ** 20),
        async (rows, columns, dtype, cuts, bandBytes) => {
          const elementBytes = dtypeBytes[dtype];
          const bytes = numbered(rows * columns * elementBytes);
          const { source, initializer } = stored(bytes, [rows, columns], dtype, cuts);
          expect(await digestTransposed(source, initializer, undefined, bandBytes)).toBe(
            sha256(transposeBytes(bytes, { rows, columns, elementBytes })),
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  test.each([
    [700, 611, [100_000, 2 ** 22]],
    [3, 200_000, [300_000, 2 ** 22]],
    [200_000, 3, [1, 800_000, 2 ** 22]],
  ])('also over several pieces: %i x %i', async (rows, columns, bands) => {
    const bytes = numbered(rows * columns * 4);
    const { source, initializer } = stored(bytes, [rows, columns], 'F32', [1_048_577]);
    const expected = sha256(transposeBytes(bytes, { rows, columns, elementBytes: 4 }));
    for (const bandBytes of bands)
      expect(await digestTransposed(source, initializer, undefined, bandBytes)).toBe(expected);
  });
});

describe('digestInitializers', () => {
  const words = {
    name: 'half',
    dims: [1n, 2n],
    dataType: onnxTypeOfDtype('F16'),
    int32Data: [Uint8Array.of(0x80, 0x78), Uint8Array.of(0x80, 0x80, 0x03)],
  };
  const bytes = buildModel({
    nodes: [node('Identity', ['x'], ['y'])],
    outputs: [],
    initializers: [floats('m', [2, 3], [1, 2, 3, 4, 5, 6]), words, floats('alone', [5], [1, 2, 3, 4, 5])],
  });
  const graph = describeGraph(bytes);
  const digestOf = (numbers: readonly number[]): string => sha256(new Uint8Array(Float32Array.from(numbers).buffer));
  const counted = () => {
    const whole = memoryGraphSource(bytes);
    const reads: number[] = [];
    const source: GraphSource = {
      ...whole,
      fill: (target, startBytes) => (reads.push(target.length), whole.fill(target, startBytes)),
    };
    return { source, reads };
  };

  test('reads initializers that a tensor could match, and transposes only if none matches directly', async () => {
    const tensors = [
      { name: 'a', dtype: 'F32', shape: [2, 3] } as const,
      { name: 'b', dtype: 'F32', shape: [3, 2] } as const,
    ];
    const headers = pairByHeaders({ graph, tensors });
    const held = counted();
    const plain = digestOf([1, 2, 3, 4, 5, 6]);
    const digests = new Map([
      ['a', plain],
      ['b', digestOf([9])],
    ]);
    expect([...(await digestInitializers(held.source, headers, digests))]).toEqual([['m', { plain }]]);
    expect(held.reads).toEqual([24]);
    const turned = counted();
    const others = new Map([...digests, ['a', digestOf([9])]]);
    const transposed = digestOf([1, 4, 2, 5, 3, 6]);
    expect([...(await digestInitializers(turned.source, headers, others))]).toEqual([['m', { transposed }]]);
    expect(turned.reads).toEqual([24, 24]);
    const none = counted();
    expect((await digestInitializers(none.source, headers, new Map())).size).toBe(0);
    expect(none.reads).toEqual([]);
  });

  test('reads 16-bit elements that are stored as varints, and refuses those that are none', async () => {
    const plain = sha256(Uint8Array.of(0x00, 0x3c, 0x00, 0xc0));
    const headers = pairByHeaders({ graph, tensors: [{ name: 'h', dtype: 'F16' as const, shape: [1, 2] }] });
    const digests = new Map([['h', plain]]);
    expect((await digestInitializers(memoryGraphSource(bytes), headers, digests)).get('half')).toEqual({ plain });
    const damaged = Uint8Array.from(bytes);
    damaged[damaged.indexOf(0x03, graph.initializers[1]!.stored!.spans[1]!.startBytes)] = 0x7f;
    await expect(digestInitializers(memoryGraphSource(damaged), headers, digests)).rejects.toMatchObject({
      code: 'graph-invalid',
    });
  });
});
