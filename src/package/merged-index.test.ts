import { describe, expect, it } from 'vitest';
import { buildSafetensorsHeader } from '../checkpoint/safetensors/safetensors-header.ts';
import { blockElementsMax } from '../native/core.ts';
import { decodePackageIndex, readAncestorId, readPackageIds } from './index/decode-index.ts';
import { decodeMergedPackageIndex } from './index/decode-merged.ts';
import { encodePackageIndex } from './index/encode-index.ts';
import { encodeMergedPackageIndex } from './index/encode-merged.ts';
import type { BlockEntry, PackageIndex, SafetensorsContent, MergedPackage, TensorCoding } from './package-index.ts';
import { planTensors } from './blocks/plan-file.ts';
import type { ResidualTensor } from './residual-tensor.ts';

const id = (digit: number): string => String(digit).repeat(32);
const mergedPackage: MergedPackage = {
  id: id(9),
  packageIds: [id(2), id(3), id(4)],
  jointSymbols: { symbols: Uint8Array.of(0, 2, 31, 0, 0, 1), width: 3 },
};
/** Many more residual blocks than an index without their entries has room for. */
const bigBlocks = 300;

/**
 * A large residual tensor, a small one, and an exact one. Offsets of its blocks start at `offset`; the entries of
 * residual blocks are `shared`, if given.
 */
function contentAt(step: number, offset: number, shared?: readonly BlockEntry[]): SafetensorsContent {
  const layout = buildSafetensorsHeader(
    [
      { name: 'big', dtype: 'F32', shape: [bigBlocks, blockElementsMax] },
      { name: 'ids', dtype: 'I64', shape: [4] },
      { name: 'small', dtype: 'BF16', shape: [5, 5] },
    ],
    { step: String(step) },
  );
  const codings: TensorCoding[] = [{ kind: 'residual' }, { kind: 'exact', layerType: 'buffer' }, { kind: 'residual' }];
  const record: ResidualTensor = {
    exponent: -20 - step,
    origin: 0,
    shift: step === 0 ? 0 : 1,
    stepCode: 300,
    offsets: [1, -1],
    gain: 256 + step,
  };
  const residuals = new Map([0, 2].map((tensor) => [tensor, { ...record, origin: 0 }]));
  let at = offset;
  const blocks = planTensors(layout, codings).blocks.map(({ coding }, number) => {
    if (coding.kind === 'residual' && shared !== undefined) return shared[number]!;
    const lengthBytes = coding.kind === 'exact' ? 9 : 7 + (number % 100);
    at += lengthBytes;
    return { offsetBytes: at - lengthBytes, lengthBytes, crc32c: 1000 * step + number };
  });
  return { type: 'safetensors', layout, codings, residuals, blocks };
}

function indexOf(digit: number, content: SafetensorsContent, rest: Partial<PackageIndex> = {}): PackageIndex {
  return {
    formatVersion: 2,
    id: id(digit),
    kind: 'base',
    codebooks: [],
    tableSets: [],
    residual: { tables: Uint8Array.of(5, 6), scales: { vectors: -digit, matrices: digit } },
    files: [
      { path: 'm', sizeBytes: content.layout.sizeBytes, sha256: 'ab'.repeat(32), content },
      { path: 'o', sizeBytes: 77 + digit, sha256: 'cd'.repeat(32), content: { type: 'external' } },
    ],
    ...rest,
  };
}

const base = indexOf(1, contentAt(0, 24));

function partsOf(): PackageIndex[] {
  const parts: PackageIndex[] = [];
  let [offset, shared]: [number, readonly BlockEntry[] | undefined] = [24, undefined];
  for (const [position, packageId] of mergedPackage.packageIds.entries()) {
    const content = contentAt(position + 1, offset, shared);
    shared = content.blocks;
    offset = Math.max(...content.blocks.map(({ offsetBytes, lengthBytes }) => offsetBytes + lengthBytes));
    const ancestorId = position === 0 ? base.id : mergedPackage.packageIds[position - 1]!;
    parts.push(
      indexOf(Number(packageId[0]), content, {
        formatVersion: 3,
        kind: 'delta',
        ancestorId,
        part: { mergedPackage, position },
      }),
    );
  }
  return parts;
}

describe('the index of a merged package', () => {
  const parts = partsOf();
  const stored = encodeMergedPackageIndex(parts, base);
  const decode = (bytes: Uint8Array, ancestor: PackageIndex | undefined = base) =>
    decodeMergedPackageIndex(bytes, { formatVersion: 3, id: mergedPackage.id, ancestor });
  const damage = expect.objectContaining({ code: 'corrupt-package' });

  it('comes back as it went in, entries of residual blocks once', () => {
    expect(decode(stored)).toEqual(parts);
    expect([readAncestorId(stored), readPackageIds(stored, { id: mergedPackage.id, formatVersion: 3 })]).toEqual([
      base.id,
      mergedPackage.packageIds,
    ]);
    expect(stored.length).toBeLessThan(12 * bigBlocks);
  });

  it('is enough to decode later packages', () => {
    const last = parts[2]!;
    const next = indexOf(5, contentAt(4, 24), { kind: 'delta', ancestorId: last.id });
    expect(
      decodePackageIndex(encodePackageIndex(next, last), {
        formatVersion: 2,
        id: next.id,
        ancestor: decode(stored)[2],
      }),
    ).toEqual(next);
  });

  it('is damaged without its ancestor, with another, and as a package of one checkpoint', () => {
    expect(() => decodeMergedPackageIndex(stored, { formatVersion: 3, id: mergedPackage.id })).toThrow(damage);
    expect(() => decode(stored, { ...base, id: id(8) })).toThrow(damage);
    expect(() => decodePackageIndex(stored, { formatVersion: 3, id: mergedPackage.id, ancestor: base })).toThrow(
      damage,
    );
    expect(() => decode(stored.subarray(0, -1))).toThrow(damage);
  });

  it('is not written of checkpoints that do not make one', () => {
    for (const wrong of [[], parts.slice(1), parts.slice(0, 2), [parts[1]!, parts[0]!, parts[2]!]])
      expect(() => encodeMergedPackageIndex(wrong, base)).toThrow(expect.objectContaining({ code: 'internal' }));
  });
});
