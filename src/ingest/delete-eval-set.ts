import type { IngestContext } from './ingest-context.ts';
import { dropObjects } from './stage-body.ts';

/** Removes an eval set and its objects. Errors: `conflict` while a run uses it, `not-found`. */
export async function deleteEvalSet(ctx: Pick<IngestContext, 'catalog' | 'store'>, evalSetId: string): Promise<void> {
  await dropObjects(ctx, await ctx.catalog.evalSets.delete(evalSetId));
}
