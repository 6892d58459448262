import { describe, expect, it } from 'vitest';

import type { LatticeSegment } from './core.ts';
import { fitLattice } from './fit-lattice.ts';
import { latticeError } from './lattice-error.ts';
import { loadCore } from './load-core.ts';
import { randomWeights, valuesOf } from './reference.test-support.ts';

const core = loadCore({ threads: 1 });

describe('fitLattice', () => {
  it.each([
    ['no moves', [0, 0, 0, 0, 0, 0, 900, 900, 0, 0, 0], { offsets: [0, 0, 0], gain: 256 }],
    ['means to the nearest, halves upwards', [2, 4, 3, -5, 10, 4, 0, 0, 0, 0, 0], { offsets: [3, -2, -1], gain: 256 }],
    ['offsets inside a step', [1, 1, 0, -70, 70, 0, 0, 0, 0, 0, 0], { offsets: [9, -9, 0], gain: 256 }],
    ['a gain for what the dead zone took', [0, 0, 0, 0, 0, 0, 1100, 1000, 0, 0, 0], { offsets: [0, 0, 0], gain: 358 }],
    ['products less the offsets', [10, 0, 0, -20, 0, 0, 1000, 1100, 50, 0, 0], { offsets: [2, 0, 0], gain: 256 }],
    ['a gain inside its range', [0, 0, 0, 0, 0, 0, 9000, 1000, 0, 0, 0], { offsets: [0, 0, 0], gain: 1023 }],
  ])('finds %s', (_, sums, fit) => {
    expect(fitLattice(BigInt64Array.from(sums.map(BigInt)), 10)).toEqual(fit);
  });

  it('leaves rare classes alone', () => {
    const sums = BigInt64Array.from([8, 9, 0, -40, -45, 0, 0, 0, 0, 0, 0].map(BigInt));
    expect(fitLattice(sums, 10, 9).offsets).toEqual([0, 5, 0]);
  });

  it('lowers the error and keeps the size of real blocks', async () => {
    const elementCount = 20_000;
    const weights = randomWeights(elementCount, 'F32', 1);
    const plain: LatticeSegment = { elementCount, exponent: -20, step: 30_000, shift: 0, offsets: [0, 0, 0], gain: 256 };
    const { statistics, ...moves } = await core.latticeQuantize({ weights, dtype: 'F32', segments: [plain], deadZone: 190 });
    const fitted = { ...plain, ...fitLattice(statistics, plain.step) };
    const block = { weights, weightDtype: 'F32', segments: [plain], slots: new Uint32Array(1), deadZone: 190 } as const;
    const { errors: sums } = await core.residualQuantize(
      { ...block, chain: { links: [], start: new Int32Array(1) } },
      { counts: core.createContextCounts(), keep: false },
    );
    const rebuild = async (segment: LatticeSegment) => {
      const { values } = await core.latticeApply(moves, { segments: [segment] });
      return { error: latticeError(sums, segment).error, values: valuesOf(await core.latticeValues(values, [segment], 'F32'), 'F32') };
    };
    const [before, after] = [await rebuild({ ...plain, gain: fitted.gain }), await rebuild(fitted)];
    expect(after.error).toBeLessThan(before.error);
    const exact = valuesOf(weights, 'F32');
    const product = (values: number[]) => exact.reduce((sum, w, i) => sum + w * values[i]!, 0);
    expect(product(after.values) / product(exact)).toBeCloseTo(1, 2);
  });
});
