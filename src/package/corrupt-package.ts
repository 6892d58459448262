import { FirnError } from '../checkpoint/firn-error.ts';

/** The error for stored bytes that no encoder writes. `detail` describes the damage, for logs. */
export function corruptPackage(detail: string, cause?: unknown): FirnError {
  return new FirnError('corrupt-package', 'The stored package is damaged and cannot be read.', { detail, cause });
}
