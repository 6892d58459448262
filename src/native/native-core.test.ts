import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { quantizableDtypes } from '../checkpoint/dtype.ts';
import {
  blockElementsMax,
  sketchWords,
  sketchZerosIndex,
  type ElementKind,
  type LevelBlock,
  type Partition,
  type WeightBlock,
} from './core.ts';
import { loadCore } from './load-core.ts';
import { elementKindBytes } from './check/native-numbers.ts';
import {
  bf16Bits,
  binOf,
  crc32cOf,
  f32Bits,
  f32FromBits,
  fateOf,
  huffmanBits,
  randomNumbers,
  randomWeights,
  sensitivity,
  sketchOf,
  tokensOf,
  valuesOf,
} from './reference.test-support.ts';

const core = loadCore({ threads: 2 });
const nothing: Partition = {
  protectMagnitudeMin: Infinity,
  protectSensitivityMin: Infinity,
  pruneMetric: 'magnitude',
  pruneBelow: 0,
};
const count = 5000;
const pairs = quantizableDtypes.flatMap((weightDtype) =>
  [undefined, ...quantizableDtypes].map((gradientDtype): WeightBlock => {
    const weights = randomWeights(count, weightDtype, 1);
    return gradientDtype === undefined
      ? { weights, weightDtype }
      : { weights, weightDtype, gradients: randomWeights(count, gradientDtype, 2), gradientDtype };
  }),
);
const partitions: Partition[] = [
  nothing,
  { protectMagnitudeMin: 0.08, protectSensitivityMin: 0.005, pruneMetric: 'magnitude', pruneBelow: 0.01 },
  { protectMagnitudeMin: Infinity, protectSensitivityMin: 0.003, pruneMetric: 'sensitivity', pruneBelow: 0.0001 },
];
const cases = pairs.flatMap((pair) =>
  partitions.map((partition) => ({
    name:
      `${pair.weightDtype} weights, ${pair.gradientDtype ?? 'no'} gradients, partition ` +
      `${partitions.indexOf(partition)}`,
    pair,
    partition,
  })),
);

function weightsOf(pair: WeightBlock): [weights: number[], gradients: number[] | undefined] {
  return [valuesOf(pair.weights, pair.weightDtype), pair.gradients && valuesOf(pair.gradients, pair.gradientDtype!)];
}

describe('sketches', () => {
  it.each(quantizableDtypes)('count every %s value in its bucket', async (dtype) => {
    const values = randomWeights(count, dtype, 3);
    values.fill(0, 0, 40);
    const sketch = new BigUint64Array(sketchWords);
    await core.sketchValues({ weights: values, weightDtype: dtype }, sketch);
    expect(sketch).toEqual(sketchOf(valuesOf(values, dtype)));
    expect(sketch[sketchZerosIndex]).toBeGreaterThanOrEqual(10n);
  });

  it('count NaN and infinity apart', async () => {
    const values = new Float32Array([NaN, Infinity, -Infinity, 0, -0, 1e-45, -3]);
    const sketch = new BigUint64Array(sketchWords);
    await core.sketchValues({ weights: new Uint8Array(values.buffer), weightDtype: 'F32' }, sketch);
    expect(sketch).toEqual(sketchOf(values));
  });

  it('hold |g * w| for sensitivity', async () => {
    for (const pair of pairs.filter(({ gradients }) => gradients !== undefined)) {
      const [weights, gradients] = weightsOf(pair);
      const sketch = new BigUint64Array(sketchWords);
      await core.sketchSensitivity(pair, sketch);
      expect(sketch).toEqual(sketchOf(weights.map((w, i) => sensitivity(w, gradients![i]!))));
    }
  });

  it.each(cases)('contain the weights that a partition leaves: $name', async ({ pair, partition }) => {
    const [weights, gradients] = weightsOf(pair);
    const sketch = new BigUint64Array(sketchWords);
    await core.sketchQuantized(pair, rounded(partition), sketch);
    expect(sketch).toEqual(
      sketchOf(weights.filter((w, i) => fateOf(w, gradients?.[i], rounded(partition)) === 'quantized')),
    );
  });

  it('give the thresholds that hold the largest share inside a fraction', async () => {
    const values = randomWeights(20_000, 'F32', 4);
    const sketch = new BigUint64Array(sketchWords);
    await core.sketchValues({ weights: values, weightDtype: 'F32' }, sketch);
    const magnitudes = valuesOf(values, 'F32').map(Math.abs);
    for (const fraction of [0.0005, 0.01, 0.3, 0.5]) {
      const top = core.sketchTopThresholdSync(sketch, fraction);
      const bottom = core.sketchBottomThresholdSync(sketch, fraction);
      const share = (keep: (m: number) => boolean) => magnitudes.filter(keep).length / magnitudes.length;
      const nextBelow = bucketOf(Math.max(...magnitudes.filter((m) => m < top)));
      expect(share((m) => m >= top)).toBeLessThanOrEqual(fraction);
      expect(share((m) => m >= nextBelow.from)).toBeGreaterThan(fraction);
      const nextAbove = bucketOf(Math.min(...magnitudes.filter((m) => m >= bottom)));
      expect(share((m) => m < bottom)).toBeLessThanOrEqual(fraction);
      expect(share((m) => m < nextAbove.to)).toBeGreaterThan(fraction);
    }
  });
});

/** The magnitudes that share a bucket with `magnitude`: from..to, `to` exclusive. */
function bucketOf(magnitude: number): { from: number; to: number } {
  const key = f32Bits(magnitude) >>> 17;
  return { from: f32FromBits(key << 17), to: f32FromBits((key + 1) << 17) };
}

/** Thresholds cross the seam as binary32. */
function rounded(partition: Partition): Partition {
  const { protectMagnitudeMin, protectSensitivityMin, pruneBelow } = partition;
  return {
    ...partition,
    protectMagnitudeMin: Math.fround(protectMagnitudeMin),
    protectSensitivityMin: Math.fround(protectSensitivityMin),
    pruneBelow: Math.fround(pruneBelow),
  };
}

describe('codebooks', () => {
  const options = { clustering: 'optimal', weighting: 'frequency', sigma: 0.2, seed: 7n } as const;

  it('have the buckets themselves as centroids when there are no more buckets than bins', async () => {
    const buckets = [-0.5, -0.125, 0.25, 1].map((value) => new Float32Array(5).fill(value));
    const sketch = sketchOf(buckets.flatMap((values) => [...values]));
    const centroids = await core.buildCodebook(sketch, 8, options);
    expect(centroids).toHaveLength(4);
    expect([...centroids].map((c) => Number(c.toPrecision(2)))).toEqual([-0.5, -0.13, 0.25, 1]);
  });

  it.each(['kmeanspp', 'optimal'] as const)(
    'of %s rise strictly, stay within bins and repeat exactly',
    async (clustering) => {
      const sketch = sketchOf(valuesOf(randomWeights(20_000, 'F32', 5), 'F32'));
      for (const bins of [2, 5, 16, 256]) {
        const options = { clustering, weighting: 'frequency-magnitude', sigma: 0.2, seed: 2n ** 64n - 1n } as const;
        const centroids = await core.buildCodebook(sketch, bins, options);
        expect(centroids.length).toBeGreaterThan(0);
        expect(centroids.length).toBeLessThanOrEqual(bins);
        expect(centroids.every((c, i) => i === 0 || c > centroids[i - 1]!)).toBe(true);
        expect(await core.buildCodebook(sketch, bins, options)).toEqual(centroids);
      }
    },
  );

  it('that are entropy-constrained have cells with these boundaries, and need fewer bits than k-means', async () => {
    const weights = randomWeights(20_000, 'F32', 5);
    const sketch = sketchOf(valuesOf(weights, 'F32'));
    const nothing = {
      protectMagnitudeMin: Infinity,
      protectSensitivityMin: Infinity,
      pruneMetric: 'magnitude',
      pruneBelow: 0,
    } as const;
    const bitsAt = async (bitPrice: number) => {
      const cells = await core.buildEntropyCodebook(sketch, 16, { weighting: 'frequency', sigma: 0.2, bitPrice });
      expect(cells.boundaries).toHaveLength(cells.centroids.length - 1);
      const { levels } = await core.assignLevels({ weights, weightDtype: 'F32' }, nothing, cells);
      const bins = valuesOf(weights, 'F32').map(
        (value) => cells.boundaries.filter((boundary) => value >= boundary).length,
      );
      expect([...levels]).toEqual([...bins]);
      return entropyBits(levels);
    };
    expect(await bitsAt(2)).toBeLessThan((await bitsAt(0)) - 0.3);
  });

  it('are best possible when optimal', async () => {
    const random = randomNumbers(6);
    const values = Array.from({ length: 9 }, () => Math.fround(random() - 0.5)).sort((a, b) => a - b);
    const sketch = sketchOf(values);
    const midpoints = [...sketch.slice(0, 32768)]
      .flatMap((times, key) => Array.from({ length: Number(times) }, () => f32FromBits(((key << 17) | 0x10000) >>> 0)))
      .sort((a, b) => a - b);
    const centroids = await core.buildCodebook(sketch, 3, options);
    expect(distortion(midpoints, [...centroids])).toBeCloseTo(bestDistortion(midpoints, 3), 6);
  });
});

/** Order-0 entropy, in bits a level. */
function entropyBits(levels: Uint8Array): number {
  const counts = new Map<number, number>();
  for (const level of levels) counts.set(level, (counts.get(level) ?? 0) + 1);
  return [...counts.values()].reduce(
    (sum, count) => sum - (count / levels.length) * Math.log2(count / levels.length),
    0,
  );
}

function distortion(values: number[], centroids: number[]): number {
  return values.reduce((sum, value) => sum + Math.min(...centroids.map((c) => (value - c) ** 2)), 0);
}

/** The least distortion over all ways to cut sorted `values` into `parts` runs. */
function bestDistortion(values: number[], parts: number): number {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  if (parts === 1) return distortion(values, [mean]);
  let best = Infinity;
  for (let cut = 1; cut < values.length; cut++) {
    best = Math.min(best, bestDistortion(values.slice(0, cut), 1) + bestDistortion(values.slice(cut), parts - 1));
  }
  return best;
}

describe('assignment', () => {
  const centroids = new Float32Array([-0.06, -0.02, 0.001, 0.03, 0.07]);
  const map = { centroids, prunedLevel: 5, protectedLevel: 6 };

  it.each(cases)('gives each weight its level and keeps the protected words: $name', async ({ pair, partition }) => {
    const [weights, gradients] = weightsOf(pair);
    const fates = weights.map((w, i) => fateOf(w, gradients?.[i], rounded(partition)));
    const { levels, protectedWords } = await core.assignLevels(pair, partition, map);
    expect([...levels]).toEqual(
      weights.map((w, i) => ({ protected: 6, pruned: 5, quantized: binOf(w, centroids) })[fates[i]!]),
    );
    const words =
      pair.weightDtype === 'F16' ? new Uint16Array(pair.weights.buffer) : Uint16Array.from(weights, bf16Bits);
    expect([...protectedWords]).toEqual([...words].filter((_, i) => fates[i] === 'protected'));
  });

  it.each(cases)('stands for the elements that its levels are rebuilt to: $name', async ({ pair, partition }) => {
    const dtype = pair.weightDtype;
    const table = { dtype, table: randomWeights(256, dtype, 12), levelCount: 7 };
    const { levels, protectedWords } = await core.assignLevels(pair, partition, map);
    const rebuilt = await core.dequantize(levels, { ...table, protectedLevel: 6, protectedWords });
    expect(await core.codebookElements(pair, partition, { ...table, map })).toEqual(rebuilt);
    await expect(core.codebookElements(pair, partition, { ...table, levelCount: 2, map })).rejects.toMatchObject({
      code: expect.stringMatching('corrupt-package|native-failure'),
    });
  });

  it('reads weights at odd addresses', async () => {
    const weights = randomWeights(count, 'F32', 8);
    const shifted = new Uint8Array(weights.length + 1);
    shifted.set(weights, 1);
    const straight = await core.assignLevels({ weights, weightDtype: 'F32' }, nothing, { centroids });
    expect(
      await core.assignLevels({ weights: shifted.subarray(1), weightDtype: 'F32' }, nothing, { centroids }),
    ).toEqual(straight);
  });

  it('needs a level for protected weights', async () => {
    const pair = { weights: randomWeights(8, 'F32', 9), weightDtype: 'F32' } as const;
    await expect(
      core.assignLevels(pair, { ...nothing, protectMagnitudeMin: 0.1 }, { centroids }),
    ).rejects.toMatchObject({
      code: 'native-failure',
      detail: expect.stringContaining('invalid_argument'),
    });
  });
});

describe('dequantization', () => {
  it.each(quantizableDtypes)(
    'looks levels up in a table of %s and takes the protected words in order',
    async (dtype) => {
      const table = randomWeights(256, dtype, 10);
      const elementBytes = table.length / 256;
      const random = randomNumbers(11);
      const levels = Uint8Array.from({ length: count }, () => Math.floor(random() * 7));
      const protectedWords = Uint16Array.from(
        levels.filter((level) => level === 6),
        (_, i) => i,
      );
      const out = await core.dequantize(levels, { dtype, table, levelCount: 7, protectedLevel: 6, protectedWords });
      let next = 0;
      const expected = [...levels].flatMap((level) => {
        if (level !== 6) return [...table.subarray(level * elementBytes, (level + 1) * elementBytes)];
        const word = protectedWords[next++]!;
        // bfloat16 is the upper half of a binary32.
        return dtype === 'F32' ? [0, 0, word & 255, word >> 8] : [word & 255, word >> 8];
      });
      expect(Buffer.from(out).equals(Buffer.from(expected))).toBe(true);
    },
  );

  it('refuses levels past the last and a wrong number of protected words', async () => {
    const request = {
      dtype: 'F32',
      table: new Uint8Array(1024),
      levelCount: 4,
      protectedLevel: 3,
      protectedWords: new Uint16Array(1),
    } as const;
    for (const levels of [
      [0, 4, 3],
      [0, 1],
      [3, 3],
    ]) {
      await expect(core.dequantize(Uint8Array.from(levels), request)).rejects.toMatchObject({
        code: 'corrupt-package',
      });
    }
    expect(await core.dequantize(Uint8Array.of(0, 3), request)).toHaveLength(8);
  });
});

describe('conversion', () => {
  it('widens exactly and narrows to nearest', async () => {
    for (const dtype of quantizableDtypes) {
      const values = randomWeights(count, dtype, 12);
      const wide = await core.convert(values, dtype, 'F32');
      expect(valuesOf(wide, 'F32')).toEqual(valuesOf(values, dtype));
      expect(Buffer.from(await core.convert(wide, 'F32', dtype)).equals(values)).toBe(true);
    }
    const floats = randomWeights(count, 'F32', 13);
    const narrow = new Uint16Array((await core.convert(floats, 'F32', 'BF16')).buffer);
    expect([...narrow]).toEqual(valuesOf(floats, 'F32').map(bf16Bits));
  });
});

describe('token tables', () => {
  /** Levels that mostly stay the same, as between checkpoints. */
  function levelBlock(elementCount: number, modulus: number, seed: number, base = false): LevelBlock {
    const random = randomNumbers(seed);
    const previous = Uint8Array.from({ length: elementCount }, () => Math.floor(random() * modulus));
    const current = previous.map((level) => (random() < 0.9 ? level : Math.floor(random() * modulus)));
    return base ? { current, modulus } : { previous, current, modulus };
  }

  it.each([true, false])(
    'code blocks in as many bits as a Huffman code of their tokens takes (base: %s)',
    async (base) => {
      const blocks = [1, 2, 3].map((seed) => levelBlock(4000 + seed, 7, seed, base));
      const counts = core.createTokenCounts();
      await Promise.all(blocks.map((block) => counts.add(block)));
      const tokens = new Map<number, number[]>();
      for (const { previous, current, modulus } of blocks) {
        for (const [source, group] of tokensOf(previous, current, modulus))
          tokens.set(source, [...(tokens.get(source) ?? []), ...group]);
      }
      expect(counts.payloadBits()).toBe([...tokens.values()].reduce((sum, group) => sum + huffmanBits(group), 0));

      const tables = counts.build();
      const payloads = await Promise.all(blocks.map((block) => tables.encode(block)));
      const payloadBits = payloads.reduce((sum, payload) => sum + 8 * payload.length, 0);
      expect(payloadBits).toBeGreaterThanOrEqual(counts.payloadBits());
      expect(payloadBits).toBeLessThan(counts.payloadBits() + 8 * blocks.length);

      const stored = core.parseTokenTables(tables.serialize());
      for (const [i, { previous, current, modulus }] of blocks.entries()) {
        const request = { ...(previous && { previous }), elementCount: current.length, modulus };
        expect(Buffer.from(await stored.decode(payloads[i]!, request)).equals(current)).toBe(true);
      }
    },
  );

  it('round-trip any block', async () => {
    const level = fc.integer({ min: 0, max: 255 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(level, level), { maxLength: 300 }), fc.boolean(), async (pairs, base) => {
        const previous = base ? undefined : Uint8Array.from(pairs, ([level]) => level);
        const block = {
          ...(previous && { previous }),
          current: Uint8Array.from(pairs, ([, level]) => level),
          modulus: 256,
        };
        const counts = core.createTokenCounts();
        await counts.add(block);
        const tables = counts.build();
        const request = { ...(previous && { previous }), elementCount: pairs.length, modulus: 256 };
        expect([...(await tables.decode(await tables.encode(block), request))]).toEqual([...block.current]);
      }),
      { numRuns: 60 },
    );
  });

  it('are the same however counts are split and merged', async () => {
    const blocks = Array.from({ length: 8 }, (_, seed) => levelBlock(2000, 12, seed));
    const whole = core.createTokenCounts();
    const halves = [core.createTokenCounts(), core.createTokenCounts()] as const;
    await Promise.all(blocks.flatMap((block, i) => [whole.add(block), halves[i % 2]!.add(block)]));
    halves[0].merge(halves[1]);
    expect(halves[0].build().serialize()).toEqual(whole.build().serialize());
    expect(halves[0].payloadBits()).toBe(whole.payloadBits());
  });

  it('take a block of the largest size', async () => {
    const block = levelBlock(blockElementsMax, 34, 14);
    const counts = core.createTokenCounts();
    await counts.add(block);
    const tables = counts.build();
    const payload = await tables.encode(block);
    const decoded = await tables.decode(payload, {
      previous: block.previous!,
      elementCount: blockElementsMax,
      modulus: 34,
    });
    expect(Buffer.from(decoded).equals(block.current)).toBe(true);
  });

  it('refuse a block with a token they have no code for', async () => {
    const counts = core.createTokenCounts();
    await counts.add({ current: Uint8Array.of(0, 1, 0, 1), modulus: 4 });
    await expect(counts.build().encode({ current: Uint8Array.of(3), modulus: 4 })).rejects.toMatchObject({
      code: 'native-failure',
    });
  });
});

describe('exact coding', () => {
  const kinds = Object.keys(elementKindBytes) as ElementKind[];

  it.each(kinds)('gives back the bytes of %s blocks, alone and against another', async (kind) => {
    for (const elementCount of [0, 1, 1000, 20_000]) {
      const current = randomWeights(elementCount * elementKindBytes[kind], 'BF16', 15).subarray(
        0,
        elementCount * elementKindBytes[kind],
      );
      const previous = current.map((byte, i) => (i % 10 === 0 ? byte ^ 1 : byte));
      const alone = await core.exactEncode({ current, kind });
      expect(alone.length).toBeLessThanOrEqual(current.length + 1);
      expect(core.exactIsStandaloneSync(alone)).toBe(true);
      expect(Buffer.from(await core.exactDecode(alone, { kind, elementCount })).equals(current)).toBe(true);

      const difference = await core.exactEncode({ current, previous, kind });
      expect(difference.length).toBeLessThanOrEqual(alone.length);
      expect(Buffer.from(await core.exactDecode(difference, { previous, kind, elementCount })).equals(current)).toBe(
        true,
      );
      const into = new Uint8Array(current.length).fill(0xa5);
      expect(await core.exactDecode(difference, { previous, kind, elementCount, into })).toBe(into);
      expect(Buffer.from(into).equals(current)).toBe(true);
      if (!core.exactIsStandaloneSync(difference)) {
        await expect(core.exactDecode(difference, { kind, elementCount })).rejects.toMatchObject({
          code: 'native-failure',
        });
      }
    }
  });

  it('uses the other block if it helps', async () => {
    const current = randomWeights(20_000, 'F32', 16);
    const previous = current.slice();
    previous[100]! ^= 1;
    const payload = await core.exactEncode({ current, previous, kind: 'f32' });
    expect(payload.length).toBeLessThan(current.length / 20);
    expect(core.exactIsStandaloneSync(payload)).toBe(false);
  });
});

describe('checksums', () => {
  it('are CRC-32C, in one piece or several', () => {
    expect(core.crc32cSync(Buffer.from('123456789'))).toBe(0xe3069283);
    const bytes = randomWeights(1001, 'F16', 17);
    expect(core.crc32cSync(bytes)).toBe(crc32cOf(bytes));
    expect(core.crc32cSync(bytes.subarray(77), core.crc32cSync(bytes.subarray(0, 77)))).toBe(crc32cOf(bytes));
    expect(core.crc32cSync(new Uint8Array())).toBe(0);
  });
});

describe('files that are not read soon', () => {
  it('keep their bytes, and a hint for anything else does nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'firn-forget-'));
    const bytes = randomWeights(100_000, 'F32', 19);
    const file = await open(join(folder, 'weights'), 'w+');
    try {
      await file.write(bytes);
      await file.sync();
      await core.forgetFile(file.fd);
      const found = Buffer.alloc(bytes.length);
      await file.read(found, 0, found.length, 0);
      expect(found.equals(bytes)).toBe(true);
    } finally {
      await file.close();
      rmSync(folder, { recursive: true });
    }
    await core.forgetFile(0x7fffffff);
    await expect(core.forgetFile(-1)).rejects.toMatchObject({ code: 'native-failure' });
  });
});

describe('mapped files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-map-'));

  it('show the bytes of a file, also of an empty one', () => {
    try {
      const bytes = randomWeights(10_000, 'F32', 18);
      writeFileSync(join(folder, 'weights'), bytes);
      writeFileSync(join(folder, 'empty'), '');
      expect(Buffer.from(core.mapFileSync(join(folder, 'weights'))).equals(bytes)).toBe(true);
      expect(core.mapFileSync(join(folder, 'empty')).byteLength).toBe(0);
      expect(() => core.mapFileSync(folder)).toThrow(
        expect.objectContaining({ code: 'internal', detail: `EISDIR: ${folder}` }),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
    const absent = join(folder, 'absent');
    expect(() => core.mapFileSync(absent)).toThrow(
      expect.objectContaining({ code: 'internal', detail: `ENOENT: ${absent}` }),
    );
  });
});
