import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Precondition } from '../catalog/contract/precondition.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { absentWhen } from '../checkpoint/absent-when.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { encodeJobKind } from '../ingest/ingest-context.ts';
import { reclaimHidden } from './reclaim-hidden.ts';

/** Unfinished checkpoints read in one query. */
const unfinishedPerQuery = 100;

/**
 * Deletes a run with all its checkpoints; its name and its eval set are free at once. Reservations are discarded.
 * Checkpoints that other runs build on stay hidden, and the run with them, until nothing builds on them
 * (reclaim-hidden.ts). `conflict` while a checkpoint is compressed or waits for it, `not-found`, and what the
 * precondition throws.
 */
export async function deleteRun(
  ctx: { readonly catalog: Catalog },
  { id }: Pick<Run, 'id'>,
  precondition?: Precondition,
): Promise<void> {
  await ctx.catalog.transaction(async (tx) => {
    // Under this lock nothing can be reserved.
    await tx.runs.lock(id);
    await precondition?.(tx);
    await discardReservations(tx, id);
    await tx.runs.hide(id);
  });
  // The run is deleted already. If reclaiming fails now, the periodic upkeep repeats it.
  await reclaimHidden(ctx).catch(() => undefined);
}

async function discardReservations(tx: Catalog, runId: string): Promise<void> {
  for (;;) {
    const unfinished = await tx.checkpoints.unfinished(runId, unfinishedPerQuery);
    if (unfinished.length === 0) return;
    for (const { id, state, step } of unfinished) {
      if (state !== 'open') throw new FirnError('conflict', `Step ${step} of the run is ${state}; cancel it first.`);
      // Another request may discard the reservation first.
      await tx.checkpoints.discard(id).catch(absentWhen('not-found'));
      await tx.jobs.requestCancel(encodeJobKind, id);
    }
  }
}
