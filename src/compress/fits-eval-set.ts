import type { EvalSet, RunLayout } from '../catalog/catalog.ts';
import { couldFill } from '../graph/could-fill.ts';
import type { EvalSetContext } from './check-eval-set.ts';
import { describeLocalGraph } from './describe-local-graph.ts';
import { evalSetDirectory, localEvalSet } from './local-eval-set.ts';

/**
 * Refuses model tensors that could not fill the graph of an eval set, whatever their bytes: at the upload, so that no job fails step after step. Rejects with
 * `graph-missing-weights` and `eval-input-mismatch`, and with the errors of store and graph.
 */
export function fitsEvalSet(ctx: Omit<EvalSetContext, 'evaluator'>): (asked: { readonly evalSet: EvalSet; readonly layout: RunLayout }) => Promise<void> {
  return async ({ evalSet, layout }) => {
    const { graphPath, spec } = await localEvalSet(ctx.store, evalSet, evalSetDirectory(ctx.workDirectory));
    couldFill(await describeLocalGraph(ctx.graphs, graphPath), layout, spec);
  };
}
