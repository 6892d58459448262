import { setTimeout as pause } from 'node:timers/promises';
import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Precondition } from '../catalog/contract/precondition.ts';
import type { Repository } from '../catalog/contract/repository-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { cancelCheckpoint } from '../ingest/checkpoint/cancel-checkpoint.ts';
import { deleteRun } from '../upkeep/delete-run.ts';

const pageRecords = 100;
/** How long a deletion waits for a checkpoint that is being compressed to stop, in ms, and between two looks. */
const waitMs = 20_000;
const lookMs = 100;

/**
 * Deletes a repository with its runs, eval sets, commits and files. What is being compressed is cancelled first.
 * `conflict` if that does not stop in time; then what was deleted so far stays deleted, and the call can be repeated.
 * The precondition is checked before anything is deleted, and not again.
 */
export async function deleteRepository(
  ctx: { readonly catalog: Catalog },
  { id }: Repository,
  precondition?: Precondition,
): Promise<void> {
  const { catalog } = ctx;
  if (precondition !== undefined) await catalog.transaction(precondition);
  for (;;) {
    const runs = await catalog.runs.list(id, { limit: pageRecords });
    if (runs.length === 0) break;
    for (const run of runs) {
      await cancelAll(ctx, run);
      await deleteRun(ctx, run);
    }
  }
  for (;;) {
    const evalSets = await catalog.evalSets.list(id, { limit: pageRecords });
    if (evalSets.length === 0) break;
    for (const evalSet of evalSets) await catalog.evalSets.delete(evalSet.id);
  }
  await catalog.repositories.delete(id);
}

async function cancelAll(ctx: { readonly catalog: Catalog }, run: Run): Promise<void> {
  for (const startedMs = performance.now(); ;) {
    const unfinished = await ctx.catalog.checkpoints.unfinished(run.id, pageRecords);
    const busy = unfinished.filter(({ state }) => state !== 'open');
    if (busy.length === 0) return;
    for (const checkpoint of busy)
      if (!checkpoint.cancelRequested) await cancelCheckpoint(ctx, checkpoint).catch(unlessOver);
    if (performance.now() - startedMs > waitMs)
      throw new FirnError('conflict', `Step ${busy[0]!.step} is still being compressed; try again in a moment.`);
    await pause(lookMs);
  }
}

/** A checkpoint that is ready, failed or gone by now needs no cancelling. */
function unlessOver(error: unknown): void {
  if (!(error instanceof FirnError) || (error.code !== 'conflict' && error.code !== 'not-found')) throw error;
}
