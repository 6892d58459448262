import { isDeepStrictEqual } from 'node:util';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { verifyPackage } from '../../compress/encode/verify-package.ts';
import type { NativeCore } from '../../native/core.ts';
import type { PackageFile, PackageIndex } from '../../package/package-index.ts';
import type { PackageChain } from '../../restore/chain/package-chain.ts';
import { allSharers } from './all-sharers.ts';

export interface Verification {
  readonly core: NativeCore;
  /** The checkpoint as stored before and in the merged package, each with its ancestors. */
  readonly before: PackageChain;
  readonly after: PackageChain;
  /** Its files in the catalog. */
  readonly files: readonly CheckpointFile[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Checks that merging did not change a checkpoint. Every file must decode to the digests of package and catalog,
 * everything that later indexes refer to must be equal, and so must the state that later blocks are coded against.
 * Rejects with `corrupt-package` if something differs, and with the errors of restore.
 */
export async function verifyPart({ core, before, after, files, signal }: Verification): Promise<void> {
  const [was, is] = [before, after].map((chain) => chain.links[0]!.package.index) as [PackageIndex, PackageIndex];
  if (!isDeepStrictEqual(described(was), described(is))) throw differs(`the index of ${was.id}`);
  for (const { path, storage, resultSha256 } of files) {
    const stored = is.files.find((file) => file.path === path);
    if (storage === 'package' && stored?.sha256 !== resultSha256) throw differs(`the digest of ${path}`);
  }
  await verifyPackage(after, { signal });
  for (const { path, content } of is.files) {
    if (content.type !== 'safetensors') continue;
    const [readerBefore, readerAfter] = [before.blocks(path), after.blocks(path)];
    for (const [number, { coding }] of readerAfter.file.plan.blocks.entries()) {
      // Other blocks have no state but their elements, which were compared.
      const isSame = allSharers.find((sharer) => sharer.coding === coding.kind)?.isSame;
      const ways = isSame && { before: readerBefore.walk(number), after: readerAfter.walk(number) };
      if (ways !== undefined && !(await isSame!({ core, ...ways, signal })))
        throw differs(`block ${number} of ${path}`);
    }
  }
}

/**
 * The part of an index that later indexes and rebuilt files depend on: everything except the places and coding of
 * payloads.
 */
function described({ formatVersion: _, part: __, residual, files, ...index }: PackageIndex) {
  return { ...index, scales: residual?.scales, files: files.map(describedFile) };
}

function describedFile({ content, ...file }: PackageFile) {
  if (content.type === 'external') return { ...file, content };
  const { blocks, ...rest } = content;
  return { ...file, content: { ...rest, blockCount: blocks.length } };
}

function differs(what: string): FirnError {
  return new FirnError('corrupt-package', 'A merged package does not decode to what was merged.', { detail: what });
}
