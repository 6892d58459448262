import type { IngestContext } from '../ingest-context.ts';

/**
 * Deletes pieces at once, without the grace of pending deletion: their bytes are in the finished object, or were never
 * acknowledged. Never rejects; pieces that cannot be deleted now are collected later.
 */
export async function dropPieces(
  { store, catalog }: Pick<IngestContext, 'store' | 'catalog'>,
  keys: readonly (string | undefined)[],
): Promise<void> {
  const pending = keys.filter((key) => key !== undefined);
  try {
    await store.deleteMany(pending);
    await catalog.garbage.forget(pending);
  } catch {
    // They are still pending deletion in the catalog.
  }
}
