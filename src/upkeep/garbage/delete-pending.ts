import type { PendingDeletion } from '../../catalog/contract/storage/garbage-records.ts';
import type { Amount, GarbageContext, GarbageOptions } from './mark-orphans.ts';

/** Objects deleted between two queries. */
const pageObjects = 500;

export interface DeletedObjects extends Amount {
  /** Objects that could not be deleted; the next pass retries. */
  readonly failed: number;
  /** The first failure of them. */
  readonly error?: unknown;
  /**
   * Keys that were pending deletion and are named nevertheless, which should not happen because keys are never reused.
   * They are reported and not deleted.
   */
  readonly named: readonly string[];
}

/**
 * Deletes objects that were marked before the grace, if nothing names them, and then their entries. The next pass
 * repeats one that was killed in between. Memory does not grow with the number of objects. Rejects with the errors of
 * the catalog, and the signal's reason between two pages.
 */
export async function deletePending(
  ctx: GarbageContext,
  { graceMs, dryRun = false, onObject }: GarbageOptions,
  signal?: AbortSignal,
): Promise<DeletedObjects> {
  const { garbage, objects: records } = ctx.catalog;
  const until = new Date((await ctx.catalog.now()).getTime() - graceMs);
  let total: DeletedObjects = { objects: 0, bytes: 0, failed: 0, named: [] };
  for (let after = ''; ;) {
    const page = await garbage.pendingDeletions(until, { limit: pageObjects, after });
    if (page.length === 0) return total;
    after = page.at(-1)!.key;
    signal?.throwIfAborted();
    const named = new Set(await records.named(page.map(({ key }) => key)));
    const doomed = page.filter(({ key }) => !named.has(key));
    const { gone, error } = dryRun ? { gone: doomed } : await deleteAll(ctx, doomed);
    if (!dryRun) await garbage.forget([...named, ...gone.map(({ key }) => key)]);
    for (const object of gone) onObject?.('deleted', object);
    total = {
      ...total,
      ...(error !== undefined && { error: total.error ?? error }),
      objects: total.objects + gone.length,
      bytes: total.bytes + gone.reduce((sum, { storedBytes = 0 }) => sum + storedBytes, 0),
      failed: total.failed + doomed.length - gone.length,
      named: [...total.named, ...named],
    };
  }
}

/** Deletes all at once. If that fails, deletes one by one, so that one undeletable object does not keep the others. */
async function deleteAll(
  { store }: GarbageContext,
  doomed: readonly PendingDeletion[],
): Promise<{ readonly gone: readonly PendingDeletion[]; readonly error?: unknown }> {
  try {
    await store.deleteMany(doomed.map(({ key }) => key));
    return { gone: doomed };
  } catch {
    const gone: PendingDeletion[] = [];
    let first: unknown;
    for (const object of doomed) {
      try {
        await store.delete(object.key);
        gone.push(object);
      } catch (error) {
        first ??= error;
      }
    }
    return { gone, ...(first !== undefined && { error: first }) };
  }
}
