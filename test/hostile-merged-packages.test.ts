import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../src/checkpoint/firn-error.ts';
import { memoryReader } from '../src/compress/harness/memory-source.test-support.ts';
import { loadCore } from '../src/native/load-core.ts';
import { decodeStoredIndexes, readStoredIndex } from '../src/package/open-package.ts';
import { ByteCache } from '../src/restore/byte-cache.ts';
import { PackageChain } from '../src/restore/chain/package-chain.ts';
import { changeBytes } from './change-bytes.ts';
import { openChain, packageSource, payloadsOf, withBody, withSharedPayload } from './reseal-package.ts';

const core = loadCore();
const read = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(`./fixtures/${name}`, import.meta.url)));
type OpenedPackage = Awaited<ReturnType<typeof openChain>>[number];

/**
 * Digests of the files of a checkpoint after the base, or `refused` if the decoder refused them. Files with other
 * digests than the index's count as refused.
 */
async function restored(
  base: OpenedPackage,
  mergedPackage: Uint8Array,
  position: number,
): Promise<string | Readonly<Record<string, string>>> {
  try {
    const { packageIds, ancestorId } = await readStoredIndex(packageSource(mergedPackage), core.crc32cSync);
    const entries = packageIds.slice(0, position + 1).map((id, at) => ({
      id,
      ancestorId: at === 0 ? ancestorId : packageIds[at - 1],
      position: at,
      key: 'merged package',
      open: async () => memoryReader(mergedPackage),
    }));
    const nothingKept = { core, indexes: new ByteCache<never>(0), blocks: new ByteCache<never>(0) };
    const chain = await PackageChain.open(nothingKept, [
      ...entries.reverse(),
      { id: base.index.id, open: async () => memoryReader(base.bytes) },
    ]);
    const digests: Record<string, string> = {};
    for (const file of chain.files) {
      const digest = createHash('sha256');
      for await (const piece of chain.file(file.path).stream()) digest.update(piece);
      digests[file.path] = digest.digest('hex');
      if (digests[file.path] !== file.sha256) return 'other bytes';
    }
    return digests;
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    expect(['corrupt-package', 'unsupported-format'], `${error.code}: ${error.message} ${error.detail}`).toContain(
      error.code,
    );
    return 'refused';
  }
}

/** A merged package of a fixture, as it is restored unchanged. */
async function opened(baseName: string, name: string) {
  const base = (await openChain(core, [read(baseName)]))[0]!;
  const bytes = read(name);
  const stored = await readStoredIndex(packageSource(bytes), core.crc32cSync);
  return {
    ...{ version: stored.formatVersion, base, bytes },
    opened: { bytes, stored, ancestor: base.index },
    sound: await Promise.all(stored.packageIds.map((_, at) => restored(base, bytes, at))),
    blockCount: payloadsOf(decodeStoredIndexes(stored, base.index)[0]!).length,
  };
}

const merged = [
  await opened('format-v3/run-0.firn', 'format-v3/run-1-to-3.firn'),
  await opened('format-v7/buckets-0.firn', 'format-v9/buckets-1-to-3.firn'),
];

describe.each(merged)('a hostile merged package of version $version', ({ base, bytes, opened, sound, blockCount }) => {
  const position = fc.nat({ max: sound.length - 1 });

  it('is restored whole when it is not', () => {
    for (const outcome of sound) expect(outcome).toMatchObject({ 'model.safetensors': expect.any(String) });
  });

  it('with any byte changed gives the same files, where the byte is not needed, or is damaged', async () => {
    await fc.assert(
      fc.asyncProperty(
        position,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 1, max: 255 }),
        async (at, where, flip) => {
          const changed = bytes.slice();
          changed[Math.floor(where * changed.length)]! ^= flip;
          const outcome = await restored(base, changed, at);
          if (outcome !== 'refused') expect(outcome).toEqual(sound[at]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('with a payload changed and its checksum put right is damaged, or the change means nothing', async () => {
    await fc.assert(
      fc.asyncProperty(position, fc.nat({ max: blockCount - 1 }), changeBytes, async (at, block, edit) => {
        const outcome = await restored(
          base,
          withSharedPayload(core, opened, block, (payload) => edit(payload)),
          at,
        );
        if (typeof outcome !== 'string') expect(outcome).toEqual(sound[at]);
      }),
      { numRuns: 500 },
    );
  });

  it('with its index changed and resealed is damaged, or its files have the digests it names', async () => {
    await fc.assert(
      fc.asyncProperty(position, changeBytes, async (at, edit) => {
        await restored(base, withBody(core, opened, edit), at);
      }),
      { numRuns: 600 },
    );
  });
});
