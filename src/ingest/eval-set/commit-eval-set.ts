import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { Precondition } from '../../catalog/contract/precondition.ts';
import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import type { IngestContext } from '../ingest-context.ts';

/** Checks graph, batches and spec together; rejects with a FirnError that says why they cannot be used. */
export type EvalSetCheck = (evalSet: EvalSet) => Promise<void>;

/**
 * Closes an eval set: both parts have arrived and pass `check`. A set that fails it is `failed` with the reason, which
 * is also thrown; delete it to try again. Errors that do not depend on the set (`overloaded`, `internal` and the like)
 * leave it open. Repeating a commit gives the first answer again. Errors: `upload-incomplete`, `not-found`, `conflict`
 * (a part changed meanwhile), those of `check`, and what the precondition throws, which is asked before anything is
 * done.
 */
export async function commitEvalSet(
  { catalog }: Pick<IngestContext, 'catalog'>,
  evalSetId: string,
  check: EvalSetCheck,
  precondition?: Precondition,
): Promise<EvalSet> {
  if (precondition !== undefined) await catalog.transaction(precondition);
  const evalSet = await find(catalog, evalSetId);
  if (evalSet.state === 'ready') return evalSet;
  if (evalSet.state === 'failed')
    throw new FirnError(evalSet.errorCode ?? 'graph-invalid', evalSet.errorMessage ?? 'The eval set failed its check.');
  const missing = evalSet.graphKey === undefined ? 'graph' : evalSet.batchesKey === undefined ? 'batches' : undefined;
  if (missing !== undefined) throw new FirnError('upload-incomplete', `The eval set has no ${missing} yet.`);
  try {
    await check(evalSet);
  } catch (err) {
    if (err instanceof FirnError && !transientCodes.has(err.code))
      await close(catalog, evalSet, 'failed', { code: err.code, message: err.message }).catch(unlessClosedMeanwhile);
    throw err;
  }
  return close(catalog, evalSet, 'ready');
}

/** `conflict` when another commit has closed it with another state, or a part is not the checked one. */
function close(
  catalog: IngestContext['catalog'],
  checked: EvalSet,
  state: 'ready' | 'failed',
  error?: { code: FirnErrorCode; message: string },
): Promise<EvalSet> {
  return catalog.transaction(async (tx) => {
    // Set the state first: from then on no part can change, so the compared part is the checked one.
    await tx.evalSets.setState(checked.id, state, error);
    const closed = await find(tx, checked.id);
    if (closed.graphKey !== checked.graphKey || closed.batchesKey !== checked.batchesKey)
      throw new FirnError('conflict', 'A part of the eval set changed while it was checked; commit again.');
    return closed;
  });
}

/** This commit reports its own result in any case. */
function unlessClosedMeanwhile(err: unknown): void {
  if (!(err instanceof FirnError) || err.code !== 'conflict') throw err;
}

/** These errors concern the moment, not the set. */
const transientCodes: ReadonlySet<FirnError['code']> = new Set([
  'overloaded',
  'cancelled',
  'internal',
  'native-failure',
  'storage-full',
  'unavailable',
  'eval-crashed',
  'conflict',
  'not-found',
]);

async function find(catalog: IngestContext['catalog'], evalSetId: string): Promise<EvalSet> {
  const evalSet = await catalog.evalSets.get(evalSetId);
  if (evalSet === undefined) throw new FirnError('not-found', 'There is no such eval set.');
  return evalSet;
}
