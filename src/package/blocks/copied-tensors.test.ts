import { describe, expect, it } from 'vitest';
import { buildSafetensorsHeader, type PlannedTensor } from '../../checkpoint/safetensors/safetensors-header.ts';
import { blockElementsMax } from '../../native/core.ts';
import { placeCopies } from './copied-tensors.ts';
import { decodePackageIndex } from '../index/decode-index.ts';
import { encodePackageIndex } from '../index/encode-index.ts';
import { prefixBytes } from '../package-frame.ts';
import type { FormatVersion, PackageFile, PackageIndex, TensorCoding } from '../package-index.ts';
import { planFile, planTensors } from './plan-file.ts';
import { refusalOf } from '../refusal.test-support.ts';

const id = '1'.repeat(32);
const exact: TensorCoding = { kind: 'exact', layerType: 'buffer' };
const copyOf = (file: number, tensor: number): TensorCoding => ({ kind: 'copy', file, tensor });

const tensors: readonly PlannedTensor[] = [
  { name: 'a', dtype: 'F32', shape: [6, 100] },
  { name: 'b', dtype: 'F32', shape: [600] },
  { name: 'c', dtype: 'F32', shape: [100, 6] },
  { name: 'half', dtype: 'F16', shape: [600] },
  { name: 'less', dtype: 'F32', shape: [599] },
  { name: 'none', dtype: 'F32', shape: [0] },
];

type Codings = Readonly<Record<number, TensorCoding>>;

/** A package of a blob and two files with these tensors, numbers 0, 1 and 2. */
function packageOf(first: Codings, second: Codings, changes: Partial<PackageIndex> = {}): PackageIndex {
  let offsetBytes = prefixBytes;
  const entry = () => ({ offsetBytes: (offsetBytes += 3) - 3, lengthBytes: 3, crc32c: 7 });
  const fileOf = (path: string, codings: Codings): PackageFile => {
    const layout = buildSafetensorsHeader(tensors, {});
    const all = layout.tensors.map(({ name }) => codings[tensors.findIndex((tensor) => tensor.name === name)] ?? exact);
    const blocks = planTensors(layout, all).blocks.map(entry);
    return {
      path,
      sizeBytes: layout.sizeBytes,
      sha256: 'ab'.repeat(32),
      content: { type: 'safetensors', layout, codings: all, blocks },
    };
  };
  const blob: PackageFile = {
    path: 'blob',
    sizeBytes: 600,
    sha256: 'cd'.repeat(32),
    content: { type: 'blob', blocks: [entry()] },
  };
  const files = [blob, fileOf('one', first), fileOf('two', second)];
  return { formatVersion: 4, id, kind: 'base', codebooks: [], tableSets: [], files, ...changes };
}

function decoded(index: PackageIndex, formatVersion: FormatVersion = index.formatVersion): PackageIndex {
  return decodePackageIndex(encodePackageIndex(index), { id, formatVersion });
}

const refusal = (index: PackageIndex, formatVersion?: FormatVersion): string =>
  refusalOf(() => decoded(index, formatVersion));

describe('an index with copies', () => {
  it('says of which tensor each is, in its own file and in earlier ones, whatever their shapes', () => {
    const index = packageOf(
      { 1: copyOf(1, 0) },
      { 0: copyOf(1, 0), 1: copyOf(1, 2), 2: copyOf(1, 0), 3: copyOf(1, 3), 4: copyOf(1, 4) },
    );
    expect(decoded(index)).toEqual(index);
    expect(index.files[2]!.content).toMatchObject({ blocks: [] });
  });

  it('inherits codings from an ancestor that has copies, but not their originals', () => {
    const ancestor = packageOf({ 1: copyOf(1, 0) }, { 0: copyOf(1, 0) }, { id: '2'.repeat(32) });
    const delta = packageOf({ 1: copyOf(1, 0) }, { 0: copyOf(1, 2) }, { kind: 'delta', ancestorId: ancestor.id });
    const bytes = encodePackageIndex(delta, ancestor);
    expect(decodePackageIndex(bytes, { id, formatVersion: 4, ancestor })).toEqual(delta);
    expect(() => decodePackageIndex(bytes, { id, formatVersion: 2, ancestor })).toThrow();
  });

  it.each<[string, Codings, Codings, string]>([
    ['itself', { 1: copyOf(1, 1) }, {}, 'not come before'],
    ['a later tensor of its file', { 0: copyOf(1, 1) }, {}, 'not come before'],
    ['a tensor in a circle', { 0: copyOf(1, 1), 1: copyOf(1, 0) }, {}, 'not come before'],
    ['a copy', { 1: copyOf(1, 0), 2: copyOf(1, 1) }, {}, 'no blocks itself'],
    ['a copy in another file', { 1: copyOf(1, 0) }, { 0: copyOf(1, 1) }, 'no blocks itself'],
    ['a tensor that is not there', {}, { 0: copyOf(1, 6) }, 'no blocks itself'],
    ['one far outside', {}, { 0: copyOf(1, 2 ** 31) }, 'no blocks itself'],
    ['a blob', {}, { 0: copyOf(0, 0) }, 'without tensors'],
    ['a tensor of another dtype', {}, { 0: copyOf(1, 3) }, 'dtype or size'],
    ['a tensor of another size', {}, { 0: copyOf(1, 4) }, 'dtype or size'],
    ['an empty tensor', {}, { 5: copyOf(1, 5) }, 'dtype or size'],
  ])('is refused where one is of %s', (_, first, second, reason) => {
    expect(refusal(packageOf(first, second))).toContain(reason);
  });

  it('is refused if one is of a tensor stored elsewhere, of a missing file, and in other versions', () => {
    const index = packageOf({}, { 0: copyOf(1, 0) });
    const { content: _, ...file } = index.files[1]!;
    const external: PackageFile = { ...file, content: { type: 'external' } };
    expect(refusal({ ...index, files: [index.files[0]!, external, index.files[2]!] })).toContain('without tensors');
    // A distance beyond the first file.
    expect(refusal({ ...index, files: [index.files[2]!] })).not.toBe('accepted');
    expect(refusal(index, 2)).not.toBe('accepted');
  });
});

describe('the places of copies', () => {
  const large = 2 * blockElementsMax + 5;
  const layoutOf = (...counts: readonly number[]) =>
    buildSafetensorsHeader(
      counts.map((count, i) => ({ name: `t${i}`, dtype: 'F32', shape: [count] })),
      {},
    );

  it('are behind the blocks of the file, and those of a large tensor in as many blocks as its original', () => {
    const originals = planTensors(layoutOf(10, 20, large), [exact, exact, exact]);
    const codings = [copyOf(0, 0), copyOf(0, 1), exact, copyOf(0, 2), copyOf(1, 2)];
    const plan = planTensors(layoutOf(10, 20, 7, large, 7), codings);
    const placed = placeCopies(plan, { codings, file: 1, planOf: () => originals });
    expect(placed.blocks).toHaveLength(1);
    expect([...placed.firstBlock]).toEqual([1, 1, 0, 2, 5]);
    expect([...placed.firstElement]).toEqual([0, 10, 0, 0, 0]);
    expect(placed.copied).toEqual([
      { file: 0, block: 0 },
      { file: 0, block: 1 },
      { file: 0, block: 2 },
      { file: 0, block: 3 },
      { file: 1, block: 0 },
    ]);
  });

  it('leave a plan without copies as it is, and a blob', () => {
    const plan = planTensors(layoutOf(10), [exact]);
    expect(placeCopies(plan, { codings: [exact], file: 0, planOf: () => plan })).toBe(plan);
    expect(planFile({ sizeBytes: 3, content: { type: 'blob' } })!.copied).toEqual([]);
  });
});
