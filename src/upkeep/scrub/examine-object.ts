import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { AffectedByDamage, DamagedObject } from '../../catalog/contract/storage/integrity-records.ts';
import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { readWhole, type WholeRead } from './read-whole.ts';
import type { ReadRate } from './read-rate.ts';

/** A damaged object, and everything that it makes unreadable. */
export interface FoundDamage extends Omit<DamagedObject, 'foundAt'>, AffectedByDamage {}

export interface ScrubContext {
  readonly catalog: Catalog;
  /** Without the quarantine, because objects in it have to be read, too. */
  readonly store: ObjectStore;
  /** Limits the rate of reading; unlimited if absent. */
  readonly rate?: ReadRate;
  /** Called for every damaged object each time that it is read. `isNew`: it was whole before. */
  readonly onDamage: (found: FoundDamage, isNew: boolean) => void;
  /** Called for an object that left the quarantine. */
  readonly onRepaired?: (key: string) => void;
  /** Called for an object that can neither be read nor called damaged, for example because the disk fails. */
  readonly onUnread: (key: string, error: unknown) => void;
  /** Called for every object read. */
  readonly onRead?: (bytes: number) => void;
}

export interface Examined {
  readonly bytes: number;
  readonly damaged: boolean;
  readonly unread?: boolean;
}

/**
 * Codes of an unreachable store or an aborted reader. They say nothing about the object, and the next read would fail
 * alike.
 */
export const endsReading: ReadonlySet<FirnErrorCode> = new Set<FirnErrorCode>([
  'unavailable',
  'overloaded',
  'cancelled',
]);

/**
 * Reads one object to its end and puts it into quarantine, or takes it out. A damaged one is read a second time,
 * because the error may come from the network or from memory. If the catalog no longer names the object, it does not
 * count as damaged: it may have been deleted meanwhile. Rejects with the errors of the catalog, and with the store's
 * `unavailable`, `overloaded`, `cancelled`.
 */
export async function examineObject(ctx: ScrubContext, key: string, signal?: AbortSignal): Promise<Examined> {
  const { catalog, onDamage, onRepaired, onRead } = ctx;
  const last = await readTwice(ctx, key, signal);
  if (last === undefined) return { bytes: 0, damaged: false, unread: true };
  onRead?.(last.bytes);
  if (last.damage === undefined) {
    if (await catalog.damage.clear(key)) onRepaired?.(key);
    return { bytes: last.bytes, damaged: false };
  }
  if ((await catalog.objects.named([key])).length === 0) {
    await catalog.damage.clear(key);
    return { bytes: last.bytes, damaged: false };
  }
  const isNew = await catalog.damage.note({ key, ...last.damage });
  onDamage({ key, ...last.damage, ...(await catalog.damage.affected(key)) }, isNew);
  return { bytes: last.bytes, damaged: true };
}

/** Undefined if the object cannot be read. */
async function readTwice(
  { store, rate, onUnread }: ScrubContext,
  key: string,
  signal: AbortSignal | undefined,
): Promise<WholeRead | undefined> {
  const options = { ...(rate && { rate }), ...(signal && { signal }) };
  try {
    const first = await readWhole(store, key, options);
    return first.damage === undefined ? first : await readWhole(store, key, options);
  } catch (error) {
    if (signal?.aborted === true || (error instanceof FirnError && endsReading.has(error.code))) throw error;
    onUnread(key, error);
    return undefined;
  }
}
