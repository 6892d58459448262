import { forEachBounded } from '../../compress/bounded-parallel.ts';
import { examineObject, type ScrubContext } from './examine-object.ts';

/** Objects in one query; an interrupted round continues after the last complete page. */
const pageKeys = 32;
/** Objects read at once. */
const objectsAtOnce = 4;

export interface ScrubTotals {
  readonly objects: number;
  readonly bytes: number;
  readonly damaged: number;
  /** Objects that could not be read, and are not known to be damaged. */
  readonly unread: number;
}

export interface ScrubScope {
  /** Only objects of this repository. */
  readonly repositoryId?: string;
  /** Only keys after this one. */
  readonly afterKey?: string;
  /** Called after each page, with its last key and the totals so far. */
  readonly onPage?: (lastKey: string, totals: ScrubTotals) => Promise<void>;
}

/**
 * Reads every object that the catalog names, by key, through the store to its end. Memory does not grow with their
 * number. Rejects as `examineObject`, and with the signal's reason.
 */
export async function scrubObjects(
  ctx: ScrubContext,
  { repositoryId, afterKey, onPage }: ScrubScope = {},
  signal?: AbortSignal,
): Promise<ScrubTotals> {
  let totals: ScrubTotals = { objects: 0, bytes: 0, damaged: 0, unread: 0 };
  for (let after = afterKey ?? ''; ;) {
    const keys = await ctx.catalog.objects.keys({ limit: pageKeys, after }, repositoryId);
    if (keys.length === 0) return totals;
    await forEachBounded(keys, objectsAtOnce, async (key) => {
      signal?.throwIfAborted();
      const { bytes, damaged, unread } = await examineObject(ctx, key, signal);
      totals = {
        objects: totals.objects + 1,
        bytes: totals.bytes + bytes,
        damaged: totals.damaged + Number(damaged),
        unread: totals.unread + Number(unread === true),
      };
    });
    after = keys.at(-1)!;
    await onPage?.(after, totals);
  }
}
