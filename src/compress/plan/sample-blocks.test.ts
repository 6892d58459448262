import { expect, test } from 'vitest';
import { blockElementsMax } from '../../native/core.ts';
import type { PlannedBlock } from '../../package/blocks/block-plan.ts';
import { sampleBlocks, sampleElementsMax } from './sample-blocks.ts';

function blocksOf(
  count: number,
  elementCount = blockElementsMax,
): { readonly number: number; readonly block: PlannedBlock }[] {
  return Array.from({ length: count }, (_, number) => ({
    number,
    block: { coding: { kind: 'residual', dtype: 'F32' }, segments: [], elementCount },
  }));
}

test('a small model is looked at whole', () => {
  const all = blocksOf(sampleElementsMax / blockElementsMax);
  expect(sampleBlocks(all)).toEqual({ blocks: all, scale: 1 });
  expect(sampleBlocks([])).toEqual({ blocks: [], scale: 1 });
});

test.each([17, 100, 256, 1000, 4001])(
  'of %i blocks about as many as the sample has room for are taken, and scaled to all of them',
  (count) => {
    const { blocks, scale } = sampleBlocks(blocksOf(count));
    expect(blocks.length * blockElementsMax).toBeGreaterThan(sampleElementsMax / 2);
    expect(blocks.length * blockElementsMax).toBeLessThanOrEqual(sampleElementsMax + blockElementsMax);
    expect(blocks.length * scale).toBeCloseTo(count, 6);
  },
);

test('every kind of block of a model of like layers is in the sample', () => {
  for (const period of [2, 4, 8, 12, 16]) {
    const { blocks } = sampleBlocks(blocksOf(32 * period));
    const kinds = new Set(blocks.map(({ number }) => number % period));
    expect(kinds.size).toBeGreaterThan(period / 2);
  }
});
