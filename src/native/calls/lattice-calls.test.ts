import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { dtypeBytes, quantizableDtypes } from '../../checkpoint/dtype.ts';
import {
  latticeErrorWords,
  latticeEscape,
  latticeExponentMax,
  latticeExponentMin,
  latticeStatisticsWords,
  type LatticeBlock,
  type LatticeSymbols,
  type LatticeSegment,
  type LatticeState,
} from '../core.ts';
import {
  afterOf,
  contextOf,
  moveOf,
  placedUnits,
  unitsOf,
  symbolOf,
  valueOf,
  type ElementState,
} from '../lattice-reference.test-support.ts';
import { latticeError } from '../lattice-error.ts';
import { loadCore } from '../load-core.ts';
import { bf16Bits, f32FromBits, randomNumbers, randomWeights, valuesOf } from '../reference.test-support.ts';

const core = loadCore({ threads: 2 });
const segments: readonly LatticeSegment[] = [
  { elementCount: 3000, exponent: -16, step: 300, shift: 0, offsets: [20, 3, -7], gain: 256 },
  { elementCount: 1, exponent: -20, step: 65535, shift: 0, offsets: [0, 0, 0], gain: 0 },
  { elementCount: 1777, exponent: -18, step: 40, shift: 2, offsets: [-39, 39, 1], gain: 1023 },
];
const count = segments.reduce((sum, { elementCount }) => sum + elementCount, 0);
const segmentOf = segments.flatMap((segment) => new Array<LatticeSegment>(segment.elementCount).fill(segment));
const deadZone = 159;

/** Weights that drift through the checkpoints. */
function weightsAt(checkpoint: number): Uint8Array {
  const [start, drift, noise] = [1, 2, 3 + checkpoint].map((seed) =>
    valuesOf(randomWeights(count, 'F32', seed), 'F32'),
  );
  return new Uint8Array(
    Float32Array.from(start!, (w, i) => w + 0.1 * checkpoint * drift![i]! + 0.02 * noise![i]!).buffer,
  );
}

interface Step {
  readonly weights: Uint8Array;
  readonly block: LatticeBlock;
  readonly moves: LatticeSymbols;
  readonly state: LatticeState;
  readonly statistics: BigInt64Array;
}

async function steps(checkpoints: number): Promise<Step[]> {
  const done: Step[] = [];
  for (let i = 0; i < checkpoints; i++) {
    const weights = weightsAt(i);
    const block: LatticeBlock = { segments, ...(i > 0 && { previous: done[i - 1]!.state }) };
    const { statistics, ...moves } = await core.latticeQuantize({ ...block, weights, dtype: 'F32', deadZone });
    done.push({ weights, block, moves, statistics, state: await core.latticeApply(moves, block) });
  }
  return done;
}

function elementsOf(state: LatticeState | undefined): (ElementState | undefined)[] {
  return segmentOf.map((_, i) => state && { k: state.values[i]!, activity: state.activity[i]! });
}

/** Moves from a state, computed by the reference. */
function movesOf({ weights, block }: Step): number[] {
  const previous = elementsOf(block.previous);
  return valuesOf(weights, 'F32').map((w, i) =>
    moveOf(unitsOf(w, segmentOf[i]!.exponent), previous[i], segmentOf[i]!, deadZone),
  );
}

describe('a base and the checkpoints after it', async () => {
  const series = await steps(4);

  it.each(series.map((step, i) => [i, step] as const))(
    'have the moves, contexts and states of the rules: checkpoint %i',
    async (_, step) => {
      const previous = elementsOf(step.block.previous);
      const moves = movesOf(step);
      const symbols = moves.map((q, i) => symbolOf(q, previous[i]));
      expect([...step.moves.symbols]).toEqual(symbols.map((symbol) => Math.min(symbol, latticeEscape)));
      expect([...step.moves.escapes]).toEqual(
        symbols.filter((symbol) => symbol >= latticeEscape).map((symbol) => symbol - latticeEscape),
      );
      expect([...(await core.latticeContexts(step.block))]).toEqual(
        previous.map((state, i) => contextOf(state, segmentOf[i]!)),
      );
      expect(elementsOf(step.state)).toEqual(moves.map((q, i) => afterOf(q, previous[i], segmentOf[i]!)));
    },
  );

  it('are tested with escapes, with weights that stay and with moves of every size', () => {
    expect(series[0]!.moves.escapes.length).toBeGreaterThan(0);
    for (const symbol of [0, 1, 2, 3, 4, 5, 6])
      expect(series.flatMap(({ moves }) => [...moves.symbols])).toContain(symbol);
  });

  it('are rebuilt within half a step and the dead zone', async () => {
    for (const { weights, state } of series) {
      const values = valuesOf(
        await core.latticeValues(state.values, [{ ...segments[0]!, elementCount: count }], 'F32'),
        'F32',
      );
      const wanted = valuesOf(weights, 'F32');
      const bound = (0.5 + deadZone / 256) * segments[0]!.step * 2 ** segments[0]!.exponent;
      for (let i = 0; i < segments[0]!.elementCount; i++) expect(Math.abs(values[i]! - wanted[i]!)).toBeLessThan(bound);
    }
  });

  it.each(quantizableDtypes)('give the values of the rules in %s', async (dtype) => {
    const { state } = series[3]!;
    const exact = Array.from(state.values, (k, i) => valueOf(k, segmentOf[i]!));
    const wide = await core.latticeValues(state.values, segments, 'F32');
    expect(valuesOf(wide, 'F32')).toEqual(exact.map((value) => value + 0));
    expect(await core.latticeValues(state.values, segments, dtype)).toEqual(await core.convert(wide, 'F32', dtype));
    if (dtype === 'BF16') {
      const rounded = valuesOf(await core.latticeValues(state.values, segments, dtype), dtype);
      expect(rounded).toEqual(exact.map((value) => f32FromBits(bf16Bits(value) * 65536)));
    }
  });

  it('have the statistics that offsets and gain are made from', () => {
    for (const step of series) {
      const sums = new BigInt64Array(segments.length * latticeStatisticsWords);
      const previous = elementsOf(step.block.previous);
      const moves = movesOf(step);
      valuesOf(step.weights, 'F32').forEach((w, i) => {
        const segment = segmentOf[i]!;
        const first = segments.indexOf(segment) * latticeStatisticsWords;
        const x = unitsOf(w, segment.exponent);
        const k = (previous[i]?.k ?? 0) * 2 ** segment.shift;
        const q = moves[i]!;
        const add = (index: number, value: number) => {
          sums[first + index]! += BigInt(value);
        };
        add(6, x * x);
        add(7, x * (k + q * segment.step));
        if (q === 0) return;
        const j = Math.min(Math.abs(q), 3) - 1;
        add(j, 1);
        add(3 + j, Math.abs(x - k) - Math.abs(q) * segment.step);
        add(8 + j, x * Math.sign(q));
      });
      expect(step.statistics).toEqual(sums);
    }
  });

  it('have the errors of the rebuilt values, also weighted, with whatever offsets and gain', async () => {
    const { weights, moves, block } = series[3]!;
    const fitted = segments.map((segment) => ({
      ...segment,
      offsets: [segment.step >> 3, 0, 1 - segment.step] as const,
      gain: 300,
    }));
    const { values } = await core.latticeApply(moves, { ...block, segments: fitted });
    const random = randomNumbers(9);
    const gradients = Float32Array.from({ length: count }, () => random() * 4 - 2);
    gradients[5] = NaN;
    gradients[6] = 1e30;
    const gradientScales = Float32Array.of(3, 0, 20);
    const pair = { weights, weightDtype: 'F32' as const };
    const weighted = {
      ...pair,
      gradients: new Uint8Array(gradients.buffer),
      gradientDtype: 'F32' as const,
      gradientScales,
    };
    for (const request of [pair, weighted]) {
      const expected = segments.map(() => ({ error: 0, fresh: 0 }));
      valuesOf(weights, 'F32').forEach((w, i) => {
        const index = segments.indexOf(segmentOf[i]!);
        const { exponent, step } = segmentOf[i]!;
        const x = unitsOf(w, exponent);
        const over = Math.abs(x) % step;
        const h = Math.fround(gradients[i]! * gradientScales[index]!);
        const weight =
          request === pair || gradientScales[index] === 0
            ? 1
            : Number.isNaN(h)
              ? 0
              : Math.min(Math.fround(h * h), 2 ** 40);
        expected[index]!.error += weight * (x - (values[i]! * (768 + 300)) / 1024) ** 2;
        expected[index]!.fresh += weight * Math.min(over, step - over) ** 2;
      });
      const chain = { links: [], start: block.previous! };
      const { errors } = await core.residualQuantize(
        { ...request, segments, slots: new Uint32Array(3), deadZone, chain },
        { counts: core.createContextCounts(), keep: false },
      );
      fitted.forEach((segment, i) => {
        const sums = errors.subarray(i * latticeErrorWords, (i + 1) * latticeErrorWords);
        const found = latticeError(sums, segment);
        expect(Math.abs(found.error - expected[i]!.error)).toBeLessThanOrEqual(1e-9 * (expected[i]!.error + sums[0]!));
        expect(Math.abs(found.fresh - expected[i]!.fresh)).toBeLessThanOrEqual(1e-9 * expected[i]!.fresh);
      });
    }
  });

  it('refuse symbols and escapes no encoder writes', async () => {
    const { moves, block } = series[0]!;
    const { symbols, escapes } = moves;
    const damage: LatticeSymbols[] = [
      { symbols: symbols.with(7, 32), escapes },
      { symbols, escapes: escapes.subarray(1) },
      { symbols, escapes: Uint32Array.of(...escapes, 0) },
      { symbols, escapes: escapes.with(0, 0xffff_ffff) },
    ];
    for (const hostile of damage)
      await expect(core.latticeApply(hostile, block)).rejects.toMatchObject({ code: 'corrupt-package' });
    const far: LatticeState = { values: new Int32Array(count).fill(2 ** 22), activity: new Uint8Array(count) };
    const still: LatticeSymbols = { symbols: new Uint8Array(count), escapes: new Uint32Array() };
    await expect(core.latticeApply(still, { segments, previous: far })).rejects.toMatchObject({
      code: 'corrupt-package',
    });
  });
});

describe('elements without a state', () => {
  it.each(quantizableDtypes)('in %s are placed at the nearest unit, and bounded', async (dtype) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 4, maxLength: 400 }),
        fc.integer({ min: latticeExponentMin, max: latticeExponentMax }),
        async (bytes, exponent) => {
          const elements = bytes.slice(0, bytes.length - (bytes.length % dtypeBytes[dtype]));
          const numbers = valuesOf(await core.convert(elements, dtype, 'F32'), 'F32');
          const segment = { ...segments[0]!, exponent, elementCount: numbers.length };
          const placed = await core.latticePlace(elements, [segment], dtype);
          expect([...placed]).toEqual(numbers.map((number) => placedUnits(number, exponent)));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('have units of their own segment', async () => {
    const elements = new Uint8Array(Float32Array.of(1, NaN, -2.5, 1e30, -Infinity, 0.5).buffer);
    const of = (elementCount: number, exponent: number) => ({ ...segments[0]!, elementCount, exponent });
    expect([...(await core.latticePlace(elements, [of(2, -3), of(3, 0), of(1, -1)], 'F32'))]).toEqual([
      8, 0, -2, 8388607, -8388607, 1,
    ]);
  });
});

describe('weights that no lattice holds', () => {
  const segment = { ...segments[0]!, elementCount: 1, exponent: 0 };

  it.each([NaN, Infinity, -Infinity, 4194303.5, -4194304, 1e30])('are refused: %d', async (weight) => {
    const weights = new Uint8Array(Float32Array.of(weight).buffer);
    await expect(core.latticeQuantize({ weights, dtype: 'F32', segments: [segment], deadZone })).rejects.toMatchObject({
      code: 'native-failure',
    });
  });

  it('begin right after the largest one', async () => {
    const weights = new Uint8Array(Float32Array.of(-4194303).buffer);
    const { symbols, escapes } = await core.latticeQuantize({ weights, dtype: 'F32', segments: [segment], deadZone });
    expect([symbols[0], escapes[0]]).toEqual([latticeEscape, 2 * 13981 - 1 - latticeEscape]);
  });
});
