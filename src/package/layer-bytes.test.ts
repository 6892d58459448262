import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildSafetensorsHeader } from '../checkpoint/safetensors/safetensors-header.ts';
import { blockElementsMax } from '../native/core.ts';
import { planTensors } from './blocks/plan-file.ts';
import { layerBytes } from './layer-bytes.ts';
import type { PackageFile, PackageIndex, TensorCoding } from './package-index.ts';

const id = (digit: number): string => String(digit).repeat(32);

interface TensorToMake {
  readonly name: string;
  readonly count: number;
  readonly coding: TensorCoding;
}

/** A file whose blocks have these lengths, in turn. */
function fileOf(tensors: readonly TensorToMake[], lengths: readonly number[]): PackageFile {
  const layout = buildSafetensorsHeader(
    tensors.map(({ name, count }) => ({ name, dtype: 'F32', shape: [count] })),
    {},
  );
  const codings = layout.tensors.map(({ name }) => tensors.find((tensor) => tensor.name === name)!.coding);
  const blocks = planTensors(layout, codings).blocks.map((_, number) => ({
    offsetBytes: 0,
    lengthBytes: lengths[number % lengths.length]!,
    crc32c: 0,
  }));
  return {
    path: 'm',
    sizeBytes: layout.sizeBytes,
    sha256: 'ab'.repeat(32),
    content: { type: 'safetensors', layout, codings, blocks },
  };
}

function indexOf(files: readonly PackageFile[], rest: Partial<PackageIndex> = {}): PackageIndex {
  return { formatVersion: 2, id: id(1), kind: 'base', codebooks: [], tableSets: [], files, ...rest };
}

const residual: TensorCoding = { kind: 'residual' };
const exact: TensorCoding = { kind: 'exact', layerType: 'buffer' };
const state: TensorCoding = { kind: 'state', encoding: 'secondMoment' };

describe('layerBytes', () => {
  it('gives tensors of one block their shares by elements, and layers the sums of their tensors', () => {
    const file = fileOf(
      [
        { name: 'h.0.a', count: 300, coding: residual },
        { name: 'h.0.b', count: 100, coding: exact },
        { name: 'h.1.a', count: 100, coding: residual },
      ],
      [80, 60],
    );
    expect(layerBytes(indexOf([file]))).toEqual([
      { layer: 'h.0', tensorCount: 2, logicalBytes: 1600, stored: { weights: 60, state: 0, exact: 60 } },
      { layer: 'h.1', tensorCount: 1, logicalBytes: 400, stored: { weights: 20, state: 0, exact: 0 } },
    ]);
  });

  it('counts a payload that checkpoints of a merged package share in equal shares, and others whole', () => {
    const file = fileOf(
      [
        { name: 'h.0.a', count: 100, coding: residual },
        { name: 'h.0.b', count: 100, coding: exact },
      ],
      [80],
    );
    const part = { position: 1, mergedPackage: { id: id(9), packageIds: [id(1), id(2), id(3), id(4)] } };
    expect(layerBytes(indexOf([file], { formatVersion: 3, kind: 'delta', part }))[0]!.stored).toEqual({
      weights: 20,
      state: 0,
      exact: 80,
    });
  });

  it('lists a file without tensors by its path, and none that is outside the package', () => {
    const entry = { offsetBytes: 0, lengthBytes: 5, crc32c: 0 };
    const files: PackageFile[] = [
      { path: 'config.json', sizeBytes: 9, sha256: 'ab'.repeat(32), content: { type: 'blob', blocks: [entry, entry] } },
      { path: 'big.bin', sizeBytes: 99, sha256: 'cd'.repeat(32), content: { type: 'external' } },
    ];
    expect(layerBytes(indexOf(files))).toEqual([
      { layer: 'config.json', tensorCount: 0, logicalBytes: 9, stored: { weights: 0, state: 0, exact: 10 } },
    ]);
  });

  it('adds up to the payloads, whatever the tensors', () => {
    const tensor = fc.record({
      name: fc.stringMatching(/^[a-c.0-2]{1,8}$/),
      count: fc.oneof(fc.nat(2000), fc.integer({ min: blockElementsMax - 2, max: 2 * blockElementsMax + 2 })),
      coding: fc.constantFrom(residual, exact, state),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(tensor, { selector: ({ name }) => name, maxLength: 12 }),
        fc.array(fc.nat(1000), { minLength: 1, maxLength: 5 }),
        (tensors, lengths) => {
          const file = fileOf(tensors, lengths);
          const layers = layerBytes(indexOf([file]));
          const stored = layers.reduce((sum, { stored: { weights, state: moments, exact: kept } }) => {
            return sum + weights + moments + kept;
          }, 0);
          const { blocks, layout } = file.content as Extract<PackageFile['content'], { type: 'safetensors' }>;
          expect(stored).toBeCloseTo(
            blocks.reduce((sum, { lengthBytes }) => sum + lengthBytes, 0),
            6,
          );
          expect(layers.reduce((sum, { logicalBytes }) => sum + logicalBytes, 0)).toBe(
            layout.sizeBytes - layout.headerBytes.length,
          );
        },
      ),
    );
  });
});
