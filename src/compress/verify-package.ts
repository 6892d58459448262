import { FirnError } from '../checkpoint/firn-error.ts';
import type { PackageChain } from '../restore/package-chain.ts';
import { digestBytes } from '../restore/digest-bytes.ts';
import { restoreToFile } from '../restore/restore-to-file.ts';

/**
 * Decodes every file of a package as it lies in the store and compares digests; those in `keep` are left at the path given there, for evaluation. External
 * files are not in the package. Rejects with `corrupt-package` when a byte differs, with the errors of restore, and those of the file system.
 */
export async function verifyPackage(chain: PackageChain, keep: ReadonlyMap<string, string>, signal?: AbortSignal): Promise<void> {
  for (const file of chain.files) {
    if (file.content.type === 'external') continue;
    const bytes = chain.file(file.path).passing(signal);
    const path = keep.get(file.path);
    const found = path === undefined ? await digestBytes(bytes) : await restoreToFile(bytes, path);
    if (found.sha256 !== file.sha256 || found.sizeBytes !== file.sizeBytes) {
      throw new FirnError('corrupt-package', 'A stored package does not decode to what was encoded.', {
        detail: `${file.path}: ${found.sha256}, expected ${file.sha256}`,
      });
    }
  }
}
