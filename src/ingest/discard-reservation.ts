import { FirnError } from '../checkpoint/firn-error.ts';
import { encodeJobKind, type IngestContext } from './ingest-context.ts';
import { dropObjects } from './stage-body.ts';

/**
 * Gives up an open checkpoint with its files, its place in the run and its held job. Returns false when there is nothing to give up: it is gone, or
 * committed by now, or has shown a sign of life since `untouchedSince`.
 */
export async function discardReservation(
  ctx: Pick<IngestContext, 'catalog' | 'store'>,
  checkpointId: string,
  condition?: { readonly untouchedSince: Date },
): Promise<boolean> {
  try {
    const keys = await ctx.catalog.transaction(async (tx) => {
      const held = await tx.checkpoints.discard(checkpointId, condition);
      await tx.jobs.requestCancel(encodeJobKind, checkpointId);
      return held;
    });
    await dropObjects(ctx, keys);
    return true;
  } catch (err) {
    if (err instanceof FirnError && (err.code === 'conflict' || err.code === 'not-found')) return false;
    throw err;
  }
}
