import { describe, expect, it } from 'vitest';

import {
  latticeRates,
  latticeRateUnit,
  latticeWeightMax,
  type GptqPlace,
  type GptqWeights,
  type LatticeSegment,
} from './core.ts';
import { loadCore } from './load-core.ts';
import { randomWeights, valuesOf } from './reference.test-support.ts';

const core = loadCore({ threads: 2 });
const [inputs, outputs, size] = [24, 50, 12];
const segment: LatticeSegment = {
  elementCount: inputs * outputs,
  exponent: -16,
  step: 500,
  shift: 0,
  offsets: [0, 0, 0],
  gain: 256,
};

/** Correlated inputs, block by block: ones on the diagonal, 0.8 elsewhere. */
function grams(): Float32Array {
  return Float32Array.from({ length: inputs * size }, (_, i) => ((i % (size * size)) % (size + 1) === 0 ? 1 : 0.8));
}

async function place(inputsLast = true): Promise<GptqPlace> {
  return { factor: await core.gramFactor(grams(), { size, damping: 0.1 }), size, inputs, outputs, inputsLast };
}

const weights = Float32Array.from(valuesOf(randomWeights(segment.elementCount, 'F32', 5), 'F32'));

async function request(changes: Partial<GptqWeights> = {}): Promise<GptqWeights> {
  return {
    weights: new Uint8Array(weights.buffer),
    dtype: 'F32',
    segment,
    place: await place(),
    firstElement: 0,
    strength: 1,
    deadZone: 140,
    ...changes,
  };
}

/** The error of one output if all its inputs are equal: the error of the sum over its weights. */
function sumErrors(values: Float32Array, inputsLast: boolean): number {
  let total = 0;
  for (let output = 0; output < outputs; output += 1) {
    for (let block = 0; block < inputs / size; block += 1) {
      let error = 0;
      for (let i = block * size; i < (block + 1) * size; i += 1) {
        const at = inputsLast ? output * inputs + i : i * outputs + output;
        error += weights[at]! - values[at]!;
      }
      total += error * error;
    }
  }
  return total;
}

describe('rounding with GPTQ', () => {
  it.each([true, false])('makes up for errors in inputs that move together, inputs last: %s', async (inputsLast) => {
    const fed = await core.latticeTargets(await request({ place: await place(inputsLast) }));
    const plain = await core.latticeTargets(await request({ place: await place(inputsLast), strength: 0 }));
    expect(sumErrors(fed, inputsLast)).toBeLessThan(0.3 * sumErrors(plain, inputsLast));
  });

  it('gives values that latticeQuantize finds again', async () => {
    const targets = await core.latticeTargets(await request());
    const block = { segments: [segment] };
    const moves = await core.latticeQuantize({
      ...block,
      weights: new Uint8Array(targets.buffer),
      dtype: 'F32',
      deadZone: 256,
    });
    const { values } = await core.latticeApply(moves, block);
    expect(Float32Array.from(values, (k) => k * 2 ** segment.exponent)).toEqual(targets);
  });

  it('goes on from previous values', async () => {
    const previous = {
      values: Int32Array.from(weights, (w) => Math.round(w * 2 ** 16) + 100),
      activity: new Uint8Array(weights.length),
    };
    const targets = await core.latticeTargets(await request({ previous, strength: 0 }));
    expect(Float32Array.from(previous.values, (k) => k * 2 ** segment.exponent)).toEqual(targets);
  });

  it('makes expensive moves later, and cheap ones sooner, than the dead zone alone', async () => {
    // Positive values, 0.58 of a step below their targets: 148/256 steps.
    const values = Int32Array.from({ length: weights.length }, (_, i) => 1000 + (i % 7));
    const wanted = Float32Array.from(values, (k) => (k + 290) * 2 ** segment.exponent);
    const previous = { values, activity: new Uint8Array(values.length) };
    const moved = async (symbolRates: Uint8Array | undefined): Promise<number> => {
      const targets = await core.latticeTargets(
        await request({ weights: new Uint8Array(wanted.buffer), previous, strength: 0, symbolRates }),
      );
      return targets.filter((value, i) => value !== values[i]! * 2 ** segment.exponent).length;
    };
    expect(await moved(undefined)).toBe(weights.length);
    expect(await moved(new Uint8Array(latticeRates).fill(latticeRateUnit))).toBe(weights.length);
    expect(await moved(new Uint8Array(latticeRates).fill(3 * latticeRateUnit))).toBe(0);
    const inwardsDear = Uint8Array.from({ length: latticeRates }, (_, i) => (i % 2 === 1 ? 255 : 0));
    expect(await moved(inwardsDear)).toBe(weights.length);
    expect(await moved(inwardsDear.map((rate) => 255 - rate))).toBe(0);
  });

  it('writes the same targets to given memory, which must fit', async () => {
    const targets = await core.latticeTargets(await request());
    const room = new Uint8Array(targets.byteLength + 8).fill(0xee);
    const found = await core.latticeTargets(await request(), { into: room.subarray(4, 4 + targets.byteLength) });
    expect(found).toEqual(targets);
    expect([found.buffer, found.byteOffset]).toEqual([room.buffer, 4]);
    expect([...room.subarray(0, 4), ...room.subarray(-4)]).toEqual(Array(8).fill(0xee));
    for (const [start, end] of [
      [0, targets.byteLength - 4],
      [0, targets.byteLength + 4],
      [1, 1 + targets.byteLength],
    ])
      await expect(core.latticeTargets(await request(), { into: room.subarray(start, end) })).rejects.toMatchObject({
        code: 'native-failure',
      });
  });

  it.each<[string, Partial<GptqWeights>]>([
    ['too many elements', { firstElement: 1 }],
    ['a strength above one', { strength: 1.5 }],
    ['a dead zone of more than a step', { deadZone: 257 }],
    ['previous values of another length', { previous: { values: new Int32Array(3), activity: new Uint8Array(3) } }],
    ['rates of another number', { symbolRates: new Uint8Array(latticeRates - 1) }],
  ])('refuses %s', async (_, changes) => {
    await expect(core.latticeTargets(await request(changes))).rejects.toMatchObject({ code: 'native-failure' });
  });

  it('refuses a factor that is not of the matrix, and weights beyond the lattice', async () => {
    const fitting = await place();
    await expect(core.latticeTargets(await request({ place: { ...fitting, inputs: 36 } }))).rejects.toMatchObject({
      code: 'native-failure',
    });
    const wild = new Float32Array(segment.elementCount).fill((latticeWeightMax + 1) * 2 ** segment.exponent);
    await expect(core.latticeTargets(await request({ weights: new Uint8Array(wild.buffer) }))).rejects.toMatchObject({
      code: 'native-failure',
    });
  });

  it('refuses matrices that are no blocks and damping that is none', async () => {
    await expect(core.gramFactor(new Float32Array(10), { size: 3, damping: 1 })).rejects.toMatchObject({
      code: 'native-failure',
    });
    await expect(core.gramFactor(new Float32Array(9), { size: 3, damping: 0 })).rejects.toMatchObject({
      code: 'native-failure',
    });
    expect(await core.gramFactor(new Float32Array(9), { size: 3, damping: 1 })).toEqual(new Float32Array(9));
  });
});
