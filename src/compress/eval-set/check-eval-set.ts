import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { Evaluator } from '../../evaluate/evaluator.ts';
import { matcherOf } from '../../graph/binding/pair/pair-by-headers.ts';
import { refuseMergedStatistics } from '../../graph/binding/refuse/merged-statistics.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { describeLocalGraph, type GraphCache } from './describe-local-graph.ts';
import { evalSetDirectory, localEvalSet } from './local-eval-set.ts';

export interface EvalSetContext {
  readonly store: ObjectStore;
  readonly evaluator: Evaluator;
  readonly graphs: GraphCache;
  readonly workDirectory: string;
}

/**
 * Checks an eval set's graph, batches and spec against each other in an evaluation child, and that encoding can read
 * the graph's structure. Labels are read on every row; the graph runs on the batches that can be wrong. If the eval set
 * cannot be used, rejects with the reason and removes the local copy.
 */
export async function checkEvalSet(ctx: EvalSetContext, evalSet: EvalSet): Promise<void> {
  const directory = evalSetDirectory(ctx.workDirectory);
  try {
    const local = await localEvalSet(ctx.store, evalSet, directory);
    await ctx.evaluator.check(local);
    refuseMergedStatistics(
      await describeLocalGraph(ctx.graphs, local.graphPath),
      matcherOf(local.spec.constants ?? []),
    );
  } catch (error) {
    await rm(join(directory, evalSet.id), { recursive: true, force: true });
    throw error;
  }
}
