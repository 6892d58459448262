import { FirnError } from '../../checkpoint/firn-error.ts';
import { encodeJobKind, type IngestContext } from '../ingest-context.ts';

/**
 * Gives up an open checkpoint with its files, its place in the run and its held job. Returns false when there is
 * nothing to give up: it is gone, or committed by now, or has shown a sign of life since `untouchedSince`.
 */
export async function discardReservation(
  ctx: Pick<IngestContext, 'catalog'>,
  checkpointId: string,
  condition?: { readonly untouchedSince: Date },
): Promise<boolean> {
  try {
    await ctx.catalog.transaction(async (tx) => {
      await tx.checkpoints.discard(checkpointId, condition);
      await tx.jobs.requestCancel(encodeJobKind, checkpointId);
    });
    return true;
  } catch (err) {
    if (err instanceof FirnError && (err.code === 'conflict' || err.code === 'not-found')) return false;
    throw err;
  }
}
