import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadCore } from '../src/native/load-core.ts';
import { decodeStoredIndex, readStoredIndex } from '../src/package/open-package.ts';
import { prefixBytes } from '../src/package/package-frame.ts';
import type { PackageIndex } from '../src/package/package-index.ts';
import { planFile } from '../src/package/blocks/plan-file.ts';
import { writeFixtureRuns } from './fixtures/format-v2-runs.ts';

const folder = fileURLToPath(new URL('./fixtures/format-v2/', import.meta.url));
const core = loadCore();
/** By name. Runs follow each other, and each run's packages are in order. */
const stored = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith('.firn'))
    .sort()
    .map((name) => [name, readFileSync(folder + name)]),
);

describe('the packages of format version 2', () => {
  it('hold blocks of every mode and every number of lanes, levels beside residuals, and finer units', async () => {
    const [modes, lanes, codings, shifts] = [
      new Set<number>(),
      new Set<number>(),
      new Set<string>(),
      new Set<number>(),
    ];
    let ancestor: PackageIndex | undefined;
    for (const bytes of stored.values()) {
      const { index } = await contentOf(bytes, ancestor);
      ancestor = index;
      for (const { content, ...file } of index.files) {
        if (content.type === 'external') continue;
        for (const [number, { coding }] of planFile({ ...file, content })!.blocks.entries()) {
          codings.add(`${coding.kind} ${index.formatVersion}`);
          const mode = bytes[content.blocks[number]!.offsetBytes]!;
          if (coding.kind !== 'residual') continue;
          modes.add(mode & 3);
          if ((mode & 3) === 1) lanes.add((mode >> 2) & 7);
        }
        if (content.type === 'safetensors')
          for (const { shift } of content.residuals?.values() ?? []) shifts.add(shift);
      }
    }
    expect([...modes].sort()).toEqual([0, 1, 2, 3]);
    expect([...lanes].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect([...codings].sort()).toEqual(['exact 1', 'exact 2', 'levels 1', 'levels 2', 'residual 2']);
    expect([...shifts].sort()).toEqual([0, 4]);
  });

  /**
   * Do not compare with the bytes in the folder: an earlier encoder wrote them, and later ones may choose otherwise.
   */
  it('come out the same each time the same checkpoints are stored, however many blocks are in work', async () => {
    const [one, other] = [await writeFixtureRuns(core, { parallel: 1 }), await writeFixtureRuns(core, { parallel: 5 })];
    expect([...one.keys()].sort()).toEqual([...stored.keys()]);
    for (const [name, { bytes }] of one) expect(Buffer.from(bytes).equals(other.get(name)!.bytes), name).toBe(true);
  });
});

/** The decoded index and the payloads. The ancestor is needed for a delta only. */
async function contentOf(
  bytes: Uint8Array,
  ancestor: PackageIndex | undefined,
): Promise<{ index: PackageIndex; payloads: Buffer }> {
  const { indexOffsetBytes, ...found } = await readStoredIndex(
    { sizeBytes: bytes.length, read: async (at, length) => bytes.subarray(at, at + length) },
    core.crc32cSync,
  );
  const index = decodeStoredIndex(
    { ...found, indexOffsetBytes },
    found.ancestorId === undefined ? undefined : ancestor,
  );
  return { index, payloads: Buffer.from(bytes.subarray(prefixBytes, indexOffsetBytes)) };
}
