import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import { decodeStoredIndex, readStoredIndex } from '../../package/open-package.ts';
import { prefixBytes } from '../../package/package-frame.ts';
import type { PackageIndex } from '../../package/package-index.ts';
import type { CompressHarness } from './compress-harness.test-support.ts';

/** A package without the ids, which differ between checkpoints. `indexes`: those read before, by id; it is added. */
export async function packageContent(
  harness: CompressHarness,
  checkpoint: Checkpoint,
  indexes: Map<string, PackageIndex>,
) {
  const bytes = await harness.packageBytes(checkpoint);
  const stored = await readStoredIndex(
    { sizeBytes: bytes.length, read: async (at, length) => bytes.subarray(at, at + length) },
    harness.core.crc32cSync,
  );
  const { ancestorId } = (await harness.catalog.packages.get(checkpoint.packageId!))!;
  const index = decodeStoredIndex(stored, indexes.get(ancestorId ?? ''));
  indexes.set(index.id, index);
  return {
    payloads: bytes.subarray(prefixBytes, stored.indexOffsetBytes),
    description: { ...index, id: '', ancestorId: undefined },
    indexLengthBytes: stored.indexLengthBytes,
  };
}
