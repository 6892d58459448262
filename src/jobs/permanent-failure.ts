import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';

/**
 * Codes that may be gone at the next try: another state of the catalog, a full disk, a storage out of reach, a busy or
 * crashed process, bytes that a failing disk read wrongly. Every other code says something about the content, or is a
 * bound that was reached, and would be the same again.
 */
const passing: ReadonlySet<FirnErrorCode> = new Set<FirnErrorCode>([
  'conflict',
  'not-found',
  'storage-full',
  'unavailable',
  'overloaded',
  'cancelled',
  'native-failure',
  'internal',
  'corrupt-object',
  'corrupt-package',
  'eval-crashed',
]);

/** Whether trying again is useless. Errors that are no FirnError are not understood, so they are tried again. */
export function isPermanent(error: unknown): boolean {
  return error instanceof FirnError && !passing.has(error.code);
}
