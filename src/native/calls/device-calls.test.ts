import { describe, expect, it } from 'vitest';

import type { DeviceChoice, HeldBlock, LatticeSegment, NativeCore, ResidualBlock } from '../core.ts';
import { DeviceLossError } from '../check/native-status.ts';
import { loadCore } from '../load-core.ts';
import { randomWeights } from '../reference.test-support.ts';

const [inputs, outputs] = [50, 100];
const count = inputs * outputs;
const weights = randomWeights(count, 'F32', 1);
const segment: LatticeSegment = {
  elementCount: count,
  exponent: -16,
  step: 300,
  shift: 0,
  offsets: [20, 3, 3],
  gain: 250,
};
const segments = { counts: Uint32Array.of(count), slots: Uint32Array.of(0) };

const plain = loadCore({ threads: 2 });
const onDevice = (device: Partial<DeviceChoice> = {}): NativeCore =>
  loadCore({ threads: 2, device: { kind: 'emulated', ...device } as DeviceChoice });

/** A block that is rounded along its inputs, with names for a device. */
async function blockFor(core: NativeCore): Promise<ResidualBlock> {
  const gram = new Float32Array(inputs * inputs);
  for (let i = 0; i < gram.length; i++) gram[i] = i % (inputs + 1) === 0 ? 2 : 0.5;
  const factor = await plain.gramFactor(gram, { size: inputs, damping: 0.1 });
  const scope = core.openDeviceScope();
  return {
    weights,
    weightDtype: 'F32',
    chain: { links: [], start: Int32Array.of(0) },
    segments: [segment],
    slots: segments.slots,
    deadZone: 156,
    rounding: {
      place: { factor, size: inputs, inputs, outputs, inputsLast: true },
      firstElement: 0,
      strength: 1,
      deadZone: 140,
      factorName: scope?.name('factor') ?? '',
    },
    held: scope && { weights: scope.name('weights'), state: scope.name('state') },
  };
}

async function quantized(core: NativeCore, keep = true) {
  const counts = core.createContextCounts();
  const block = await blockFor(core);
  const found = await core.residualQuantize(block, { counts, keep });
  return { block, found, counts };
}

describe('a block on a device', () => {
  it('has the symbols, sums and payload of the processor, rounded along its inputs in the same call', async () => {
    const core = onDevice();
    const [here, there] = [await quantized(plain), await quantized(core)];
    expect(there.found.statistics).toEqual(here.found.statistics);
    expect(there.found.errors).toEqual(here.found.errors);
    const tables = [await here.counts.build({ slots: 1 }), await there.counts.build({ slots: 1 })] as const;
    expect(tables[1].serialize()).toEqual(tables[0].serialize());
    const payload = await plain.encodeCachedSymbols(here.found.symbols!, segments, tables[0]);
    expect(await core.encodeCachedSymbols(there.found.symbols!, segments, tables[1])).toEqual(payload);
    expect(await core.residualEncode(there.block, tables[1])).toEqual(payload);
    // And as the separate call for targets does it.
    const { factor, ...place } = here.block.rounding!.place;
    const targets = await plain.latticeTargets({
      weights,
      dtype: 'F32',
      segment,
      place: { factor, ...place },
      firstElement: 0,
      strength: 1,
      deadZone: 140,
    });
    const { rounding: _, ...unrounded } = here.block;
    const apart = { ...unrounded, targets: new Uint8Array(targets.buffer, targets.byteOffset, targets.byteLength) };
    expect(await plain.residualEncode(apart, tables[0])).toEqual(payload);
    expect(core.deviceFigures()).toMatchObject({ name: 'emulated', failures: 0, lost: false });
    expect(there.found.symbols!.memoryBytes).toBe(0);
  });

  it('is not sent twice, until its scope is closed', async () => {
    const core = onDevice();
    const block = await blockFor(core);
    const sent = async (): Promise<number> => {
      const before = core.deviceFigures()!.uploadedBytes;
      await core.residualCodedElements(block, 'BF16');
      return core.deviceFigures()!.uploadedBytes - before;
    };
    const first = await sent();
    expect(first).toBeGreaterThan(weights.length);
    expect(await sent()).toBeLessThan(2000);
    const other = core.openDeviceScope()!;
    expect(other.name('weights')).not.toBe(block.held!.weights);
    other.close();
    expect(await sent()).toBeLessThan(2000);
  });

  it('is gone with a device that is lost, and made again by the processor', async () => {
    const works = onDevice();
    await quantized(works);
    // The first call after those of one quantization.
    let core: NativeCore;
    let found: Awaited<ReturnType<typeof quantized>>;
    for (let failsAt = 20; ; failsAt++) {
      core = onDevice({ failsAt });
      found = await quantized(core);
      if (!core.deviceFigures()!.lost) break;
    }
    const { block, counts } = found;
    const tables = await counts.build({ slots: 1 });
    const symbols = found.found.symbols!;
    await expect(core.countCachedSymbols(symbols, segments, core.createContextCounts())).rejects.toThrow(
      DeviceLossError,
    );
    await expect(core.encodeCachedSymbols(symbols, segments, tables)).rejects.toThrow(DeviceLossError);
    await expect(core.residualMovedElements(symbols, block, 'F32')).rejects.toThrow(DeviceLossError);
    expect(core.deviceFigures()).toMatchObject({ lost: true, failures: 1 });
    expect(await core.residualCodedElements(block, 'F32')).toEqual(
      await plain.residualCodedElements(await blockFor(plain), 'F32'),
    );
    symbols.release();
  });

  it('need not be brought again while the device holds it, and is gone otherwise', async () => {
    const core = onDevice();
    const block = await blockFor(core);
    const { weights: _, chain: __, targets: ___, gradients: ____, ...rest } = block;
    const held: HeldBlock = { ...rest, weights: undefined, held: block.held! };
    const moments = await core.weightMoments(block, segments.counts, { name: block.held!.weights });
    expect(moments).toEqual(await plain.weightMoments(block, segments.counts));
    // Its state has not come yet.
    await expect(core.residualCodedElements(held, 'F32')).rejects.toThrow(DeviceLossError);
    const elements = await core.residualCodedElements({ ...held, chain: block.chain }, 'F32');
    expect(elements).toEqual(await plain.residualCodedElements(await blockFor(plain), 'F32'));
    expect(await core.residualCodedElements(held, 'F32')).toEqual(elements);
    core.forgetOnDevice(block.held!.weights);
    await expect(core.residualCodedElements(held, 'F32')).rejects.toThrow(DeviceLossError);
    await expect(plain.residualCodedElements(held, 'F32')).rejects.toThrow(DeviceLossError);
  });

  it('leaves a state under a name that another scope finds, until it is let go of', async () => {
    const core = onDevice();
    const scope = core.openDeviceScope()!;
    const block = await blockFor(core);
    const { found, counts } = await quantized(core);
    const tables = await counts.build({ slots: 1 });
    await core.residualEncode({ ...block, left: { name: scope.name('left/1'), isFirst: true } }, tables);
    scope.rename('left/', 'package:a/');
    scope.close();
    const chain = {
      links: [
        {
          tables,
          payload: await core.encodeCachedSymbols(found.symbols!, segments, tables),
          segments: [segment],
          slots: segments.slots,
        },
      ],
      start: Int32Array.of(0),
    };
    const { weights: _, chain: __, targets: ___, gradients: ____, ...rest } = block;
    const next: HeldBlock = {
      ...rest,
      weights: undefined,
      held: { weights: block.held!.weights, state: 'package:a/1' },
    };
    const expected = await plain.residualCodedElements({ ...block, chain }, 'F32');
    expect(await core.residualCodedElements(next, 'F32')).toEqual(expected);
    core.forgetOnDevice('package:a/');
    await expect(core.residualCodedElements(next, 'F32')).rejects.toThrow(DeviceLossError);
  });

  it('is counted for the core that asked for it', async () => {
    expect(plain.withDeviceAccount()).toBeUndefined();
    const core = onDevice({ failsAt: 60 } as Partial<DeviceChoice>);
    const [one, other] = [core.withDeviceAccount()!, core.withDeviceAccount()!];
    await quantized(one.core);
    expect(one.kind).toBe('emulated');
    expect(one.deviceWork()).toEqual({ works: 1, failures: 0, afterLoss: 0 });
    expect(other.deviceWork()).toEqual({ works: 0, failures: 0, afterLoss: 0 });
    while (!core.deviceFigures()!.lost) await quantized(one.core);
    await quantized(other.core);
    expect(one.deviceWork().failures).toBe(1);
    expect(other.deviceWork()).toEqual({ works: 0, failures: 0, afterLoss: 1 });
  });

  it('is refused if what it is rounded by does not fit', async () => {
    const block = await blockFor(plain);
    const refused = { code: 'native-failure' };
    const rounding = block.rounding!;
    for (const wrong of [
      { rounding: { ...rounding, strength: 2 } },
      { rounding: { ...rounding, firstElement: 1 } },
      { rounding: { ...rounding, place: { ...rounding.place, size: 7 } } },
      { targets: weights },
    ])
      await expect(plain.residualCodedElements({ ...block, ...wrong }, 'F32')).rejects.toMatchObject(refused);
  });
});
