import type { IngestContext } from '../ingest-context.ts';

/**
 * Deletes pieces at once, without the grace that what is pending deletion has: their bytes are in the object that they
 * became, or were never acknowledged. Never rejects; what could not be deleted is collected later.
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
    // The catalog still has them as pending deletion.
  }
}
