import { describe, expect, it } from 'vitest';
import type { Dtype } from '../../checkpoint/dtype.ts';
import type { QuantizedLayerType } from '../../checkpoint/layer-type.ts';
import { buildSafetensorsHeader } from '../../checkpoint/safetensors/safetensors-header.ts';
import { blockElementsMax } from '../../native/core.ts';
import { levelModulus, matchBlocks, type PlannedFile } from './match-blocks.ts';
import type { PackageCodebook, TensorCoding } from '../package-index.ts';
import { planBlob, planTensors } from './plan-file.ts';

const book = (layerType: QuantizedLayerType, levelCount = 4): PackageCodebook => ({
  layerType,
  dtype: 'F32',
  levelCount,
  table: new Uint8Array(4 * levelCount),
  tableSet: 0,
});

/** A file of tensors `name count coding`, the coding being `exact` or a layer type with a codebook. */
function file(
  codebooks: readonly PackageCodebook[],
  tensors: readonly (readonly [name: string, count: number, coding: 'exact' | QuantizedLayerType, dtype?: Dtype])[],
): PlannedFile {
  const layout = buildSafetensorsHeader(
    tensors.map(([name, count, , dtype]) => ({ name, dtype: dtype ?? 'F32', shape: [count] })),
  );
  const codings = tensors.map(([, , coding]): TensorCoding =>
    coding === 'exact'
      ? { kind: 'exact', layerType: 'norm' }
      : { kind: 'levels', codebook: codebooks.findIndex(({ layerType }) => layerType === coding) },
  );
  return { plan: planTensors(layout, codings), codebooks };
}

const matches = (ancestor: PlannedFile, now: PlannedFile): number[] => [
  ...matchBlocks({ ...ancestor, number: 0 }, now),
];
const large = 2 * blockElementsMax + 1;

describe('matchBlocks', () => {
  const tensors = [
    ['a', 10, 'linear'],
    ['n', 5, 'exact'],
    ['b', large, 'linear'],
    ['e', 7, 'embedding'],
  ] as const;
  const ancestor = file([book('linear'), book('embedding')], tensors);

  it('pairs every block of an equal plan, whatever the codebook numbers and level counts', () => {
    expect(matches(ancestor, ancestor)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(matches(ancestor, file([book('embedding', 9), book('linear', 2)], tensors))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('leaves out exactly the blocks whose coding changed', () => {
    expect(
      matches(
        ancestor,
        file(
          [book('linear'), book('embedding')],
          [
            ['a', 10, 'exact'],
            ['n', 5, 'exact'],
            ['b', large, 'linear'],
            ['e', 7, 'embedding'],
          ],
        ),
      ),
    ).toEqual([-1, 2, 3, 4, 5]);
    expect(
      matches(
        ancestor,
        file(
          [book('convolution'), book('embedding')],
          [
            ['a', 10, 'convolution'],
            ['n', 5, 'exact'],
            ['b', large, 'convolution'],
            ['e', 7, 'embedding'],
          ],
        ),
      ),
    ).toEqual([-1, 1, -1, -1, -1, 5]);
  });

  it('follows names, not positions; a renamed, resized or missing tensor has no match', () => {
    expect(
      matches(
        ancestor,
        file(
          [book('linear'), book('embedding')],
          [
            ['e', 7, 'embedding'],
            ['b', large, 'linear'],
            ['n', 5, 'exact'],
          ],
        ),
      ),
    ).toEqual([5, 2, 3, 4, 1]);
    expect(matches(ancestor, file([book('linear')], [['b', large + 3, 'linear']]))).toEqual([2, 3, -1]);
    expect(
      matches(
        ancestor,
        file(
          [book('linear')],
          [
            ['other', 10, 'linear'],
            ['n', 6, 'exact'],
          ],
        ),
      ),
    ).toEqual([-1, -1]);
    expect(matches(file([], [['a', 0, 'exact']]), file([], [['a', 3, 'exact']]))).toEqual([-1]);
  });

  it('pairs dtypes of one element kind and no others', () => {
    const ints = file([], [['i', 3, 'exact', 'I32']]);
    expect(matches(ints, file([], [['i', 3, 'exact', 'U32']]))).toEqual([0]);
    expect(matches(ints, file([], [['i', 3, 'exact', 'F32']]))).toEqual([-1]);
  });

  it('pairs the full blocks of a grown blob', () => {
    const blob = (sizeBytes: number): PlannedFile => ({ plan: planBlob(sizeBytes), codebooks: [] });
    expect(matches(blob(2 * blockElementsMax), blob(3 * blockElementsMax))).toEqual([0, 1, -1]);
    expect(matches(blob(0), blob(4))).toEqual([-1]);
  });

  it('takes the larger level count of both sides as modulus', () => {
    expect([
      levelModulus(book('linear', 4), undefined),
      levelModulus(book('linear', 4), book('linear', 9)),
      levelModulus(book('linear', 9), book('linear', 4)),
    ]).toEqual([4, 9, 9]);
  });
});
