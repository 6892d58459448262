import { createHash } from 'node:crypto';
import type { NativeCore } from '../../native/core.ts';
import { codingRuleOf } from '../../package/codings/all-codings.ts';
import { corruptPackage } from '../../package/corrupt-package.ts';
import { decodeMergedPackageIndex } from '../../package/index/decode-merged.ts';
import { encodeMergedPackageIndex } from '../../package/index/encode-merged.ts';
import type { MergedFormatVersion } from '../../package/format-version.ts';
import type { IndexLocation } from '../../package/package-frame.ts';
import type { BlockEntry, PackageFile, PackageIndex, MergedPackage } from '../../package/package-index.ts';
import { writeFrame, type WriteTarget } from '../../package/write-package.ts';
import type { ChainLink } from '../../restore/chain/package-chain.ts';
import type { StoredObject } from '../../store/object-store.ts';
import { allSharers } from './all-sharers.ts';
import type { MergedPackageSource } from './merged-source.ts';
import type { MergedPackageOptions } from './shared-payloads.ts';

export interface WrittenMergedPackage extends IndexLocation {
  /** Indexes of its checkpoints, oldest first. */
  readonly indexes: readonly PackageIndex[];
  readonly object: StoredObject;
}

/** The id of the merged package of these packages; it depends on their ids only. */
export function mergedPackageId(packageIds: readonly string[]): string {
  return createHash('sha256')
    .update(`merged package ${packageIds.join(' ')}`)
    .digest('hex')
    .slice(0, 32);
}

/**
 * Puts consecutive checkpoints into one package: the symbols of a weight become one joint symbol, everything else is
 * copied (docs/format.md, "Merged packages"). Undefined if the checkpoints do not have the same shared blocks, or
 * contain something that merged packages cannot hold. Deterministic. Rejects with the errors of store and core.
 */
export async function writeMergedPackage(
  source: MergedPackageSource,
  target: Omit<WriteTarget, 'crc32c' | 'signal'>,
  options: MergedPackageOptions,
): Promise<WrittenMergedPackage | undefined> {
  const sharer = allSharers.find(({ takes }) => source.indexes.every(takes));
  const blocks = sharer && source.sharedBlocks();
  if (blocks === undefined || blocks.length === 0) return undefined;
  const { core, signal } = options;
  const { formatVersion, jointSymbols, tables, payloads } = await sharer!.share(source, blocks, options);
  const packageIds = source.indexes.map(({ id }) => id);
  const id = mergedPackageId(packageIds);
  const mergedPackage: MergedPackage = { id, packageIds, ...(jointSymbols !== undefined && { jointSymbols }) };
  const { result, ...written } = await writeFrame(
    { ...target, crc32c: core.crc32cSync, signal },
    {
      id,
      formatVersion,
      payloads: payloadsOf(source, payloads(), core),
      seal: async (entries) => {
        const parts = partsOf(source, { formatVersion, mergedPackage, tables, entries });
        const indexBytes = encodeMergedPackageIndex(parts, source.ancestor);
        const { ancestor } = source;
        return { indexBytes, result: decodeMergedPackageIndex(indexBytes, { id, formatVersion, ancestor }) };
      },
    },
  );
  return { ...written, indexes: result };
}

/**
 * All payloads in order: those of the first checkpoint's blocks, then those of each later checkpoint's other blocks.
 * Payloads that are not shared are copied.
 */
async function* payloadsOf(
  source: MergedPackageSource,
  shared: AsyncGenerator<Uint8Array>,
  core: NativeCore,
): AsyncGenerator<Uint8Array> {
  try {
    for (const [position, link] of source.links.entries()) {
      for (const { entry, isShared } of blocksOf(link)) {
        if (!isShared) yield await copied(link, entry, core);
        else if (position === 0) yield (await shared.next()).value as Uint8Array;
      }
    }
  } finally {
    await shared.return(undefined);
  }
}

async function copied(
  { bytes }: ChainLink,
  { offsetBytes, lengthBytes, crc32c }: BlockEntry,
  core: NativeCore,
): Promise<Uint8Array> {
  const payload = await bytes.read(offsetBytes, lengthBytes);
  if (core.crc32cSync(payload) !== crc32c)
    throw corruptPackage('the checksum of a block that is to be copied does not match');
  return payload;
}

function* blocksOf({
  package: owner,
}: ChainLink): Generator<{ readonly entry: BlockEntry; readonly isShared: boolean }> {
  for (const [fileNumber, { content }] of owner.index.files.entries()) {
    if (content.type === 'external') continue;
    const { blocks } = owner.plan(fileNumber)!;
    for (const [number, entry] of content.blocks.entries())
      yield { entry, isShared: codingRuleOf(blocks[number]!.coding).isShared };
  }
}

interface PartsToMake {
  readonly formatVersion: MergedFormatVersion;
  readonly mergedPackage: MergedPackage;
  readonly tables: Uint8Array | undefined;
  readonly entries: readonly BlockEntry[];
}

/**
 * Indexes in the form that the encoder takes. Shared blocks of later checkpoints have their old entries, which are not
 * written.
 */
function partsOf(
  source: MergedPackageSource,
  { formatVersion, mergedPackage, tables, entries }: PartsToMake,
): PackageIndex[] {
  const left = entries.values();
  return source.links.map((link, position) => {
    const { index } = link.package;
    const own = blocksOf(link);
    const files = index.files.map((file): PackageFile => {
      if (file.content.type === 'external') return file;
      const blocks = file.content.blocks.map((entry) =>
        own.next().value!.isShared && position > 0 ? entry : left.next().value!,
      );
      return { ...file, content: { ...file.content, blocks } };
    });
    return {
      ...index,
      formatVersion,
      ...(tables !== undefined && { residual: { ...index.residual!, tables } }),
      files,
      part: { mergedPackage, position },
    };
  });
}
