import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { Run, RunLayout } from '../../catalog/contract/run-records.ts';
import { isName } from '../../checkpoint/names.ts';
import { canBuildOn } from '../../ingest/run/run-layout.ts';
import { defaultRun } from '../tree/resolve-revision.ts';

/** Longest model card that is read, in bytes; its metadata comes first. */
export const cardBytesMax = 256 * 1024;

/**
 * The model that a card names as its base: `base_model: acme/lm`, or the first of a list. Undefined if there is none,
 * or if it is not an id of this hub. Pure.
 */
export function baseModelOf(card: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, metadata = ''] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(card.slice(0, cardBytesMax)) ?? [];
  const [, id = ''] = /^base_model:[ \t]*(?:\r?\n[ \t]*-[ \t]*|\[[ \t]*)?["']?([\w./-]+)/m.exec(metadata) ?? [];
  const [namespace = '', name = '', ...rest] = id.split('/');
  return rest.length === 0 && isName(namespace) && isName(name) ? { namespace, name } : undefined;
}

/**
 * The checkpoint of a base model that the first checkpoint of a fine-tune can be stored against: the newest ready one
 * of what its main branch shows, if it has most of the same tensors.
 */
export async function baseCheckpoint(
  tx: Catalog,
  base: Repository,
  model: RunLayout,
): Promise<{ readonly run: Run; readonly checkpoint: Checkpoint } | undefined> {
  const run = await defaultRun(tx, base);
  const checkpoint = run && (await tx.checkpoints.newestReady(run.id));
  if (run === undefined || checkpoint?.packageId === undefined) return undefined;
  const layout = await tx.runs.layoutOf(run.id);
  return layout !== undefined && canBuildOn(layout, model) ? { run, checkpoint } : undefined;
}
