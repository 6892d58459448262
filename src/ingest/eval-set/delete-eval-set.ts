import type { IngestContext } from '../ingest-context.ts';

/**
 * Removes an eval set; its objects are deleted after the grace. Errors: `conflict` while a run or a checkpoint needs
 * it, `not-found`.
 */
export async function deleteEvalSet({ catalog }: Pick<IngestContext, 'catalog'>, evalSetId: string): Promise<void> {
  await catalog.evalSets.delete(evalSetId);
}
