import type { Precondition } from '../../../catalog/contract/precondition.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { encodeJobKind, type IngestContext } from '../../ingest-context.ts';

/**
 * Discards an open checkpoint with its files, its place in the run and its held job. Returns false if it does not
 * exist, is committed by now, or has given a sign of life since `untouchedSince`.
 */
export async function discardReservation(
  ctx: Pick<IngestContext, 'catalog'>,
  checkpointId: string,
  {
    precondition,
    ...condition
  }: { readonly untouchedSince?: Date; readonly precondition?: Precondition | undefined } = {},
): Promise<boolean> {
  try {
    await ctx.catalog.transaction(async (tx) => {
      const found = await tx.checkpoints.get(checkpointId);
      if (found?.state === 'open' && precondition !== undefined) {
        // Under this lock no file is announced or committed meanwhile.
        await tx.runs.lock(found.runId);
        await precondition(tx);
      }
      const { untouchedSince } = condition;
      await tx.checkpoints.discard(checkpointId, untouchedSince && { untouchedSince });
      await tx.jobs.requestCancel(encodeJobKind, checkpointId);
    });
    return true;
  } catch (err) {
    if (err instanceof FirnError && (err.code === 'conflict' || err.code === 'not-found')) return false;
    throw err;
  }
}
