import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { PackageChain } from '../restore/package-chain.ts';
import { digestBytes } from '../restore/digest-bytes.ts';
import { restoreToFile } from '../restore/restore-to-file.ts';

/**
 * Decodes every file of a package as it lies in the store and compares digests. Files named in `keep` are left in `directory`, for
 * evaluation; their paths are returned. Rejects with `corrupt-package` when a byte differs.
 */
export async function verifyPackage(chain: PackageChain, keep: ReadonlySet<string>, directory: string, signal?: AbortSignal): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  const kept: string[] = [];
  for (const file of chain.files) {
    if (file.content.type === 'external') continue;
    const bytes = chain.file(file.path).stream(0, file.sizeBytes, signal);
    const path = join(directory, `${kept.length}.safetensors`);
    const found = keep.has(file.path) ? await restoreToFile(bytes, path) : await digestBytes(bytes);
    if (found.sha256 !== file.sha256 || found.sizeBytes !== file.sizeBytes) {
      throw new FirnError('corrupt-package', 'A stored package does not decode to what was encoded.', { detail: `${file.path}: ${found.sha256}, expected ${file.sha256}` });
    }
    if (keep.has(file.path)) kept.push(path);
  }
  return kept;
}
