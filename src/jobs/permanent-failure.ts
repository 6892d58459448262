import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';

/**
 * Codes of temporary failures: another state of the catalog, a full disk, an unreachable storage, a busy or crashed
 * process, a GPU that failed, a failing disk that read wrong bytes. Every other code concerns the content or a limit,
 * and would recur.
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
  'eval-device',
]);

/** Whether a retry is useless. Errors that are no FirnError are unknown, so they are retried. */
export function isPermanent(error: unknown): boolean {
  return error instanceof FirnError && !passing.has(error.code);
}
