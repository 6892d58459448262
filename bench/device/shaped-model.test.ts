import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelShapes, parameterCount, tensorsOf, writeShapedModel } from './shaped-model.ts';

const small = { width: 64, layers: 2, vocabulary: 100 };

describe('a model of a given shape', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'firn-shaped-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  /** Values of a checkpoint, without the header. */
  const valuesOf = async (step: number, drift: number): Promise<Float32Array> => {
    const path = join(directory, `${step}-${drift}`);
    await writeShapedModel(path, small, { step, drift });
    const bytes = await readFile(path);
    const header = 8 + Number(bytes.readBigUInt64LE(0));
    return new Float32Array(new Uint8Array(bytes.subarray(header)).buffer);
  };

  it('has the number of parameters that it is named after, to a twentieth', () => {
    for (const [billions, shape] of modelShapes)
      expect(Math.abs(parameterCount(shape) / 1e9 / Number(billions) - 1)).toBeLessThan(0.05);
  });

  it('is the same in every call, and moves by the drift from step to step', async () => {
    const [first, again, second] = [await valuesOf(0, 0.05), await valuesOf(0, 0.06), await valuesOf(1, 0.05)];
    expect(first.length).toBe(parameterCount(small));
    expect(again).toEqual(first);
    const rows = tensorsOf(small)[0]!.shape[0]! * small.width;
    const deviation = (values: Float32Array): number =>
      Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
    const moved = deviation(second.subarray(0, rows).map((value, i) => value - first[i]!));
    // The logarithm of a weight's share has a deviation of 0.8, so its square is exp(0.64) in the mean.
    expect(moved / deviation(first.subarray(0, rows))).toBeCloseTo(0.05 * Math.exp(0.32), 1);
    expect(moved).toBeGreaterThan(0);
  });
});
