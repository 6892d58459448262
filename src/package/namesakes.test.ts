import { describe, expect, it } from 'vitest';
import { buildSafetensorsHeader, type PlannedTensor } from '../checkpoint/safetensors/safetensors-header.ts';
import { gatherBlock, TensorNames } from './blocks/gather-blocks.ts';
import { matchBlocks } from './blocks/match-blocks.ts';
import { namesakesIn } from './blocks/namesakes.ts';
import type { Namesakes } from './tensor-place.ts';
import { planFile, planTensors, type FilePlan } from './blocks/plan-file.ts';
import { decodePackageIndex } from './index/decode-index.ts';
import { encodePackageIndex } from './index/encode-index.ts';
import { prefixBytes } from './package-frame.ts';
import type { FormatVersion, PackageFile, PackageIndex, SafetensorsContent, TensorCoding } from './package-index.ts';
import { refusalOf } from './refusal.test-support.ts';
import type { ResidualTensor } from './residual-tensor.ts';

const record: ResidualTensor = { exponent: -20, origin: 3, shift: 0, stepCode: 300, offsets: [1, -1], gain: 200 };

interface FileToMake {
  readonly path: string;
  readonly tensors: readonly PlannedTensor[];
  readonly namesakes?: Namesakes;
  readonly coding?: TensorCoding;
}

function filesOf(files: readonly FileToMake[]): PackageFile[] {
  let offsetBytes = prefixBytes;
  return files.map(({ path, tensors, namesakes, coding = { kind: 'exact', layerType: 'buffer' } }): PackageFile => {
    const layout = buildSafetensorsHeader(tensors, {});
    const codings = layout.tensors.map(() => coding);
    const { blocks } = planTensors(layout, codings);
    const content: SafetensorsContent = {
      ...{ type: 'safetensors', layout, codings },
      ...(coding.kind === 'residual' && { residuals: new Map(tensors.map((_, tensor) => [tensor, record])) }),
      ...(namesakes && { namesakes }),
      blocks: blocks.map(() => ({ offsetBytes: (offsetBytes += 3) - 3, lengthBytes: 3, crc32c: 7 })),
    };
    return { path, sizeBytes: layout.sizeBytes, sha256: 'ab'.repeat(32), content };
  });
}

const tensor = (name: string, ...shape: number[]): PlannedTensor => ({ name, dtype: 'F32', shape });
const parts = { codebooks: [], tableSets: [] };
const ancestor: PackageIndex = {
  ...{ ...parts, formatVersion: 1, id: '2'.repeat(32), kind: 'base' },
  files: filesOf([
    { path: 'one', tensors: [tensor('a', 600, 500), tensor('b', 60, 10), tensor('c', 30, 10)] },
    { path: 'two', tensors: [tensor('b', 70, 10), { name: 'h', dtype: 'F16', shape: [60, 10] }, tensor('v', 9)] },
    { path: 'none', tensors: [tensor('empty', 0, 10)] },
  ]),
};
const deltaOf = (files: readonly FileToMake[], changes: Partial<PackageIndex> = {}): PackageIndex => ({
  ...{ ...parts, formatVersion: 10, id: '1'.repeat(32), kind: 'delta', ancestorId: ancestor.id },
  files: filesOf(files),
  ...changes,
});
const decoded = (index: PackageIndex, formatVersion: FormatVersion = 10, before = ancestor): PackageIndex =>
  decodePackageIndex(encodePackageIndex(index, before), { id: index.id, formatVersion, ancestor: before });

const namesakes = (...places: [tensor: number, file: number, there: number][]): Namesakes =>
  new Map(places.map(([here, file, there]) => [here, { file, tensor: there }]));

describe('an index with namesakes', () => {
  it('says which tensors of the ancestor they are, of any file', () => {
    const index = deltaOf([
      {
        path: 'one',
        tensors: [tensor('x', 600, 500), tensor('y', 60, 10), tensor('z', 70, 10)],
        namesakes: namesakes([0, 0, 0], [2, 1, 0]),
      },
      { path: 'new', tensors: [tensor('y', 33, 10)], namesakes: namesakes([0, 0, 1]) },
      { path: 'two', tensors: [tensor('b', 70, 10)] },
    ]);
    expect(decoded(index)).toEqual(index);
  });

  it('takes few bytes where all tensors were renamed alike', () => {
    const names = Array.from({ length: 500 }, (_, i) => `layers.${i}.weight`);
    const before: PackageIndex = {
      ...ancestor,
      files: filesOf([{ path: 'one', tensors: names.map((name) => tensor(name, 60, 10)) }]),
    };
    const lengthWith = (listed: Namesakes | undefined): number =>
      encodePackageIndex(
        deltaOf([
          {
            ...{ path: 'one', tensors: names.map((name) => tensor(`model.${name}`, 60, 10)) },
            ...(listed && { namesakes: listed }),
          },
        ]),
        before,
      ).length;
    const all = namesakes(...names.map((_, i): [number, number, number] => [i, 0, i]));
    expect(lengthWith(all) - lengthWith(undefined)).toBeLessThan(40);
  });

  it.each<[string, PlannedTensor, [file: number, tensor: number]]>([
    ['of other rows', tensor('x', 60, 11), [0, 1]],
    ['of more dimensions', tensor('x', 60, 10, 1), [1, 0]],
    ['of another dtype', tensor('x', 60, 10), [1, 1]],
    ['that is not there', tensor('x', 60, 10), [0, 3]],
    ['of a file that is not there', tensor('x', 60, 10), [3, 0]],
  ])('is refused with one %s', (_, renamed, [file, there]) => {
    const index = deltaOf([{ path: 'one', tensors: [renamed], namesakes: namesakes([0, file, there]) }]);
    expect(refusalOf(() => decoded(index))).toContain('a listed namesake is none of the ancestor');
  });

  it('is not written in an older version or a base', () => {
    const files = [{ path: 'one', tensors: [tensor('x', 60, 10)], namesakes: namesakes([0, 0, 1]) }];
    expect(() => encodePackageIndex(deltaOf(files, { formatVersion: 6 }), ancestor)).toThrow();
    expect(() => encodePackageIndex({ ...ancestor, formatVersion: 10, files: filesOf(files) })).toThrow();
  });

  it('codes the record of a residual tensor against that of its namesake', () => {
    const residual = { tables: Uint8Array.of(1, 2, 3), scales: { vectors: 0, matrices: 0 } };
    const coding = { kind: 'residual' } as const;
    const before: PackageIndex = {
      ...{ ...ancestor, formatVersion: 2, residual },
      files: filesOf([{ path: 'one', tensors: [tensor('a', 60, 10)], coding }]),
    };
    const index = deltaOf([{ path: 'one', tensors: [tensor('x', 60, 10)], namesakes: namesakes([0, 0, 0]), coding }], {
      residual,
    });
    expect(decoded(index, 10, before)).toEqual(index);
    // Only a namesake of the same record leaves its fields zero.
    const alone = deltaOf([{ path: 'one', tensors: [tensor('x', 60, 10)], coding }], { residual });
    const bytes = (each: PackageIndex): Buffer => Buffer.from(encodePackageIndex(each, before));
    expect(bytes(index).length).not.toBe(bytes(alone).length);
  });
});

const planOf = (files: readonly PackageFile[], file: number): FilePlan => planFile(files[file]!)!;

describe('the blocks of tensors with namesakes', () => {
  const renamed = filesOf([
    { path: 'one', tensors: [tensor('x', 600, 500), tensor('y', 60, 10), tensor('z', 30, 10)] },
  ]);
  const match = (listed: Namesakes | undefined): number[] => [
    ...matchBlocks(
      { plan: planOf(ancestor.files, 0), codebooks: [], number: 0 },
      { plan: planOf(renamed, 0), codebooks: [], namesakes: listed },
    ),
  ];

  it('match those of the namesakes in the same file, and no others', () => {
    expect(match(undefined)).toEqual([-1, -1, -1, -1]);
    expect(match(namesakes([0, 0, 0]))).toEqual([0, 1, 2, -1]);
    expect(match(namesakes([0, 0, 0], [1, 0, 1], [2, 0, 2]))).toEqual([0, 1, 2, 3]);
    expect(match(namesakes([0, 0, 0], [1, 1, 1], [2, 0, 2]))).toEqual([0, 1, 2, -1]);
    expect(match(namesakes([0, 0, 0], [1, 0, 2], [2, 0, 1]))).toEqual([0, 1, 2, -1]);
  });

  it('do not match the tensor of their own name where another is listed', () => {
    const namesakeOf = namesakesIn(
      { layout: planOf(ancestor.files, 0).layout, namesakes: namesakes([1, 0, 2]) },
      { layout: planOf(ancestor.files, 0).layout, file: 0 },
    );
    expect([0, 1, 2].map(namesakeOf)).toEqual([0, 2, 2]);
  });

  const gather = (tensors: PlannedTensor[], listed: Namesakes | undefined, rowsMayDiffer = true) => {
    const plan = planOf(filesOf([{ path: 'one', tensors }]), 0);
    const there = { names: new TensorNames(ancestor.files), planOf: (file: number) => planOf(ancestor.files, file) };
    return plan.blocks.map((block) => {
      const found = gatherBlock(block, { path: 'one', plan, namesakes: listed, rowsMayDiffer }, there);
      return found?.map((part) => [part.file, part.tensor, part.elementCount, part.zeroBytes ?? 0]);
    });
  };

  it('are gathered from the namesakes of any file', () => {
    expect(gather([tensor('x', 60, 10), tensor('v', 9), tensor('w', 9)], namesakes([0, 0, 1], [2, 1, 2]))).toEqual([
      [
        [0, 1, 600, 0],
        [1, 2, 9, 0],
        [1, 2, 9, 0],
      ],
    ]);
  });

  it('have zeros for rows that the ancestor does not have, and leave out rows that they do not have', () => {
    expect(gather([tensor('b', 61, 10)], undefined)).toEqual([[[0, 1, 600, 40]]]);
    expect(gather([tensor('b', 59, 10)], undefined)).toEqual([[[0, 1, 590, 0]]]);
    expect(gather([tensor('x', 33, 10)], namesakes([0, 0, 2]))).toEqual([[[0, 2, 300, 120]]]);
    // Blocks of a large tensor that are in both, that is in part in both, and that is new.
    expect(gather([tensor('a', 900, 500)], undefined)).toEqual([
      [[0, 0, 131_072, 0]],
      [[0, 0, 131_072, 0]],
      [[0, 0, 37_856, 4 * (131_072 - 37_856)]],
      undefined,
    ]);
  });

  it('are not gathered from other rows in older versions, from rows of other lengths, or from nothing', () => {
    expect(gather([tensor('b', 61, 10)], undefined, false)).toEqual([undefined]);
    expect(gather([tensor('b', 59, 10)], undefined, false)).toEqual([undefined]);
    expect(gather([tensor('b', 60, 11)], undefined)).toEqual([undefined]);
    expect(gather([tensor('empty', 5, 10)], undefined)).toEqual([undefined]);
  });
});
