import { describe, expect, test } from 'vitest';
import type { LayerType } from '../../../checkpoint/layer-type.ts';
import type { InshrinkeratorConfig } from '../../../checkpoint/options/methods/inshrinkerator-config.ts';
import { loadCore } from '../../../native/load-core.ts';
import { MemoryStore } from '../../../package/memory-store.test-support.ts';
import type { PackageIndex } from '../../../package/package-index.ts';
import { planFile } from '../../../package/blocks/plan-file.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import { bytesOf, TokenCensus } from './count-tokens.ts';
import {
  ancestorInMemory,
  encodeInMemory,
  prepareSource,
  type PreparedSource,
} from '../../harness/encode-in-memory.test-support.ts';
import { estimateBytes } from './estimate-bytes.ts';
import { levelBlocks } from './level-blocks.ts';
import { sampleElementsMax } from '../../plan/sample-blocks.ts';
import { f32, noise, type TestTensors } from '../../harness/tiny-model.test-support.ts';

const core = loadCore();
const parallel = 2;
const types = new Map<string, LayerType>(
  Object.entries({ embed: 'embedding', fc: 'linear', conv: 'convolution', bias: 'linear' }),
);
const config: InshrinkeratorConfig = {
  method: 'inshrinkerator',
  bins: 8,
  embeddingBins: 16,
  pruneFraction: 0.3,
  pruneMetric: 'magnitude',
  protectFraction: 0.01,
};

function weightsAt(step: number): TestTensors {
  const moved = (count: number, seed: number) => {
    const values = noise(count, seed);
    if (step > 0)
      noise(count, seed + 100 * step).forEach((x, i) => {
        values[i] = values[i]! + 0.05 * x;
      });
    return values;
  };
  return {
    embed: f32([128, 64], moved(8192, 1)),
    fc: f32([400, 400], moved(160_000, 2)),
    conv: f32([64, 64], moved(4096, 3)),
    bias: f32([64], moved(64, 4)),
  };
}

/** `encodeInMemory`, and the bytes of the package's quantized part. */
async function encode(
  store: MemoryStore,
  id: string,
  prepared: PreparedSource,
  under: InshrinkeratorConfig,
  ancestor?: Ancestor,
) {
  const encoded = await encodeInMemory(store, id, prepared, under, ancestor);
  return { ...encoded, quantizedBytes: quantizedBytes(encoded.written.index) };
}

function quantizedBytes(index: PackageIndex): number {
  const payloads = index.files.flatMap((file) => {
    const { blocks } = planFile(file)!;
    return file.content.type === 'external'
      ? []
      : file.content.blocks.filter((_, i) => blocks[i]!.coding.kind === 'levels').map((entry) => entry.lengthBytes);
  });
  return [
    ...payloads,
    ...index.tableSets.map((set) => set.length),
    ...index.codebooks.map(({ table }) => table.length),
  ].reduce((a, b) => a + b, 0);
}

describe('the estimate of a model below the sample size', () => {
  const configs = [
    config,
    { ...config, bins: 32, pruneFraction: 0 },
    { ...config, protectFraction: 0.2 },
    { ...config, bins: 4, embeddingBins: 32, protectFraction: 0 },
  ];

  test.each(configs)("equals the bytes of the package's quantized part, to a byte a block: %j", async (under) => {
    const prepared = await prepareSource(weightsAt(0), types);
    const blocks = [...levelBlocks(prepared.plan)].length;
    const estimate = await estimateBytes({ ...prepared, ancestor: undefined, core }, under, { parallel });
    const { quantizedBytes: bytes, kind } = await encode(new MemoryStore(), 'a', prepared, under);
    expect(kind).toBe('base');
    expect(bytes - estimate).toBeGreaterThanOrEqual(0);
    expect(bytes - estimate).toBeLessThan(blocks);
  });

  test.each(configs)('the same against an ancestor with other bins: %j', async (under) => {
    const store = new MemoryStore();
    const [first, second] = [await prepareSource(weightsAt(0), types), await prepareSource(weightsAt(1), types)];
    const ancestor = await ancestorInMemory(store, 'a', (await encode(store, 'a', first, config)).written, second);
    const estimate = await estimateBytes({ ...second, ancestor, core }, under, { parallel });
    const { quantizedBytes: bytes, kind } = await encode(store, 'b', second, under, ancestor);
    const alone = await estimateBytes({ ...second, ancestor: undefined, core }, under, { parallel });
    expect(kind).toBe(estimate < alone ? 'delta' : 'base');
    expect(Math.abs(bytes - Math.min(alone, estimate))).toBeLessThan([...levelBlocks(second.plan)].length);
  });
});

test('a larger model is estimated from a sample of its blocks, tables counted once', async () => {
  const rows = Math.ceil((2.5 * sampleElementsMax) / 4096);
  const wide = noise(4096 * 64, 5);
  const values = new Float32Array(rows * 4096);
  for (let at = 0; at < values.length; at += wide.length)
    values.set(wide.subarray(0, Math.min(wide.length, values.length - at)), at);
  const prepared = await prepareSource({ fc: f32([rows, 4096], values) }, types);
  const estimate = await estimateBytes({ ...prepared, ancestor: undefined, core }, config, { parallel });
  const { quantizedBytes: bytes } = await encode(new MemoryStore(), 'a', prepared, config);
  expect(Math.abs(estimate / bytes - 1)).toBeLessThan(0.01);
});

describe('token tables', () => {
  const random = (levels: number, seed: number) =>
    Uint8Array.from(noise(20_000, seed), (x) => Math.min(levels - 1, Math.floor(Math.abs(x) * levels * 0.4)));
  const groups = [
    { layerType: 'linear', dtype: 'F32' },
    { layerType: 'embedding', dtype: 'F32' },
  ] as const;

  /** The census's choice and both options as they are when built by hand. */
  async function priced(blocks: readonly Uint8Array[], modulus: number) {
    const census = new TokenCensus(core, groups);
    const [pooled, ...separate] = [core.createTokenCounts(), ...blocks.map(() => core.createTokenCounts())];
    for (const [group, levels] of blocks.entries()) {
      census.note({ protectedCount: 130, moved: 0 }, 0);
      for (const counts of [census.countsOf(group), pooled!, separate[group]!])
        await counts.add({ current: levels, modulus });
    }
    const bytes = (counts: readonly (typeof pooled)[]) =>
      counts.reduce((sum, each) => sum + each!.build().serialize().length + each!.payloadBits() / 8, 0);
    // 130 words and a count of two bytes for each block.
    const wordBytes = blocks.length * (2 * 130 + 2);
    return {
      chosen: census.tables(),
      pooledBytes: bytes([pooled]) + wordBytes,
      separateBytes: bytes(separate) + wordBytes,
    };
  }

  test('are pooled if the groups are alike', async () => {
    const { chosen, pooledBytes, separateBytes } = await priced([random(16, 1), random(16, 2)], 16);
    expect(pooledBytes).toBeLessThan(separateBytes);
    expect([chosen.sets.length, chosen.setOfGroup, bytesOf(chosen)]).toEqual([1, [0, 0], pooledBytes]);
    expect(chosen.tableBytes).toBe(chosen.sets[0]!.serialize().length);
  });

  test('are separate if the groups differ', async () => {
    const { chosen, pooledBytes, separateBytes } = await priced(
      [random(16, 1), random(16, 2).map((level) => 15 - level)],
      16,
    );
    expect(separateBytes).toBeLessThan(pooledBytes);
    expect([chosen.sets.length, chosen.setOfGroup, bytesOf(chosen)]).toEqual([2, [0, 1], separateBytes]);
  });

  test('migration is the share of compared levels that changed', () => {
    const census = new TokenCensus(core, groups);
    expect(census.migration).toBeUndefined();
    census.note({ protectedCount: 0, moved: 2 }, 4);
    census.note({ protectedCount: 0, moved: 0 }, 0);
    expect(census.migration).toBe(0.5);
  });
});
