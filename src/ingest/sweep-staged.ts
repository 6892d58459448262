import { evalSetPrefix, stagedPrefix, type IngestContext } from './ingest-context.ts';
import { dropObjects } from './stage-body.ts';

/**
 * Removes objects of uploads that no record refers to: what a crash left between a body's last byte and its record, and what could not be deleted
 * when it was replaced. Objects younger than `sweepGraceMs` are left alone. Memory does not grow with their number; asks the catalog once an object, so it is for
 * quiet hours. Returns the number of objects removed.
 */
export async function sweepStaged(ctx: IngestContext): Promise<number> {
  return (await sweep(ctx, stagedPrefix, (id, key) => isRawKey(ctx, id, key))) + (await sweep(ctx, evalSetPrefix, (id, key) => isEvalSetKey(ctx, id, key)));
}

async function sweep(ctx: IngestContext, prefix: string, isKnown: (ownerId: string, key: string) => Promise<boolean>): Promise<number> {
  const youngest = ctx.now().getTime() - ctx.limits.sweepGraceMs;
  let removed = 0;
  for await (const { key, modifiedAt } of ctx.store.list(prefix)) {
    if (modifiedAt.getTime() > youngest) continue;
    const ownerId = key.slice(prefix.length).split('/')[0]!;
    if (await isKnown(ownerId, key)) continue;
    await dropObjects(ctx, [key]);
    removed++;
  }
  return removed;
}

async function isRawKey({ catalog }: IngestContext, checkpointId: string, key: string): Promise<boolean> {
  return (await catalog.files.list(checkpointId)).some(({ rawKey }) => rawKey === key);
}

async function isEvalSetKey({ catalog }: IngestContext, evalSetId: string, key: string): Promise<boolean> {
  const evalSet = await catalog.evalSets.get(evalSetId);
  return evalSet !== undefined && (evalSet.graphKey === key || evalSet.batchesKey === key);
}
