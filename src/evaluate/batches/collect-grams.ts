import type { Tensor } from 'onnxruntime-node';
import type { GramPlan } from '../../graph/grams/plan-grams.ts';
import { batchResults } from './batch-results.ts';
import type { InputGram } from '../../graph/grams/input-gram.ts';
import { GramSums } from './gram-sums.ts';
import type { PreparedSet } from './prepared-set.ts';

export interface GramCollection {
  /** Its graph has the outputs of {@link gramGraph}. */
  readonly prepared: PreparedSet;
  readonly weights: Readonly<Record<string, Tensor>>;
  readonly plan: GramPlan;
  readonly outputNames: readonly string[];
  readonly resultPath: string;
  /** Most batches to run, spread evenly; all when undefined. */
  readonly batchesMax: number | undefined;
  /** Only batches of the set's first half. */
  readonly firstHalf: boolean;
}

/**
 * Sums the Gram matrices over the batches and writes them, as {@link GramSums} does. Errors: those of
 * {@link batchResults}, `storage-full`.
 */
export async function collectGrams(collection: GramCollection): Promise<InputGram[]> {
  const { prepared, weights, plan, outputNames, resultPath, batchesMax = Infinity, firstHalf } = collection;
  const sums = new GramSums(plan, outputNames);
  if (outputNames.length > 0)
    for await (const { results } of batchResults(prepared, { weights, outputNames, batchesMax, firstHalf }))
      sums.add(results);
  return sums.write(resultPath);
}
