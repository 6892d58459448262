import { evalSetPrefix, piecePrefix, stagedPrefix, type IngestContext } from './ingest-context.ts';
import { dropObjects } from './stage-body.ts';

/**
 * Removes objects of uploads that no record refers to: what a crash left between a body's last byte and its record, and what could not be deleted
 * when it was replaced. Objects younger than `sweepGraceMs` are left alone. Memory does not grow with their number; asks the catalog once an object, so it is for
 * quiet hours. Returns the number of objects removed. Rejects with the signal's reason between two objects.
 */
export async function sweepStaged(ctx: IngestContext, signal?: AbortSignal): Promise<number> {
  const raw = await sweep(ctx, stagedPrefix, (key) => ctx.catalog.files.holdsRaw(key), signal);
  const pieces = await sweep(ctx, piecePrefix, (key) => ctx.catalog.uploads.holds(key), signal);
  return raw + pieces + (await sweep(ctx, evalSetPrefix, (key) => isEvalSetKey(ctx, key), signal));
}

async function sweep(ctx: IngestContext, prefix: string, isKnown: (key: string) => Promise<boolean>, signal: AbortSignal | undefined): Promise<number> {
  const youngest = (await ctx.now()).getTime() - ctx.limits.sweepGraceMs;
  let removed = 0;
  for await (const { key, modifiedAt } of ctx.store.list(prefix)) {
    signal?.throwIfAborted();
    if (modifiedAt.getTime() > youngest || (await isKnown(key))) continue;
    await dropObjects(ctx, [key]);
    removed++;
  }
  return removed;
}

async function isEvalSetKey({ catalog }: IngestContext, key: string): Promise<boolean> {
  const evalSet = await catalog.evalSets.get(key.slice(evalSetPrefix.length).split('/')[0]!);
  return evalSet !== undefined && (evalSet.graphKey === key || evalSet.batchesKey === key);
}
