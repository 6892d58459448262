import { FirnError } from '../../checkpoint/firn-error.ts';
import type { DamageKind } from '../../catalog/contract/storage/integrity-records.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { ReadRate } from './read-rate.ts';

/** Outcome of reading an object to its end. */
export interface WholeRead {
  /** Bytes of content with a correct checksum. */
  readonly bytes: number;
  /** Absent when every chunk matched its checksum. */
  readonly damage?: { readonly what: DamageKind; readonly detail: string };
}

/**
 * Reads every byte of an object through the store's checksums. Rejects if the store is unreachable or fails in another
 * way: that is no damage.
 */
export async function readWhole(
  store: ObjectStore,
  key: string,
  { rate, signal }: { readonly rate?: ReadRate; readonly signal?: AbortSignal } = {},
): Promise<WholeRead> {
  let bytes = 0;
  try {
    const reader = await store.open(key);
    try {
      for await (const piece of reader.stream(0, reader.sizeBytes, signal)) {
        bytes += piece.length;
        await rate?.spend(piece.length, signal);
      }
      await reader.forget?.();
    } finally {
      await reader.close();
    }
    return { bytes };
  } catch (error) {
    const what = damageOf(error);
    if (what === undefined) throw error;
    return { bytes, damage: { what, detail: (error as FirnError).detail ?? (error as FirnError).message } };
  }
}

/** The kind of damage that a store's error means; undefined if it means none. */
export function damageOf(error: unknown): DamageKind | undefined {
  if (!(error instanceof FirnError)) return undefined;
  if (error.code === 'not-found') return 'missing';
  return error.code === 'corrupt-object' || error.code === 'unsupported-format' ? 'corrupt' : undefined;
}
