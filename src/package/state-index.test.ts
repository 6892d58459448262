import { describe, expect, it } from 'vitest';
import { buildSafetensorsHeader, type PlannedTensor } from '../checkpoint/safetensors/safetensors-header.ts';
import { blockElementsMax } from '../native/core.ts';
import { decodePackageIndex } from './index/decode-index.ts';
import { encodePackageIndex } from './index/encode-index.ts';
import type { FormatVersion, PackageFile, PackageIndex, TensorCoding } from './package-index.ts';
import { planTensors } from './blocks/plan-file.ts';
import { secondMomentParts, stateSegments } from './blocks/state-place.ts';

const id = (digit: number): string => String(digit).repeat(32);
const tensors: readonly PlannedTensor[] = [
  { name: 'm.big', dtype: 'F32', shape: [300, 500] },
  { name: 'm.bias', dtype: 'F32', shape: [7] },
  { name: 'm.conv', dtype: 'F32', shape: [1, 4, 3, 2] },
  { name: 'step', dtype: 'I64', shape: [] },
  { name: 'v.big', dtype: 'F32', shape: [300, 500] },
  { name: 'v.bias', dtype: 'F32', shape: [7] },
  { name: 'v.conv', dtype: 'F32', shape: [1, 4, 3, 2] },
];
const layout = buildSafetensorsHeader([...tensors], {});
const numberOf = (name: string): number => layout.tensors.findIndex((tensor) => tensor.name === name);
const first = (name: string): TensorCoding => ({
  kind: 'state',
  encoding: 'firstMoment',
  secondMoments: numberOf(name),
});
const second: TensorCoding = { kind: 'state', encoding: 'secondMoment' };
const exact: TensorCoding = { kind: 'exact', layerType: 'buffer' };

function codings(given: Readonly<Record<string, TensorCoding>> = {}): TensorCoding[] {
  const usual: Readonly<Record<string, TensorCoding>> = {
    'm.big': first('v.big'),
    'm.bias': first('v.bias'),
    'm.conv': first('v.conv'),
    'v.big': second,
    'v.bias': second,
    'v.conv': exact,
  };
  return layout.tensors.map(({ name }) => given[name] ?? usual[name] ?? exact);
}

function indexOf(
  digit: number,
  given: readonly TensorCoding[],
  { ancestor, formatVersion = 4 }: { ancestor?: PackageIndex; formatVersion?: FormatVersion } = {},
) {
  const blocks = planTensors(layout, given).blocks.map((_, i) => ({
    offsetBytes: 24 + 3 * i,
    lengthBytes: 3,
    crc32c: i,
  }));
  const file: PackageFile = {
    path: 'a.optim.safetensors',
    sizeBytes: layout.sizeBytes,
    sha256: 'ab'.repeat(32),
    content: { type: 'safetensors', layout, codings: given, blocks },
  };
  const index = { formatVersion, id: id(digit), codebooks: [], tableSets: [], files: [file] };
  return ancestor === undefined
    ? ({ ...index, kind: 'base' } as const)
    : ({ ...index, kind: 'delta', ancestorId: ancestor.id } as const);
}

describe('tensors of optimizer state', () => {
  it('come back in an index, alone and behind an ancestor', () => {
    const base = indexOf(1, codings());
    const delta = indexOf(
      2,
      codings({ 'm.bias': { kind: 'state', encoding: 'clusters' }, 'v.bias': { kind: 'state', encoding: 'momentum' } }),
      { ancestor: base },
    );
    const same = indexOf(3, codings(), { ancestor: base });
    expect(decodePackageIndex(encodePackageIndex(base), { id: base.id, formatVersion: 4 })).toEqual(base);
    for (const index of [delta, same]) {
      expect(
        decodePackageIndex(encodePackageIndex(index, base), { id: index.id, formatVersion: 4, ancestor: base }),
      ).toEqual(index);
    }
  });

  it.each([
    ['in version 2', codings(), 2],
    ['whose reference is themselves', codings({ 'm.big': first('m.big') }), 4],
    ['whose reference is other first moments', codings({ 'm.big': first('m.big'), 'v.big': first('m.big') }), 4],
    ['whose reference has another number of elements', codings({ 'm.big': first('v.bias') }), 4],
    ['of integers', codings({ step: second }), 4],
  ] as const)('%s are refused', (_, given, formatVersion) => {
    const bytes = encodePackageIndex(indexOf(1, given, { formatVersion: 4 }));
    expect(() => decodePackageIndex(bytes, { id: id(1), formatVersion })).toThrow(
      expect.objectContaining({ code: 'corrupt-package' }),
    );
  });

  it('have blocks of one encoding, and first moments find the blocks of the second ones', () => {
    const given = codings();
    const plan = planTensors(layout, given);
    const blocks = plan.blocks.filter(({ coding }) => coding.kind === 'state' && coding.encoding === 'firstMoment');
    expect(blocks.map((block) => stateSegments(plan, block))).toEqual([
      [{ elementCount: blockElementsMax, columns: 500, column: 0 }],
      [{ elementCount: 150_000 - blockElementsMax, columns: 500, column: blockElementsMax % 500 }],
      [
        { elementCount: 7, columns: 0, column: 0 },
        { elementCount: 24, columns: 6, column: 0 },
      ],
    ]);
    const parts = blocks.map((block) =>
      secondMomentParts(plan, given, block).map((part) => ({ ...part, coding: plan.blocks[part.block]!.coding })),
    );
    const level = { kind: 'state', encoding: 'secondMoment' };
    const at = plan.firstBlock[numberOf('v.big')]!;
    expect(parts).toEqual([
      [{ block: at, firstElement: 0, elementCount: blockElementsMax, coding: level }],
      [{ block: at + 1, firstElement: 0, elementCount: 150_000 - blockElementsMax, coding: level }],
      [
        { block: plan.firstBlock[numberOf('v.bias')], firstElement: 0, elementCount: 7, coding: level },
        {
          block: plan.firstBlock[numberOf('v.conv')],
          firstElement: 0,
          elementCount: 24,
          coding: { kind: 'exact', elementKind: 'f32' },
        },
      ],
    ]);
  });
});
