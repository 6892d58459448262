import type { EvalSet } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { IngestContext } from './ingest-context.ts';

/** Judges graph, batches and spec together; rejects with the FirnError that says why they cannot be used. */
export type EvalSetCheck = (evalSet: EvalSet) => Promise<void>;

/**
 * Closes an eval set: both parts have arrived and pass `check`. A set that fails it is `failed` with the reason, which is also thrown; delete it to try
 * again. Errors that say nothing about the set (`overloaded`, `internal` and the like) leave it open. Repeating a commit answers as the first time.
 * Errors: `upload-incomplete`, `not-found`, `conflict` (a part changed meanwhile), and those of `check`.
 */
export async function commitEvalSet({ catalog }: Pick<IngestContext, 'catalog'>, evalSetId: string, check: EvalSetCheck): Promise<EvalSet> {
  const evalSet = await find(catalog, evalSetId);
  if (evalSet.state === 'ready') return evalSet;
  if (evalSet.state === 'failed') throw new FirnError(evalSet.errorCode ?? 'graph-invalid', evalSet.errorMessage ?? 'The eval set failed its check.');
  const missing = evalSet.graphKey === undefined ? 'graph' : evalSet.batchesKey === undefined ? 'batches' : undefined;
  if (missing !== undefined) throw new FirnError('upload-incomplete', `The eval set has no ${missing} yet.`);
  try {
    await check(evalSet);
  } catch (err) {
    if (err instanceof FirnError && !transientCodes.has(err.code))
      await catalog.evalSets.setState(evalSetId, 'failed', { code: err.code, message: err.message });
    throw err;
  }
  return catalog.transaction(async (tx) => {
    // The state first: from then on no part can change, so the one compared is the one that was checked.
    await tx.evalSets.setState(evalSetId, 'ready');
    const ready = await find(tx, evalSetId);
    if (ready.graphKey !== evalSet.graphKey || ready.batchesKey !== evalSet.batchesKey)
      throw new FirnError('conflict', 'A part of the eval set changed while it was checked; commit again.');
    return ready;
  });
}

/** They say something about the moment, not about the set. */
const transientCodes: ReadonlySet<FirnError['code']> = new Set([
  'overloaded',
  'cancelled',
  'internal',
  'native-failure',
  'storage-full',
  'eval-crashed',
  'conflict',
  'not-found',
]);

async function find(catalog: IngestContext['catalog'], evalSetId: string): Promise<EvalSet> {
  const evalSet = await catalog.evalSets.get(evalSetId);
  if (evalSet === undefined) throw new FirnError('not-found', 'There is no such eval set.');
  return evalSet;
}
