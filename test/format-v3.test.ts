import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { memoryReader } from '../src/compress/harness/memory-source.test-support.ts';
import { latticeEscape } from '../src/native/core.ts';
import { loadCore } from '../src/native/load-core.ts';
import { decodeStoredIndexes, readStoredIndex } from '../src/package/open-package.ts';
import type { PackageIndex } from '../src/package/package-index.ts';
import { ByteCache } from '../src/restore/byte-cache.ts';
import type { DecodedBlock } from '../src/restore/chain/block-reader.ts';
import { PackageChain, type ChainedPackage } from '../src/restore/chain/package-chain.ts';
import { mergeChain } from './fixtures/format-v3-merged.ts';
import { openChain, packageSource } from './reseal-package.ts';

const core = loadCore();
const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`./fixtures/format-v3/${name}`, import.meta.url)));
const expected = JSON.parse(Buffer.from(read('expected.json')).toString()) as {
  packageId: string;
  digests: Record<string, string>;
}[];
const plain = [0, 1, 2, 3].map((step) => read(`run-${step}.firn`));
const stored = read('run-1-to-3.firn');

async function entriesOf(bytes: Uint8Array, key: string): Promise<ChainedPackage[]> {
  const { packageIds, ancestorId } = await readStoredIndex(packageSource(bytes), core.crc32cSync);
  return packageIds.map((id, position) => ({
    id,
    position,
    key,
    ancestorId: position === 0 ? ancestorId : packageIds[position - 1],
    open: async () => memoryReader(bytes),
  }));
}

/** The base and the checkpoints of a merged package, base first. */
async function chainOf(mergedPackage: Uint8Array): Promise<ChainedPackage[]> {
  return [...(await entriesOf(plain[0]!, 'base')), ...(await entriesOf(mergedPackage, 'super-step'))];
}

async function digestsOf(chain: PackageChain): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const { path } of chain.files) {
    const digest = createHash('sha256');
    for await (const piece of chain.file(path).stream()) digest.update(piece);
    digests[path] = digest.digest('hex');
  }
  return digests;
}

const nothingKept = () => ({ core, indexes: new ByteCache<never>(0), blocks: new ByteCache<never>(0) });

describe('the super-step of format version 3', () => {
  it.each([1, 2, 3])('holds checkpoint %i as it was', async (step) => {
    const chain = await PackageChain.open(nothingKept(), (await chainOf(stored)).slice(0, step + 1).reverse());
    expect(await digestsOf(chain)).toEqual(expected[step]!.digests);
    await chain.close();
  });

  it('holds tuples of every kind, escapes, blocks of two dtypes and exact ones', async () => {
    const [base] = await openChain(core, plain.slice(0, 1));
    const indexes = decodeStoredIndexes(await readStoredIndex(packageSource(stored), core.crc32cSync), base!.index);
    const { symbols, width } = indexes[0]!.part!.mergedPackage.jointSymbols!;
    expect(width).toBe(3);
    expect(symbols.length / width).toBeGreaterThan(latticeEscape);
    expect(Math.max(...symbols)).toBe(latticeEscape);
    expect(indexes.map(({ id }) => id)).toEqual(expected.slice(1).map(({ packageId }) => packageId));
  });

  it.each([
    ['kept', 2 ** 24],
    ['not kept', 0],
  ])('is read in any order with the same outcome, decoded blocks being %s', async (_, cacheBytes) => {
    const ctx = { core, indexes: new ByteCache<never>(0), blocks: new ByteCache<DecodedBlock>(cacheBytes) };
    for (const step of [2, 3, 1, 3, 2]) {
      const chain = await PackageChain.open(ctx, (await chainOf(stored)).slice(0, step + 1).reverse());
      for (const file of chain.files) {
        if (file.content.type === 'safetensors')
          for (const block of file.content.blocks.keys()) await chain.blocks(file.path).decoded(block);
      }
      expect(await digestsOf(chain)).toEqual(expected[step]!.digests);
      await chain.close();
    }
  });

  /**
   * Do not compare with the bytes in the folder: an earlier encoder wrote them, and later ones may choose otherwise.
   */
  it('comes out the same however many blocks are in work, and decodes to what the packages before it do', async () => {
    const [one, other] = [
      await mergeChain(core, plain, { parallel: 1 }),
      await mergeChain(core, plain, { parallel: 5 }),
    ];
    expect(Buffer.from(one).equals(other)).toBe(true);
    const chain = await PackageChain.open(nothingKept(), (await chainOf(one)).reverse());
    expect(await digestsOf(chain)).toEqual(expected[3]!.digests);
    await chain.close();
  });

  it('is refused behind another base, with a checkpoint left out, and in place of another checkpoint', async () => {
    const [base, first, second, third] = (await chainOf(stored)) as [
      ChainedPackage,
      ChainedPackage,
      ChainedPackage,
      ChainedPackage,
    ];
    const refused = async (chain: readonly ChainedPackage[]) =>
      expect(PackageChain.open(nothingKept(), [...chain].reverse())).rejects.toMatchObject({ code: 'corrupt-package' });
    await refused([first, second, third]);
    await refused([base, second]);
    await refused([base, first, { ...third, ancestorId: first.id }]);
    await refused([base, { ...first, position: 1 }]);
    const wrong: PackageIndex['id'] = 'ab'.repeat(16);
    await refused([
      { ...base, id: wrong },
      { ...first, ancestorId: wrong },
    ]);
  });
});
