import { expect, test } from 'vitest';
import { loadCore } from '../../../src/native/load-core.ts';
import { uniformNoise } from '../noise.test-support.ts';
import { boundBits } from './bin-entropy.ts';
import { contextCodedBytes } from './context-coded-bytes.ts';

const core = loadCore({ threads: 1 });

/** Bins 0..39; a tenth of them moves by one, and a few from one end to the other, which needs an escape. */
function bins(count: number, seed: number): { previous: Int32Array; current: Int32Array } {
  const [where, moves] = [uniformNoise(count, seed), uniformNoise(count, seed + 1)];
  const previous = Int32Array.from(where, (share) => Math.floor(40 * share));
  return { previous, current: previous.map((bin, i) => (moves[i]! < 0.1 ? (bin + 1) % 40 : bin)) };
}

test('bins of a delta cost little more than their entropy, several blocks and tensors together', async () => {
  const [first, second] = [bins(200_000, 1), bins(90_000, 5)];
  const bytes = await contextCodedBytes(core, [first, second]);
  const bound = boundBits([first, second]) / 8;
  expect(bytes).toBeGreaterThan(bound * 0.98);
  expect(bytes).toBeLessThan(bound * 1.08);
});

test('a bin two checkpoints ago is used where it says who moves', async () => {
  const count = 100_000;
  const { previous } = bins(count, 1);
  const [sides, moves] = [uniformNoise(count, 9), uniformNoise(count, 11)];
  const beforePrevious = Int32Array.from(sides, (share) => Math.round(share));
  const current = previous.map((bin, i) => (moves[i]! < (beforePrevious[i] === 1 ? 0.9 : 0.1) ? (bin + 1) % 40 : bin));
  const deep = await contextCodedBytes(core, [{ current, previous, beforePrevious }]);
  expect(deep).toBeLessThan(0.6 * (await contextCodedBytes(core, [{ current, previous }])));
});
