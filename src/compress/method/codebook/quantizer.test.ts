import { describe, expect, test } from 'vitest';
import type { LayerType } from '../../../checkpoint/layer-type.ts';
import type { InshrinkeratorConfig } from '../../../checkpoint/options/methods/inshrinkerator-config.ts';
import { loadCore } from '../../../native/load-core.ts';
import { memorySource } from '../../harness/memory-source.test-support.ts';
import { countOf, emptySketch, gatherStatistics, merged } from './model-statistics.ts';
import { inshrinkeratorMethod } from './inshrinkerator-method.ts';
import { levelBlocks } from './level-blocks.ts';
import { planCodings } from '../../plan/plan-codings.ts';
import { Quantizer } from './quantizer.ts';
import { f32, noise, type TestTensor, type TestTensors } from '../../harness/tiny-model.test-support.ts';

const core = loadCore();
const parallel = 2;
const types = new Map<string, LayerType>(
  Object.entries({ embed: 'embedding', fc: 'linear', head: 'linear', conv: 'convolution' }),
);
const scaled = (factor: number, seed: number, rows = 64, columns = 64): TestTensor =>
  f32(
    [rows, columns],
    noise(rows * columns, seed).map((x) => factor * x),
  );
const weights: TestTensors = { embed: scaled(1, 1), fc: scaled(0.01, 2), head: scaled(0.01, 3), conv: scaled(10, 4) };
const gradients: TestTensors = {
  embed: scaled(1, 11),
  fc: scaled(100, 12),
  head: scaled(1, 13),
  conv: scaled(0.1, 14),
};
const config: InshrinkeratorConfig = {
  method: 'inshrinkerator',
  bins: 8,
  embeddingBins: 16,
  pruneFraction: 0.3,
  pruneMetric: 'magnitude',
  protectFraction: 0.01,
};

interface Quantized {
  readonly levels: Uint8Array;
  readonly pruned: number;
  readonly protectedCount: number;
  readonly values: Float32Array;
}

/** By group of the plan, in its order: levels and counts of everything quantized under a config. */
async function quantize(
  tensors: TestTensors,
  sensitivity: TestTensors | undefined,
  under: InshrinkeratorConfig,
  seed = 7n,
) {
  const source = memorySource(core, tensors, sensitivity);
  const plan = await planCodings(source, types, { parallel, codingOf: inshrinkeratorMethod.codingOf });
  const statistics = await gatherStatistics(source, plan, core, { parallel });
  const quantizer = new Quantizer(source, plan, statistics, core, { clustering: 'kmeanspp', seed, parallel });
  const groups = await quantizer.build(under);
  const found: Quantized[] = [];
  for (const { file, block, group } of levelBlocks(plan)) {
    const { partition, map, levelCount, table } = groups[group]!;
    const weights = quantizer.usable(await source.readWeights(file, block));
    const { levels, protectedWords } = await core.assignLevels(weights, partition, map);
    expect(Math.max(...levels)).toBeLessThan(levelCount);
    const bytes = await core.dequantize(levels, {
      dtype: plan.groups[group]!.dtype,
      table,
      levelCount,
      protectedWords,
      ...(map.protectedLevel === undefined ? {} : { protectedLevel: map.protectedLevel }),
    });
    found[group] = {
      levels,
      pruned: levels.filter((level) => level === map.prunedLevel).length,
      protectedCount: protectedWords.length,
      values:
        plan.groups[group]!.dtype === 'F32' ? new Float32Array(Uint8Array.from(bytes).buffer) : new Float32Array(),
    };
  }
  return {
    plan,
    statistics,
    groups,
    found,
    of: (layerType: string) => found[plan.groups.findIndex((group) => group.layerType === layerType)]!,
  };
}

describe('pruning', () => {
  test('takes the given share of each layer type, whatever their scales, and never of embeddings', async () => {
    const { of } = await quantize(weights, undefined, { ...config, protectFraction: 0 });
    expect(of('embedding').pruned).toBe(0);
    for (const [layerType, count] of [
      ['linear', 2 * 4096],
      ['convolution', 4096],
    ] as const) {
      expect(of(layerType).pruned / count).toBeLessThanOrEqual(0.3);
      expect(of(layerType).pruned / count).toBeGreaterThan(0.27);
      expect(of(layerType).values.filter((x) => x === 0).length).toBeGreaterThanOrEqual(of(layerType).pruned);
    }
  });

  test('by sensitivity goes by |g w|, not by |w|', async () => {
    const bySensitivity = await quantize(weights, gradients, {
      ...config,
      pruneMetric: 'sensitivity',
      protectFraction: 0,
    });
    const fc = weights['fc']!.data as Float32Array,
      head = weights['head']!.data as Float32Array;
    const gradientsOf = [...(gradients['fc']!.data as Float32Array), ...(gradients['head']!.data as Float32Array)];
    const scores = [...fc, ...head].map((w, i) => Math.abs(w * gradientsOf[i]!));
    const { levels } = bySensitivity.of('linear');
    const { map } = bySensitivity.groups[bySensitivity.plan.groups.findIndex((group) => group.layerType === 'linear')]!;
    const pruned = scores.filter((_, i) => levels[i] === map.prunedLevel);
    const kept = scores.filter((_, i) => levels[i] !== map.prunedLevel);
    // Thresholds are edges of histogram buckets, two thousandths apart at most.
    expect(Math.max(...pruned)).toBeLessThanOrEqual(Math.min(...kept) * 1.02);
    // The gradients of head are a hundredth of those of fc.
    expect(levels.subarray(4096).filter((level) => level === map.prunedLevel).length).toBeGreaterThan(2200);
  });

  test('a fraction of 0 has no pruned level at all', async () => {
    const { groups, found } = await quantize(weights, undefined, { ...config, pruneFraction: 0 });
    expect(groups.map(({ map }) => map.prunedLevel)).toEqual(groups.map(() => undefined));
    expect(found.map(({ pruned }) => pruned)).toEqual(found.map(() => 0));
  });
});

describe('a price of bits', () => {
  const own = { ...config, pruneFraction: 0, protectFraction: 0 };

  test('takes bits from the levels of every layer type', async () => {
    const plain = await quantize(weights, undefined, own);
    const priced = await quantize(weights, undefined, { ...own, bitPrice: 4 });
    for (const [group, { levels }] of priced.found.entries()) {
      expect(entropyBits(levels)).toBeLessThan(entropyBits(plain.found[group]!.levels) - 0.2);
      const { centroids, boundaries } = priced.groups[group]!.map;
      expect(boundaries).toHaveLength(centroids.length - 1);
    }
    expect(plain.groups.every(({ map }) => map.boundaries === undefined)).toBe(true);
  });

  test('needs no seed: another one gives the same levels', async () => {
    const under = { ...own, bitPrice: 1 };
    const [one, other] = [await quantize(weights, undefined, under), await quantize(weights, undefined, under, 8n)];
    expect(one.found.map(({ levels }) => levels)).toEqual(other.found.map(({ levels }) => levels));
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

describe('protection', () => {
  test.each([0.001, 0.01, 0.1])(
    'keeps at most a share of %d of all weights in bfloat16, half by magnitude and half by sensitivity',
    async (protectFraction) => {
      const total = 4 * 4096;
      for (const sensitivity of [undefined, gradients]) {
        const { found } = await quantize(weights, sensitivity, { ...config, protectFraction });
        const share = found.reduce((sum, { protectedCount }) => sum + protectedCount, 0) / total;
        expect(share).toBeLessThanOrEqual(protectFraction);
        expect(share).toBeGreaterThan(0);
      }
      // By magnitude alone it would be the layer of the largest weights.
      const { of } = await quantize(weights, undefined, { ...config, protectFraction });
      expect([of('embedding').protectedCount, of('linear').protectedCount]).toEqual([0, 0]);
    },
  );

  test('protected weights come back as their bfloat16 value, the largest ones first', async () => {
    const { of, groups, plan } = await quantize(weights, undefined, { ...config, protectFraction: 0.01 });
    const conv = weights['conv']!.data as Float32Array;
    const { map } = groups[plan.groups.findIndex((group) => group.layerType === 'convolution')]!;
    const { levels, values } = of('convolution');
    const at = [...conv.keys()].filter((i) => levels[i] === map.protectedLevel);
    expect(at.length).toBe(of('convolution').protectedCount);
    for (const i of at) expect(Math.abs(values[i]! - conv[i]!)).toBeLessThanOrEqual(Math.abs(conv[i]!) / 256);
    const smallest = Math.min(...at.map((i) => Math.abs(conv[i]!)));
    expect(
      Math.max(...[...conv.keys()].filter((i) => levels[i] !== map.protectedLevel).map((i) => Math.abs(conv[i]!))),
    ).toBeLessThanOrEqual(smallest * 1.02);
  });

  test('a fraction of 0 has no protected level', async () => {
    const { groups, found } = await quantize(weights, gradients, { ...config, protectFraction: 0 });
    expect(groups.map(({ map }) => map.protectedLevel)).toEqual(groups.map(() => undefined));
    expect(found.every(({ protectedCount }) => protectedCount === 0)).toBe(true);
  });
});

describe('codebooks', () => {
  test('have the configured bins, embeddings their own, and levels in order: bins, pruned, protected', async () => {
    const { plan, groups } = await quantize(weights, gradients, config);
    for (const [i, { layerType }] of plan.groups.entries()) {
      const bins = layerType === 'embedding' ? 16 : 8;
      const { map, levelCount } = groups[i]!;
      expect(map.centroids.length).toBe(bins);
      expect([map.prunedLevel, map.protectedLevel, levelCount]).toEqual(
        layerType === 'embedding' ? [undefined, bins, bins + 1] : [bins, bins + 1, bins + 2],
      );
    }
  });

  test('are the same for the same seed, and of the seed', async () => {
    const centroids = async (seed: bigint) =>
      (await quantize(weights, gradients, config, seed)).groups.map(({ map }) => [...map.centroids]);
    expect(await centroids(7n)).toEqual(await centroids(7n));
    expect(await centroids(7n)).not.toEqual(await centroids(8n));
  });

  test.each(['F16', 'BF16'] as const)('table entries of %s are the centroids in that dtype, rounded', async (dtype) => {
    const words = await core.convert(new Uint8Array((scaled(1, 21).data as Float32Array).buffer), 'F32', dtype);
    const { groups } = await quantize({ fc: { dtype, shape: [64, 64], data: words } }, undefined, config);
    const { map, table } = groups[0]!;
    expect(table.length).toBe(256 * 2);
    const rounded = await core.convert(
      new Uint8Array(map.centroids.buffer, map.centroids.byteOffset, map.centroids.byteLength),
      'F32',
      dtype,
    );
    expect(Buffer.from(table.subarray(0, rounded.length))).toEqual(Buffer.from(rounded));
    expect(table.subarray(rounded.length).every((byte) => byte === 0)).toBe(true);
    const back = new Float32Array(Uint8Array.from(await core.convert(rounded, dtype, 'F32')).buffer);
    back.forEach((x, i) =>
      expect(Math.abs(x - map.centroids[i]!)).toBeLessThanOrEqual(
        Math.abs(map.centroids[i]!) * (dtype === 'F16' ? 2 ** -11 : 2 ** -8),
      ),
    );
  });

  test('a layer of zeros has one bin', async () => {
    const { groups, of } = await quantize({ fc: f32([64, 64], new Float32Array(4096)) }, undefined, config);
    expect(groups[0]!.map.centroids.length).toBeGreaterThanOrEqual(1);
    expect(of('linear').values.every((x) => x === 0)).toBe(true);
  });
});

describe('sensitivity', () => {
  const zeros = Object.fromEntries(
    Object.entries(gradients).map(([name, { shape }]) => [name, f32(shape, new Float32Array(4096))]),
  );

  test('that is all zero is as if there were none', async () => {
    const [absent, zero] = [
      await quantize(weights, undefined, { ...config, pruneMetric: 'sensitivity' }),
      await quantize(weights, zeros, { ...config, pruneMetric: 'sensitivity' }),
    ];
    expect([absent.statistics.sensitivityUnusable, zero.statistics.sensitivityUnusable]).toEqual([
      undefined,
      expect.stringContaining('all zero'),
    ]);
    expect(zero.statistics.sensitivity).toBeUndefined();
    expect(zero.found).toEqual(absent.found);
  });

  test('is counted for every weight that has one', async () => {
    const { statistics } = await quantize(weights, { fc: gradients['fc']!, head: gradients['head']! }, config);
    expect(countOf(statistics.sensitivity!.all)).toBe(2 * 4096);
    expect(countOf(statistics.magnitude)).toBe(4 * 4096);
    expect(merged([statistics.magnitude, emptySketch()])).toEqual(statistics.magnitude);
  });
});
