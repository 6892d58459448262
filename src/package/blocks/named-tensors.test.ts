import { describe, expect, it } from 'vitest';
import { buildSafetensorsHeader, type PlannedTensor } from '../../checkpoint/safetensors/safetensors-header.ts';
import { placeCopies } from './copied-tensors.ts';
import { decodePackageIndex } from '../index/decode-index.ts';
import { encodePackageIndex } from '../index/encode-index.ts';
import { formatVersions } from '../format-version.ts';
import { decodePrefix, encodePrefix, prefixBytes } from '../package-frame.ts';
import type { FormatVersion, PackageFile, PackageIndex, TensorCoding } from '../package-index.ts';
import { planTensors } from './plan-file.ts';
import { refusalOf } from '../refusal.test-support.ts';

const id = '1'.repeat(32);
const exact: TensorCoding = { kind: 'exact', layerType: 'buffer' };
const masterOf = (file: number, tensor: number): TensorCoding => ({
  kind: 'exact',
  layerType: 'buffer',
  modelWeights: { file, tensor },
});
const widenedOf = (file: number, tensor: number): TensorCoding => ({ kind: 'copy', file, tensor, widened: true });
const copyOf = (file: number, tensor: number): TensorCoding => ({ kind: 'copy', file, tensor });
const moments: TensorCoding = { kind: 'state', encoding: 'momentum' };

const tensors: readonly PlannedTensor[] = [
  { name: 'a', dtype: 'F32', shape: [6, 100] },
  { name: 'b', dtype: 'F32', shape: [600] },
  { name: 'half', dtype: 'F16', shape: [600] },
  { name: 'brain', dtype: 'BF16', shape: [30, 20] },
  { name: 'less', dtype: 'BF16', shape: [599] },
  { name: 'whole', dtype: 'I32', shape: [600] },
  { name: 'empty', dtype: 'F32', shape: [0] },
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
  return {
    formatVersion: 5,
    id,
    kind: 'base',
    codebooks: [],
    tableSets: [],
    files: [blob, fileOf('one', first), fileOf('two', second)],
    ...changes,
  };
}

const decoded = (index: PackageIndex, formatVersion: FormatVersion = index.formatVersion): PackageIndex =>
  decodePackageIndex(encodePackageIndex(index), { id, formatVersion });

const refusal = (index: PackageIndex, formatVersion?: FormatVersion): string =>
  refusalOf(() => decoded(index, formatVersion));

describe('an index with masters and widened copies', () => {
  it('contains the reference of each, to earlier and later files and its own, next to copies', () => {
    const index = packageOf({ 0: masterOf(2, 3), 1: widenedOf(2, 2) }, { 0: widenedOf(2, 3), 1: masterOf(1, 2) });
    expect(decoded(index)).toEqual(index);
    const withCopies = packageOf({}, { 0: masterOf(1, 3), 1: copyOf(2, 0), 3: copyOf(1, 3) });
    expect(decoded(withCopies)).toEqual(withCopies);
    const ofF32 = packageOf({ 0: widenedOf(2, 1) }, { 1: moments });
    expect(decoded(ofF32)).toEqual(ofF32);
  });

  it('inherits codings, but not their references', () => {
    const ancestor = packageOf({ 0: masterOf(2, 3) }, { 1: widenedOf(1, 2) }, { id: '2'.repeat(32) });
    const delta = packageOf({ 0: masterOf(1, 2) }, { 1: widenedOf(2, 3) }, { kind: 'delta', ancestorId: ancestor.id });
    const bytes = encodePackageIndex(delta, ancestor);
    expect(decodePackageIndex(bytes, { id, formatVersion: 5, ancestor })).toEqual(delta);
    for (const formatVersion of [1, 2, 4] as const)
      expect(() => decodePackageIndex(bytes, { id, formatVersion, ancestor })).toThrow();
  });

  it.each<[string, Codings, Codings, string]>([
    ['a master of itself', { 0: masterOf(1, 0) }, {}, 'other elements'],
    ['masters in a circle', { 0: masterOf(2, 0) }, { 0: masterOf(1, 0) }, 'other elements'],
    ['a master of F32', { 0: masterOf(2, 1) }, {}, 'other elements'],
    ['a master of a copy', { 0: masterOf(2, 3) }, { 3: copyOf(1, 3) }, 'not exact'],
    ['a master of another size', { 0: masterOf(1, 4) }, {}, 'another size'],
    ['a master of integers', { 0: masterOf(1, 5) }, {}, 'other elements'],
    ['a master that is not F32', { 2: masterOf(1, 3) }, {}, 'not F32'],
    ['a master of a tensor that is not there', { 0: masterOf(1, 7) }, {}, 'another size'],
    ['a master far outside', { 0: masterOf(1, 2 ** 31) }, {}, 'another size'],
    ['a master of a file that is not there', { 0: masterOf(3, 0) }, {}, 'without tensors'],
    ['a master of a blob', { 0: masterOf(0, 0) }, {}, 'without tensors'],
    ['an empty master', { 6: masterOf(1, 6) }, {}, 'another size'],
    ['a widened copy of itself', { 0: widenedOf(1, 0) }, {}, 'without blocks'],
    ['widened copies in a circle', { 0: widenedOf(2, 0) }, { 0: widenedOf(1, 0) }, 'without blocks'],
    ['a widened copy of a copy', { 0: widenedOf(2, 3) }, { 3: copyOf(1, 3) }, 'without blocks'],
    ['a copy of a widened copy', { 0: widenedOf(1, 3) }, { 0: copyOf(1, 0) }, 'no blocks itself'],
    ['a widened copy of integers', { 0: widenedOf(1, 5) }, {}, 'another dtype'],
    ['a widened copy that is not F32', { 3: widenedOf(1, 2) }, {}, 'not F32'],
    ['a widened copy of another size', { 0: widenedOf(1, 4) }, {}, 'another size'],
  ])('is refused with %s', (_, first, second, reason) => {
    const said = refusal(packageOf(first, second));
    expect(said).not.toBe('accepted');
    expect(said).toContain(reason);
  });

  it('is refused if a referenced tensor is stored elsewhere, and in other versions', () => {
    for (const coding of [masterOf(1, 3), widenedOf(1, 3)]) {
      const index = packageOf({}, { 0: coding });
      const { content: _, ...file } = index.files[1]!;
      const external: PackageFile = { ...file, content: { type: 'external' } };
      expect(refusal({ ...index, files: [index.files[0]!, external, index.files[2]!] })).toContain('without tensors');
      for (const version of [1, 2, 4] as const) expect(refusal(index, version)).not.toBe('accepted');
    }
  });
});

it('versions 5 and 6 are read, and a later one is not supported', () => {
  for (const version of [5, 6] as const) expect(decodePrefix(encodePrefix(id, version)).formatVersion).toBe(version);
  const later = encodePrefix(id, 5);
  later[4] = Math.max(...formatVersions) + 1;
  expect(() => decodePrefix(later)).toThrow(expect.objectContaining({ code: 'unsupported-format' }) as Error);
});

it('widened copies have blocks of their own, separate from plain copies of the same block', () => {
  const layout = buildSafetensorsHeader([tensors[0]!, tensors[1]!, tensors[6]!], {});
  const original = planTensors(buildSafetensorsHeader([{ name: 'x', dtype: 'F32', shape: [600] }], {}), [exact]);
  const codings = layout.tensors.map(({ name }) =>
    name === 'a' ? copyOf(0, 0) : name === 'b' ? widenedOf(0, 0) : exact,
  );
  const placed = placeCopies(planTensors(layout, codings), { codings, file: 1, planOf: () => original });
  expect(placed.copied).toEqual([
    { file: 0, block: 0 },
    { file: 0, block: 0, widened: true },
  ]);
});
