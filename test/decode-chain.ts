import { createHash } from 'node:crypto';
import { memoryReader } from '../src/compress/harness/memory-source.test-support.ts';
import type { NativeCore } from '../src/native/core.ts';
import { readStoredIndex } from '../src/package/open-package.ts';
import { ByteCache } from '../src/restore/byte-cache.ts';
import type { DecodedBlock } from '../src/restore/chain/block-reader.ts';
import { PackageChain } from '../src/restore/chain/package-chain.ts';
import { packageSource } from './reseal-package.ts';

/** A chain of packages in memory, newest first, each of one checkpoint. By default blocks are not cached. */
export async function chainOf(
  core: NativeCore,
  packages: readonly Uint8Array[],
  cacheBytes = 0,
): Promise<PackageChain> {
  const entries = await Promise.all(
    packages.map(async (bytes) => {
      const { packageIds, ancestorId } = await readStoredIndex(packageSource(bytes), core.crc32cSync);
      return { id: packageIds[0]!, ancestorId, open: async () => memoryReader(bytes) };
    }),
  );
  return PackageChain.open(
    { core, indexes: new ByteCache<never>(0), blocks: new ByteCache<DecodedBlock>(cacheBytes) },
    entries,
  );
}

export async function bytesOf(chain: PackageChain, file: string, start?: number, end?: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of chain.file(file).stream(start, end)) pieces.push(Uint8Array.from(piece));
  return Buffer.concat(pieces);
}

/** SHA-256 of every file of the newest package, by path. */
export async function digestsOf(chain: PackageChain): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const file of chain.files)
    digests[file.path] = createHash('sha256')
      .update(await bytesOf(chain, file.path))
      .digest('hex');
  return digests;
}
