import { describe, expect, it } from 'vitest';
import { buildSafetensorsHeader, type PlannedTensor } from '../checkpoint/safetensors/safetensors-header.ts';
import { placeCopies } from './blocks/copied-tensors.ts';
import { decodePackageIndex } from './index/decode-index.ts';
import { encodePackageIndex } from './index/encode-index.ts';
import { gatherBlock, TensorNames } from './blocks/gather-blocks.ts';
import { prefixBytes } from './package-frame.ts';
import type { FormatVersion, PackageFile, PackageIndex, TensorCoding } from './package-index.ts';
import { planFile, planTensors, type FilePlan } from './blocks/plan-file.ts';
import { refusalOf } from './refusal.test-support.ts';

const id = '1'.repeat(32);
const exact: TensorCoding = { kind: 'exact', layerType: 'buffer' };
const kept = (file: number, tensor: number): TensorCoding => ({ kind: 'inherited', file, tensor });
const copyOf = (file: number, tensor: number): TensorCoding => ({ kind: 'copy', file, tensor });

interface FileToMake {
  readonly path: string;
  readonly tensors: readonly (PlannedTensor & { readonly coding?: TensorCoding })[];
}

function filesOf(files: readonly FileToMake[]): PackageFile[] {
  let offsetBytes = prefixBytes;
  const entry = () => ({ offsetBytes: (offsetBytes += 3) - 3, lengthBytes: 3, crc32c: 7 });
  const made = files.map(({ path, tensors }): PackageFile => {
    const layout = buildSafetensorsHeader(tensors, {});
    const codings = layout.tensors.map(({ name }) => tensors.find((tensor) => tensor.name === name)!.coding ?? exact);
    return {
      path,
      sizeBytes: layout.sizeBytes,
      sha256: 'ab'.repeat(32),
      content: { type: 'safetensors', layout, codings, blocks: planTensors(layout, codings).blocks.map(entry) },
    };
  });
  return [
    ...made,
    { path: 'blob', sizeBytes: 600, sha256: 'cd'.repeat(32), content: { type: 'blob', blocks: [entry()] } },
  ];
}

const float = (name: string, count: number, coding?: TensorCoding): FileToMake['tensors'][number] => ({
  name,
  dtype: 'F32',
  shape: [count],
  ...(coding && { coding }),
});
const half = (name: string, count: number): FileToMake['tensors'][number] => ({ name, dtype: 'F16', shape: [count] });

const ancestor: PackageIndex = {
  formatVersion: 6,
  id: '2'.repeat(32),
  kind: 'base',
  codebooks: [],
  tableSets: [],
  files: filesOf([
    {
      path: 'one',
      tensors: [float('a', 300_000), float('b', 600), float('tied', 600, copyOf(0, 1)), float('empty', 0)],
    },
    { path: 'two', tensors: [float('b', 700), float('c', 700), half('h', 600)] },
  ]),
};

function deltaOf(files: readonly FileToMake[]): PackageIndex {
  return {
    formatVersion: 6,
    id,
    kind: 'delta',
    ancestorId: ancestor.id,
    codebooks: [],
    tableSets: [],
    files: filesOf(files),
  };
}

const decoded = (index: PackageIndex, formatVersion: FormatVersion = 6): PackageIndex =>
  decodePackageIndex(encodePackageIndex(index, index.kind === 'delta' ? ancestor : undefined), {
    id: index.id,
    formatVersion,
    ...(index.kind === 'delta' && { ancestor }),
  });

const refusal = (index: PackageIndex, formatVersion?: FormatVersion): string =>
  refusalOf(() => decoded(index, formatVersion));

/** Tensor 1 of file `one` of the ancestor, by its layout: the names are in the order of their offsets. */
const numberOf = (path: string, name: string): [number, number] => {
  const file = ancestor.files.findIndex((each) => each.path === path);
  const content = ancestor.files[file]!.content;
  return [
    file,
    content.type === 'safetensors' ? content.layout.tensors.findIndex((tensor) => tensor.name === name) : -1,
  ];
};

describe('an index with inherited tensors', () => {
  it('says which they are in the ancestor: of any file, name and coding', () => {
    const index = deltaOf([
      {
        path: 'one',
        tensors: [float('x', 300_000, kept(...numberOf('one', 'a'))), float('b', 700, kept(...numberOf('two', 'c')))],
      },
      { path: 'new', tensors: [float('y', 600, kept(...numberOf('one', 'tied'))), float('z', 600)] },
    ]);
    expect(decoded(index)).toEqual(index);
    for (const version of [1, 2, 4, 5] as const) expect(refusal(index, version)).not.toBe('accepted');
  });

  it.each<[string, TensorCoding, string]>([
    ['of another size', kept(...numberOf('two', 'b')), 'another dtype or size'],
    ['of another dtype', kept(...numberOf('two', 'h')), 'another dtype or size'],
    ['that is not there', kept(0, 9), 'none of the ancestor'],
    ['far outside', kept(0, 2 ** 31), 'none of the ancestor'],
    ['of a file that is not there', kept(3, 0), 'none of the ancestor'],
    ['of a blob', kept(2, 0), 'none of the ancestor'],
    ['that is a copy of a kept one', copyOf(0, 0), 'no blocks itself'],
  ])('is refused with one %s', (_, coding, reason) => {
    const index = deltaOf([
      { path: 'one', tensors: [float('k', 600, kept(...numberOf('one', 'b'))), float('x', 600, coding)] },
    ]);
    expect(refusal(index)).toContain(reason);
  });

  it('is refused with an empty one, and in a base', () => {
    expect(refusal(deltaOf([{ path: 'one', tensors: [float('x', 0, kept(...numberOf('one', 'empty')))] }]))).toContain(
      'none of the ancestor',
    );
    expect(
      refusal({ ...ancestor, files: filesOf([{ path: 'one', tensors: [float('x', 600, kept(0, 1))] }]) }),
    ).toContain('none of the ancestor');
  });

  it('is refused with more of them than a reader may allocate for', () => {
    // The ancestor declares a tensor of more than a terabyte: each tensor that inherits it would be two million blocks.
    const elementCount = 2 ** 21 * 131_072;
    const there = { ...ancestor, files: filesOf([{ path: 'one', tensors: [] }]) };
    const huge: PackageIndex = {
      ...there,
      files: there.files.map((file) => (file.path === 'one' ? withTensor(file, elementCount) : file)),
    };
    const deltaWith = (names: readonly string[]): PackageIndex =>
      deltaOf([{ path: 'one', tensors: names.map((name) => float(name, elementCount, kept(0, 0))) }]);
    const read = (index: PackageIndex) =>
      decodePackageIndex(encodePackageIndex(index, huge), { id, formatVersion: 6, ancestor: huge });
    expect(read(deltaWith(['a', 'b'])).files).toHaveLength(2);
    expect(() => read(deltaWith(['a', 'b', 'c']))).toThrow(
      expect.objectContaining({ detail: expect.stringContaining('more copies') as string }) as Error,
    );
  });

  it('gives them blocks behind the file’s own, cut as the ancestor’s are', () => {
    const { content } = deltaOf([
      { path: 'one', tensors: [float('b', 600), float('x', 300_000, kept(...numberOf('one', 'a')))] },
    ]).files[0]!;
    if (content.type !== 'safetensors') throw new TypeError('not safetensors');
    const { codings, layout } = content;
    const placed = placeCopies(planTensors(layout, codings), {
      codings,
      file: 0,
      planOf: () => expect.fail('no other file is asked for'),
    });
    const named = { file: 0, tensor: numberOf('one', 'a')[1] };
    expect(placed.copied).toEqual([
      { inherited: named, firstElement: 0, elementCount: 131_072 },
      { inherited: named, firstElement: 131_072, elementCount: 131_072 },
      { inherited: named, firstElement: 262_144, elementCount: 37_856 },
    ]);
    const x = layout.tensors.findIndex(({ name }) => name === 'x');
    expect([placed.firstBlock[x], placed.firstElement[x]]).toEqual([placed.blocks.length, 0]);
  });
});

describe('a gathered block', () => {
  const names = new TensorNames(ancestor.files);
  const planOf = (file: number): FilePlan => {
    const { content } = ancestor.files[file]!;
    const plan = planFile(ancestor.files[file]!)!;
    return content.type === 'safetensors' ? placeCopies(plan, { codings: content.codings, file, planOf }) : plan;
  };
  const gathered = (path: string, tensors: FileToMake['tensors']) => {
    const plan = planFile(filesOf([{ path, tensors }])[0]!)!;
    return plan.blocks.map((block) =>
      gatherBlock(block, { path, plan, rowsMayDiffer: false }, { names, planOf })?.map(
        ({ file, tensor, firstElement }) => [file, tensor, firstElement],
      ),
    );
  };

  it('has the elements of the tensors of the same names, first of all of the file of the same path', () => {
    expect(gathered('one', [float('b', 600), float('c', 700)])).toEqual([
      [
        [...numberOf('one', 'b'), 0],
        [...numberOf('two', 'c'), 700],
      ],
    ]);
    expect(gathered('two', [float('b', 700)])).toEqual([[[...numberOf('two', 'b'), 0]]]);
    expect(gathered('other', [float('b', 600)])).toEqual([[[...numberOf('one', 'b'), 0]]]);
  });

  it('follows copies to their originals, and large tensors block by block', () => {
    expect(gathered('other', [float('tied', 600)])).toEqual([[[...numberOf('one', 'tied'), 0]]]);
    expect(gathered('other', [float('a', 300_000)])).toEqual([0, 1, 2].map(() => [[...numberOf('one', 'a'), 0]]));
  });

  it('is none if a tensor has no namesake, or one of another dtype or size', () => {
    expect(gathered('one', [float('b', 600), float('new', 5)])).toEqual([undefined]);
    expect(gathered('one', [float('h', 600)])).toEqual([undefined]);
    expect(gathered('two', [float('b', 600)])).toEqual([undefined]);
  });
});

/** The file with one tensor instead of its own. Blocks are left out, because no test here uses them. */
function withTensor(file: PackageFile, elementCount: number): PackageFile {
  if (file.content.type !== 'safetensors') throw new TypeError('not safetensors');
  return {
    ...file,
    content: { ...file.content, layout: buildSafetensorsHeader([float('huge', elementCount)], {}), codings: [exact] },
  };
}
