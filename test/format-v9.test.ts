import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { memoryReader } from '../src/compress/harness/memory-source.test-support.ts';
import { loadCore } from '../src/native/load-core.ts';
import { codingRuleOf } from '../src/package/codings/all-codings.ts';
import { decodeStoredIndexes, readStoredIndex } from '../src/package/open-package.ts';
import { planFile } from '../src/package/blocks/plan-file.ts';
import { ByteCache } from '../src/restore/byte-cache.ts';
import type { DecodedBlock } from '../src/restore/chain/block-reader.ts';
import { PackageChain, type ChainedPackage } from '../src/restore/chain/package-chain.ts';
import { digestsOf } from './decode-chain.ts';
import { mergeChain } from './fixtures/format-v3-merged.ts';
import { openChain, packageSource } from './reseal-package.ts';

const core = loadCore();
const read = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(`./fixtures/${name}`, import.meta.url)));
const expected = JSON.parse(Buffer.from(read('format-v7/expected.json')).toString()) as {
  packageId: string;
  digests: Record<string, string>;
}[];
const plain = [0, 1, 2, 3].map((step) => read(`format-v7/buckets-${step}.firn`));
const stored = read('format-v9/buckets-1-to-3.firn');

async function entriesOf(bytes: Uint8Array, key: string): Promise<ChainedPackage[]> {
  const { packageIds, ancestorId } = await readStoredIndex(packageSource(bytes), core.crc32cSync);
  return packageIds.map((id, position) => ({
    ...{ id, position, key },
    ancestorId: position === 0 ? ancestorId : packageIds[position - 1],
    open: async () => memoryReader(bytes),
  }));
}

/** Up to a checkpoint, newest first, with so many bytes of decoded blocks kept. */
async function openAt(step: number, blocks: ByteCache<DecodedBlock>): Promise<PackageChain> {
  const entries = [...(await entriesOf(plain[0]!, 'base')), ...(await entriesOf(stored, 'merged'))];
  return PackageChain.open({ core, indexes: new ByteCache<never>(0), blocks }, entries.slice(0, step + 1).reverse());
}

describe('the merged package of format version 9', () => {
  it.each([1, 2, 3])('holds checkpoint %i as it was', async (step) => {
    const chain = await openAt(step, new ByteCache(0));
    expect(await digestsOf(chain)).toEqual(expected[step]!.digests);
    await chain.close();
  });

  it('gives the same whichever of its checkpoints the cache holds', async () => {
    const blocks = new ByteCache<DecodedBlock>(2 ** 24);
    for (const step of [1, 3, 2, 3, 1]) {
      const chain = await openAt(step, blocks);
      expect(await digestsOf(chain)).toEqual(expected[step]!.digests);
      await chain.close();
    }
  });

  it('holds buckets of every dtype, joint and apart, and exact blocks of each checkpoint', async () => {
    const [base] = await openChain(core, plain.slice(0, 1));
    const indexes = decodeStoredIndexes(await readStoredIndex(packageSource(stored), core.crc32cSync), base!.index);
    expect(indexes.map(({ id, formatVersion }) => [id, formatVersion])).toEqual(
      expected.slice(1).map(({ packageId }) => [packageId, 9]),
    );
    const kinds = new Set<string>();
    const offsets = { shared: new Set<number>(), own: new Set<number>() };
    const modes = new Set<number>();
    for (const { files } of indexes) {
      for (const { content, sizeBytes } of files) {
        if (content.type !== 'safetensors') continue;
        for (const [number, { coding, segments }] of planFile({ content, sizeBytes })!.blocks.entries()) {
          const { offsetBytes } = content.blocks[number]!;
          const { isShared } = codingRuleOf(coding);
          offsets[isShared ? 'shared' : 'own'].add(offsetBytes);
          if (!isShared) continue;
          kinds.add(content.layout.tensors[segments[0]!.tensor]!.dtype);
          modes.add(stored[offsetBytes]!);
        }
      }
    }
    expect([...kinds].sort()).toEqual(['BF16', 'F16', 'F32']);
    expect([...modes].sort()).toEqual([0, 1]);
    const ofFirst = indexes[0]!.files.flatMap(({ content }) => (content.type === 'external' ? [] : content.blocks));
    for (const offset of offsets.shared) expect(ofFirst.map(({ offsetBytes }) => offsetBytes)).toContain(offset);
    expect(offsets.own.size).toBeGreaterThan(indexes.length);
  });

  it('is written still to the same bytes, in fewer than its packages', async () => {
    expect(Buffer.from(await mergeChain(core, plain, { parallel: 3 })).equals(stored)).toBe(true);
    expect(stored.length).toBeLessThan(plain.slice(1).reduce((sum, { length }) => sum + length, 0));
  });
});
