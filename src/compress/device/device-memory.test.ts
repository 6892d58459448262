import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCore } from '../../native/load-core.ts';
import { modelOf, openCompressHarness, type CompressHarness } from '../harness/compress-harness.test-support.ts';
import { f32, noise } from '../harness/tiny-model.test-support.ts';
import { sampleElementsMax } from '../plan/sample-blocks.ts';

/** Bytes of a weight in F32, of the state of its ancestor, of the state that it leaves behind, and of its symbols. */
const [weightBytes, stateBytes, leftStateBytes, symbolBytes] = [4, 5, 5, 2];
/** Most bytes of the blocks that a thread works on. */
const threadBytes = 4 * 2 ** 20;
const threads = 2;

/** The formula of docs/operations.md ("Encoding on a GPU"). */
const formula = (count: number): number =>
  count * (weightBytes + stateBytes + leftStateBytes + symbolBytes) +
  Math.min(count, sampleElementsMax) * stateBytes +
  threads * threadBytes;

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

// Peaks in docs/benchmarks/device.md are those of this test.
test.each([1024, 2048, 3072])(
  'a square of %i weights takes what the formula says',
  { timeout: 240_000 },
  async (side) => {
    const core = loadCore({ device: { kind: 'emulated', budgetBytes: 2 ** 30 }, threads });
    const run = await harness.newFixedRun({ method: 'residual', step: -32 });
    const [first, moves] = [noise(side * side, 1), noise(side * side, 2)];
    for (const step of [0, 1]) {
      const weights = f32(
        [side, side],
        first.map((x, i) => x + 0.05 * step * moves[i]!),
      );
      const ctx = harness.context({ core });
      const { state, result } = await harness.push(run, step, modelOf({ 'h.weight': weights }), { ctx });
      expect([state, result!.encodedOn]).toEqual(['ready', 'emulated']);
    }
    const { peakBytes, failures } = core.deviceFigures()!;
    expect(failures).toBe(0);
    expect(peakBytes).toBeLessThan(formula(side * side));
    expect(peakBytes).toBeGreaterThan(0.75 * formula(side * side));
  },
);
