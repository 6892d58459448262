import type { FoundObject } from '../../catalog/contract/storage/garbage-records.ts';
import { blobPrefix, evalSetPrefix, piecePrefix, stagedPrefix, xorbPrefix } from '../../ingest/ingest-context.ts';
import type { StoredObject } from '../../store/object-store.ts';
import { probePrefix } from '../../store/watch/probe-store.ts';

/**
 * Prefix of the keys of packages (compress/compress-checkpoint.ts, merge/write-merged.ts):
 * `packages/<checkpoint or merged package>-<fence>`.
 */
const packagePrefix = 'packages/';

/**
 * Prefixes of objects that the catalog may name, and of probe objects. Nothing else is ever collected.
 */
export const collectedPrefixes = [
  packagePrefix,
  stagedPrefix,
  evalSetPrefix,
  piecePrefix,
  blobPrefix,
  xorbPrefix,
  probePrefix,
] as const;

/** The owner and fence in an object's key. A fence is a positive 32-bit integer; a longer number is not one. Pure. */
export function foundObject({ key, storedBytes }: Pick<StoredObject, 'key' | 'storedBytes'>): FoundObject {
  if (!key.startsWith(packagePrefix)) return { key, storedBytes, ownerId: key.split('/')[1]! };
  const [, ownerId, fence] = /^([^-]+)-(\d{1,9})$/.exec(key.slice(packagePrefix.length)) ?? [];
  return ownerId === undefined ? { key, storedBytes } : { key, storedBytes, ownerId, fence: Number(fence) };
}
