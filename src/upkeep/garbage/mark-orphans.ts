import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { DeletionReason, FoundObject } from '../../catalog/contract/storage/garbage-records.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { collectedPrefixes, foundObject } from './found-object.ts';

/** Objects checked in one query. */
const pageObjects = 500;
/**
 * An object younger than this, in ms, is left for a later pass. The time between an object's last byte and its record
 * is a thousand times shorter.
 */
const orphanAgeMs = 3_600_000;

export interface GarbageContext {
  readonly catalog: Catalog;
  readonly store: Pick<ObjectStore, 'list' | 'delete' | 'deleteMany'>;
}

export interface GarbageOptions {
  /** How long an object stays after its last name was removed. */
  readonly graceMs: number;
  /** Change nothing, but report as if it had been done. */
  readonly dryRun?: boolean;
  /** Called for each object. */
  readonly onObject?: (
    done: 'marked' | 'deleted',
    object: { readonly key: string; readonly storedBytes?: number; readonly reason: DeletionReason },
  ) => void;
}

/** A number of objects, and their bytes in the store as far as known. */
export interface Amount {
  readonly objects: number;
  readonly bytes: number;
}

/**
 * Finds objects in the store that no record names and no pending upload or job will, such as the remains of killed
 * processes, and marks them for deletion. A later pass deletes them after the grace. If the catalog names no object at
 * all, it is probably the wrong catalog, and nothing is marked. Memory does not grow with the number of objects; two or
 * three queries a page. Rejects with the errors of catalog and store, and the signal's reason.
 */
export async function markOrphans(
  { catalog, store }: GarbageContext,
  { graceMs, dryRun = false, onObject }: GarbageOptions,
  signal?: AbortSignal,
): Promise<Amount> {
  let total: Amount = { objects: 0, bytes: 0 };
  if ((await catalog.objects.keys({ limit: 1 })).length === 0) return total;
  const youngest = (await catalog.now()).getTime() - Math.min(graceMs, orphanAgeMs);
  const mark = async (page: readonly FoundObject[]): Promise<void> => {
    signal?.throwIfAborted();
    if (!dryRun) await catalog.garbage.noteSizes(page);
    const orphans = await catalog.garbage.orphans(page);
    if (!dryRun) await catalog.garbage.markOrphans(orphans);
    for (const orphan of orphans) onObject?.('marked', { ...orphan, reason: 'orphan' });
    total = {
      objects: total.objects + orphans.length,
      bytes: total.bytes + orphans.reduce((sum, { storedBytes }) => sum + storedBytes, 0),
    };
  };
  for (const prefix of collectedPrefixes) {
    let page: FoundObject[] = [];
    for await (const listed of store.list(prefix)) {
      if (listed.modifiedAt.getTime() > youngest) continue;
      page.push(foundObject(listed));
      if (page.length < pageObjects) continue;
      await mark(page);
      page = [];
    }
    await mark(page);
  }
  return total;
}
