import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Dtype } from '../../checkpoint/dtype.ts';
import { buildSafetensorsHeader } from '../../checkpoint/safetensors/safetensors-header.ts';
import { blockElementsMax } from '../../native/core.ts';
import { planBlocks } from './block-plan.ts';
import type { TensorCoding } from '../package-index.ts';
import { planBlob, planTensors } from './plan-file.ts';

type Wanted = { readonly dtype: Dtype; readonly count: number; readonly codebook?: number };

function layoutOf(tensors: readonly Wanted[]) {
  const layout = buildSafetensorsHeader(
    tensors.map(({ dtype, count }, i) => ({ name: `t${i}`, dtype, shape: [count] })),
  );
  const codings = tensors.map(({ codebook }): TensorCoding =>
    codebook === undefined ? { kind: 'exact', layerType: 'bias' } : { kind: 'levels', codebook },
  );
  return { layout, codings };
}

const shape = (tensors: readonly Wanted[]) => {
  const { layout, codings } = layoutOf(tensors);
  return planBlocks(layout.tensors, codings).map(({ segments, elementCount }) => [
    segments.map(({ tensor, firstElement }) => `${tensor}@${firstElement}`).join(' '),
    elementCount,
  ]);
};

describe('planBlocks', () => {
  it.each<[string, Wanted[], (string | number)[][]]>([
    [
      'small tensors of one coding share a block',
      [
        { dtype: 'F32', count: 10 },
        { dtype: 'F32', count: 20 },
      ],
      [['0@0 1@0', 30]],
    ],
    [
      'codings do not share',
      [
        { dtype: 'F32', count: 10 },
        { dtype: 'F32', count: 20, codebook: 0 },
        { dtype: 'F32', count: 30 },
      ],
      [
        ['0@0 2@0', 40],
        ['1@0', 20],
      ],
    ],
    [
      'dtypes of one element kind share',
      [
        { dtype: 'I32', count: 3 },
        { dtype: 'U32', count: 4 },
        { dtype: 'F32', count: 5 },
      ],
      [
        ['0@0 1@0', 7],
        ['2@0', 5],
      ],
    ],
    [
      'a tensor of exactly one block shares when it fits',
      [
        { dtype: 'U8', count: blockElementsMax },
        { dtype: 'U8', count: 1 },
      ],
      [
        ['0@0', blockElementsMax],
        ['1@0', 1],
      ],
    ],
    [
      'a larger tensor has blocks of its own, and the shared one goes on after it',
      [
        { dtype: 'U8', count: 1 },
        { dtype: 'U8', count: blockElementsMax + 5 },
        { dtype: 'U8', count: 2 },
      ],
      [
        ['0@0 2@0', 3],
        ['1@0', blockElementsMax],
        [`1@${blockElementsMax}`, 5],
      ],
    ],
    [
      'a tensor that does not fit closes the shared block',
      [
        { dtype: 'U8', count: 100_000 },
        { dtype: 'U8', count: 100_000 },
        { dtype: 'U8', count: 31_072 },
      ],
      [
        ['0@0', 100_000],
        ['1@0 2@0', blockElementsMax],
      ],
    ],
    [
      'empty tensors are in no block',
      [
        { dtype: 'F32', count: 0 },
        { dtype: 'F32', count: 1 },
        { dtype: 'F32', count: 0, codebook: 0 },
      ],
      [['1@0', 1]],
    ],
  ])('%s', (_, tensors, blocks) => {
    expect(shape(tensors)).toEqual(blocks);
  });

  it('covers every element once, in order inside a coding, in blocks of bounded size', () => {
    const tensor = fc.record({
      dtype: fc.constantFrom<Dtype>('F32', 'BF16', 'I64', 'U8', 'I16'),
      count: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 60_000, max: 400_000 })),
      codebook: fc.option(fc.integer({ min: 0, max: 1 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(tensor, { maxLength: 20 }), (tensors) => {
        const { layout, codings } = layoutOf(
          tensors.map(({ dtype, count, codebook }) => ({
            dtype,
            count,
            ...(codebook === undefined ? {} : { codebook }),
          })),
        );
        const plan = planTensors(layout, codings);
        const next = layout.tensors.map(() => 0);
        let first = -1;
        for (const [number, block] of plan.blocks.entries()) {
          expect(block.elementCount).toBeGreaterThan(0);
          expect(block.elementCount).toBeLessThanOrEqual(blockElementsMax);
          expect(block.segments.reduce((sum, segment) => sum + segment.elementCount, 0)).toBe(block.elementCount);
          expect(block.segments[0]!.tensor).toBeGreaterThanOrEqual(first);
          first = block.segments[0]!.tensor;
          for (const segment of block.segments) {
            expect(segment.firstElement).toBe(next[segment.tensor]!);
            next[segment.tensor]! += segment.elementCount;
            if (segment.firstElement === 0) expect(plan.firstBlock[segment.tensor]).toBe(number);
          }
        }
        expect(next).toEqual(layout.tensors.map(({ elementCount }) => elementCount));
      }),
      { numRuns: 60 },
    );
  });

  it('cuts any other file into blocks of bytes', () => {
    expect(planBlob(0).blocks).toEqual([]);
    expect(planBlob(5).blocks.map(({ coding, elementCount }) => [coding, elementCount])).toEqual([
      [{ kind: 'exact', elementKind: 'bytes' }, 5],
    ]);
    expect(planBlob(2 * blockElementsMax + 1).blocks.map(({ elementCount }) => elementCount)).toEqual([
      blockElementsMax,
      blockElementsMax,
      1,
    ]);
  });
});
