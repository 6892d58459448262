import { FirnError } from '../checkpoint/firn-error.ts';
import type { ObjectReader, ObjectStore } from '../store/object-store.ts';

/**
 * Opens an object that the catalog names. If it is absent, the store is damaged: this rejects with `corrupt-object`,
 * not with `not-found`, because the reader did nothing wrong.
 */
export async function openNamed(store: Pick<ObjectStore, 'open'>, key: string): Promise<ObjectReader> {
  try {
    return await store.open(key);
  } catch (error) {
    if (!(error instanceof FirnError) || error.code !== 'not-found') throw error;
    throw new FirnError('corrupt-object', 'A stored object is missing.', { detail: key, cause: error });
  }
}
