import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { QualityThresholds } from '../../checkpoint/quality/quality.ts';
import { settleThresholds } from './settle-thresholds.ts';

/** A change of the eval set or thresholds of a run's future checkpoints. */
export interface EvaluationChange {
  /** Name of an eval set of the repository. */
  readonly evalSet?: string | undefined;
  readonly thresholds?: QualityThresholds | undefined;
  /** Must be true if a threshold is above `plainThresholdMax`. */
  readonly allowLarge?: boolean | undefined;
}

/** The eval set and thresholds of a checkpoint. */
export type Evaluation = Pick<Run, 'evalSetId' | 'thresholds'>;

/**
 * The eval set after a change; undefined for a run without one. Errors: `not-found`, `eval-set-not-ready`, `conflict`
 * (an exact run measures nothing).
 */
export async function evalSetAfter(
  catalog: Catalog,
  run: Run,
  { evalSet, thresholds }: EvaluationChange,
): Promise<EvalSet | undefined> {
  if (run.fidelity === 'exact' && (evalSet !== undefined || thresholds !== undefined)) {
    throw new FirnError(
      'conflict',
      'The run is exact: its checkpoints are stored as they are, and nothing is measured. Create another run ' +
        'with the eval set, or fork this one with it.',
    );
  }
  if (evalSet !== undefined) return readyEvalSet(catalog, run.repositoryId, evalSet);
  return run.evalSetId === undefined ? undefined : catalog.evalSets.get(run.evalSetId);
}

/**
 * Eval set and thresholds after a change of a run, inside the transaction; values that are not given stay. Errors:
 * those of `evalSetAfter` and `settleThresholds`.
 */
export async function evaluationAfter(tx: Catalog, run: Run, change: EvaluationChange): Promise<Evaluation> {
  const evalSet = await evalSetAfter(tx, run, change);
  const { thresholds: given, allowLarge } = change;
  const thresholds = settleThresholds({ given, inherited: run.thresholds, allowLarge, evalSet });
  return { thresholds, ...(evalSet !== undefined && { evalSetId: evalSet.id }) };
}

/** The ready eval set of that name. Errors: `not-found`, `eval-set-not-ready`. */
export async function readyEvalSet(catalog: Catalog, repositoryId: string, name: string): Promise<EvalSet> {
  const evalSet = await catalog.evalSets.find(repositoryId, name);
  if (evalSet === undefined) throw new FirnError('not-found', 'There is no such eval set.');
  if (evalSet.state !== 'ready')
    throw new FirnError('eval-set-not-ready', 'The eval set has not been committed, or its check failed.');
  return evalSet;
}
