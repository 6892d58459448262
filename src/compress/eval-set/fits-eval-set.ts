import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { RunLayout } from '../../catalog/contract/run-records.ts';
import { couldFill } from '../../graph/could-fill.ts';
import type { EvalSetContext } from './check-eval-set.ts';
import { describeLocalGraph } from './describe-local-graph.ts';
import { evalSetDirectory, localGraph } from './local-eval-set.ts';

/**
 * The question whether a layout's model tensors could fill the graph of an eval set. `signal` aborts it if the client
 * is gone.
 */
export interface AskedFit {
  readonly evalSet: EvalSet;
  readonly layout: RunLayout;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Refuses model tensors that could not fill the graph of an eval set, whatever their bytes: at the upload, so that no
 * job fails step after step. Reads the graph, not the batches. Rejects with `graph-missing-weights` and
 * `eval-input-mismatch`, with the errors of store and graph, and with the signal's reason.
 */
export function fitsEvalSet(ctx: Omit<EvalSetContext, 'evaluator'>): (asked: AskedFit) => Promise<void> {
  return async ({ evalSet, layout, signal }) => {
    const graphPath = await localGraph(ctx.store, evalSet, evalSetDirectory(ctx.workDirectory), signal);
    couldFill(await describeLocalGraph(ctx.graphs, graphPath, signal), layout, evalSet.spec);
  };
}
