import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LayerType } from '../../../src/checkpoint/layer-type.ts';
import { adaptiveUniform, greedyRange } from './adaptive-uniform.ts';
import type { Comparator, DecodedState, TensorValues } from './comparator.ts';
import { bitWidths, entropyUniform } from './entropy-uniform.ts';
import { clusterL1, plainKmeans } from './plain-kmeans.ts';

function tensor(values: ArrayLike<number>, layerType: LayerType = 'linear'): TensorValues {
  return { name: 'w', layerType, values: Float32Array.from(values), elementCount: values.length };
}

const weights = fc.float32Array({
  minLength: 1,
  maxLength: 200,
  min: -4,
  max: 4,
  noNaN: true,
  noDefaultInfinity: true,
});

/** Encodes and decodes with only bytes, shapes and the previous state. */
function roundTrip<Knob>(
  comparator: Comparator<Knob>,
  tensors: readonly TensorValues[],
  knob: Knob,
  previous?: DecodedState,
): DecodedState {
  const shapes = tensors.map(({ name, layerType, elementCount }) => ({ name, layerType, elementCount }));
  return comparator.decode(comparator.encode(tensors, knob, previous), shapes, previous);
}

function extent(values: Float32Array): number {
  return Math.max(...values) - Math.min(...values);
}

describe('plain k-means', () => {
  test('a worked example: equally full bins, then nearest means', () => {
    expect([...clusterL1(Float32Array.of(0, 0, 0, 0, 9, 11), 2)]).toEqual([0, 10]);
    expect(new Set(clusterL1(Float32Array.of(5, 5, 5), 8))).toEqual(new Set([5]));
  });

  test('outliers come back exactly, all others as the nearest centroid', () => {
    const inner = Array.from({ length: 999 }, (_, i) => ((i * 37) % 100) / 100);
    const { values, bins } = roundTrip(plainKmeans, [tensor([...inner, 40])], { bins: 8, embeddingBins: 16 });
    expect(values[0]![999]).toBe(40);
    const centroids = [...new Set(values[0]!.subarray(0, 999))];
    expect(centroids).toHaveLength(8);
    for (const [i, value] of inner.entries()) {
      const best = Math.min(...centroids.map((centroid) => Math.abs(centroid - value)));
      expect(Math.abs(values[0]![i]! - value)).toBeCloseTo(best, 6);
    }
    expect(Math.max(...bins![0]!)).toBe(7);
  });

  test('embeddings have a bin count of their own', () => {
    const values = Array.from({ length: 300 }, (_, i) => i);
    const { values: rebuilt } = roundTrip(plainKmeans, [tensor(values), tensor(values, 'embedding')], {
      bins: 8,
      embeddingBins: 32,
    });
    expect(rebuilt.map((each) => new Set(each).size)).toEqual([8, 32]);
  });
});

describe('adaptive uniform', () => {
  test('a range without outliers stays whole, one with an outlier is narrowed', () => {
    const even = Array.from({ length: 256 }, (_, i) => i / 255);
    expect(greedyRange(Float32Array.from(even), 256)).toEqual({ min: 0, max: 1 });
    const { min, max } = greedyRange(Float32Array.from([...Array.from({ length: 50 }, () => even).flat(), 2]), 8);
    expect(min).toBeLessThan(0.2);
    expect(max).toBeLessThan(1.3);
  });

  test('a worked example: four values on eight levels', () => {
    const { values, bins } = roundTrip(adaptiveUniform, [tensor([0, 1, 6, 7])], 8);
    expect([...values[0]!]).toEqual([0, 1, 6, 7]);
    expect([...bins![0]!]).toEqual([0, 1, 6, 7]);
  });

  test('256 levels are within half a step where nothing is clipped', () => {
    fc.assert(
      fc.property(weights, (values) => {
        const { min, max } = greedyRange(values, 256);
        const { values: rebuilt } = roundTrip(adaptiveUniform, [tensor(values)], 256);
        for (const [i, value] of values.entries()) {
          const clipped = Math.min(max, Math.max(min, value));
          expect(Math.abs(rebuilt[0]![i]! - clipped)).toBeLessThanOrEqual((max - min) / 255 / 2 + 1e-5);
        }
      }),
    );
  });
});

describe('entropy-based uniform', () => {
  const peaked = { values: Float32Array.from([...new Array<number>(1000).fill(0), 1]) };
  const even = { values: Float32Array.from({ length: 1000 }, (_, i) => i) };

  test('the tensor of the least entropy has the fewest bins, that of the most the most', () => {
    expect(bitWidths([peaked, even], { binsMin: 8, binsMax: 64 })).toEqual([3, 6]);
    expect(bitWidths([even], { binsMin: 8, binsMax: 64 })).toEqual([3]);
  });

  test('bins that stay cost a table, whatever they are', () => {
    const first = roundTrip(entropyUniform, [tensor(even.values)], { binsMin: 16, binsMax: 16 });
    const bytes = entropyUniform.encode([tensor(even.values)], { binsMin: 16, binsMax: 16 }, first);
    expect(bytes.length).toBeLessThan(16);
    expect(entropyUniform.decode(bytes, [tensor(even.values)], first).values).toEqual(first.values);
  });

  test('differences survive any change of the number of bins', () => {
    fc.assert(
      fc.property(weights, fc.constantFrom(8, 64, 256), fc.constantFrom(8, 64, 256), (values, before, after) => {
        const first = roundTrip(entropyUniform, [tensor(values)], { binsMin: before, binsMax: before });
        const moved = values.map((value, i) => value * (1 + (i % 5) / 10));
        const second = roundTrip(entropyUniform, [tensor(moved)], { binsMin: after, binsMax: after }, first);
        for (const [i, value] of moved.entries())
          expect(Math.abs(second.values[0]![i]! - value)).toBeLessThanOrEqual(extent(moved) / (after - 1) / 2 + 1e-5);
      }),
    );
  });
});
