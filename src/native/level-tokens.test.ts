import { describe, expect, it } from 'vitest';
import type { LevelMap, Partition, WeightBlock } from './core.ts';
import { loadCore } from './load-core.ts';

const count = 5000;
const weights = Float32Array.from({ length: count }, (_, i) => (i % 97 < 60 ? 0.02 * (i % 5) : Math.sin(i * i)));
const pair: WeightBlock = { weights: new Uint8Array(weights.buffer), weightDtype: 'F32', heldAs: 'weights' };
const partition: Partition = {
  protectMagnitudeMin: 0.99,
  protectSensitivityMin: Infinity,
  pruneMetric: 'magnitude',
  pruneBelow: 0.01,
};
const map: LevelMap = { centroids: Float32Array.of(-0.5, 0, 0.05, 0.5), prunedLevel: 4, protectedLevel: 5 };

describe.each([
  ['the processor', undefined],
  ['a device', { kind: 'emulated' }],
  ['a device that fails', { kind: 'emulated', failsAt: 20 }],
] as const)('tokens of levels on %s', (_, device) => {
  const core = loadCore(device === undefined ? {} : { device, threads: 2 });

  it.each([true, false])('are those of the levels that the weights are assigned (base: %s)', async (isBase) => {
    const { levels, protectedWords } = await core.assignLevels(pair, partition, map);
    const before = isBase ? undefined : levels.map((level, i) => (i % 11 === 0 ? (level + i) % 7 : level));
    const previous = before && { levels: before, heldAs: 'before' };
    const expected = core.createTokenCounts();
    await expected.add({ ...(before && { previous: before }), current: levels, modulus: 7 });

    const counts = core.createTokenCounts();
    const found = await core.countTokens(pair, partition, { map, previous, modulus: 7, counts });
    expect(found).toEqual({
      protectedCount: protectedWords.length,
      moved: before === undefined ? 0 : levels.filter((level, i) => level !== before[i]).length,
    });
    const tables = counts.build();
    expect(tables.serialize()).toEqual(expected.build().serialize());
    const tokens = await tables.encode({ ...(before && { previous: before }), current: levels, modulus: 7 });
    const request = { map, previous, modulus: 7, tables };
    expect(await core.encodeTokens(pair, partition, request)).toEqual({ tokens, protectedWords });
  });

  it('refuse levels that are none, and objects of another core', async () => {
    const counts = core.createTokenCounts();
    const refused = { code: 'native-failure' };
    await expect(core.countTokens(pair, partition, { map, modulus: 5, counts })).rejects.toMatchObject(refused);
    const short = { levels: new Uint8Array(count - 1) };
    await expect(core.countTokens(pair, partition, { map, previous: short, modulus: 7, counts })).rejects.toMatchObject(
      refused,
    );
    const stranger = { ...counts } as unknown as typeof counts;
    await expect(core.countTokens(pair, partition, { map, modulus: 7, counts: stranger })).rejects.toThrow(TypeError);
    const tables = counts.build();
    await expect(core.encodeTokens(pair, partition, { map, modulus: 7, tables })).rejects.toMatchObject(refused);
  });
});

it('levels stay on a device: counts come back, and the stream with the protected words', async () => {
  const core = loadCore({ device: { kind: 'emulated' }, threads: 2 });
  const bytesBack = async <T>(call: () => Promise<T>): Promise<readonly [T, number]> => {
    const before = core.deviceFigures()!.downloadedBytes;
    return [await call(), core.deviceFigures()!.downloadedBytes - before];
  };
  const coding = { map, modulus: 7 };
  const counts = core.createTokenCounts();
  const [, counted] = await bytesBack(() => core.countTokens(pair, partition, { ...coding, counts }));
  // A table of values, one of runs, and the longer runs.
  expect(counted).toBeLessThan(count / 8);
  const tables = counts.build();
  const [{ tokens, protectedWords }, encoded] = await bytesBack(() =>
    core.encodeTokens(pair, partition, { ...coding, tables }),
  );
  expect(encoded).toBeLessThan(tokens.byteLength + protectedWords.byteLength + 64);
  expect(core.deviceFigures()).toMatchObject({ works: 2, failures: 0 });
  const [levels, assigned] = await bytesBack(() => core.assignLevels(pair, partition, map));
  expect(assigned).toBeGreaterThan(levels.levels.byteLength);
});
