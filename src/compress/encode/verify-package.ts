import { FirnError } from '../../checkpoint/firn-error.ts';
import type { PackageFile } from '../../package/package-index.ts';
import { digestBytes } from '../../restore/digest-bytes.ts';
import type { PackageChain } from '../../restore/chain/package-chain.ts';
import { restoreThrough } from '../../restore/restore-to-file.ts';
import { FrameWriter, type Crc32c } from '../../store/frame/object-frame.ts';

export interface VerifyOptions {
  /** By path: files on disk that receive the decoded bytes, for evaluation. */
  readonly keep?: ReadonlyMap<string, string>;
  /**
   * By path: checksums of the encoded bytes. These files are compared by checksum, the others by the digests in the
   * package.
   */
  readonly expected?: { readonly checksums: ReadonlyMap<string, Uint8Array>; readonly crc32c: Crc32c };
  readonly signal?: AbortSignal | undefined;
}

/**
 * Decodes every file of a stored package and compares it. External files are not in the package. Rejects with
 * `corrupt-package` when a byte differs, with the errors of restore, and those of the file system.
 */
export async function verifyPackage(
  chain: Pick<PackageChain, 'files' | 'file'>,
  { keep, expected, signal }: VerifyOptions = {},
): Promise<void> {
  for (const file of chain.files) {
    if (file.content.type === 'external') continue;
    const checksums = expected?.checksums.get(file.path);
    const wrong = checksums === undefined ? unlikeDigest(file) : unlikeChecksums(checksums, expected!.crc32c);
    const bytes = chain.file(file.path).passing(signal);
    const path = keep?.get(file.path);
    const found = path === undefined ? await wrong(bytes) : await restoreThrough(bytes, path, wrong);
    if (found !== undefined)
      throw new FirnError('corrupt-package', 'A stored package does not decode to what was encoded.', {
        detail: `${file.path}: ${found}`,
      });
  }
}

/** Reads a stream to its end; resolves to a description of the difference, if there is one. */
type Comparison = (bytes: AsyncIterable<Uint8Array>) => Promise<string | undefined>;

function unlikeDigest({ sha256, sizeBytes }: PackageFile): Comparison {
  return async (bytes) => {
    const found = await digestBytes(bytes);
    return found.sha256 === sha256 && found.sizeBytes === sizeBytes ? undefined : `${found.sha256}, expected ${sha256}`;
  };
}

function unlikeChecksums(checksums: Uint8Array, crc32c: Crc32c): Comparison {
  return async (bytes) =>
    Buffer.compare(await checksumBytes(bytes, crc32c), checksums) === 0 ? undefined : 'other checksums';
}

/**
 * Length and checksums of a stream: its frame as a stored object, with a CRC-32C for every chunk. Equal bytes give
 * equal checksums, however they are cut into pieces. It is ten times as fast as SHA-256 on a processor without
 * instructions for that. It detects errors, not bytes chosen by an attacker. Rejects with the stream's errors.
 */
export async function checksumBytes(bytes: AsyncIterable<Uint8Array>, crc32c: Crc32c): Promise<Uint8Array> {
  const frame = new FrameWriter(crc32c);
  for await (const piece of bytes) frame.add(piece);
  return frame.finish();
}
