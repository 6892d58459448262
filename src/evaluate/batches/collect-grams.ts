import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { Tensor } from 'onnxruntime-node';
import type { GramPlan } from '../../graph/grams/plan-grams.ts';
import { batchResults } from './batch-results.ts';
import type { InputGram } from '../../graph/grams/input-gram.ts';
import { reportFullDisk } from '../full-disk.ts';
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
 * Sums the Gram matrices over the batches, in their order and in F32, and writes the finite ones to a new file, in the
 * order of the result. Errors: those of {@link batchResults}, `storage-full`.
 */
export async function collectGrams(collection: GramCollection): Promise<InputGram[]> {
  const { plan, resultPath } = collection;
  const sums = await sumOutputs(collection);
  const file = openSync(resultPath, 'w');
  try {
    return plan.grams.flatMap(({ terms, ...gram }) => {
      const elements = sumTerms(terms.map((term) => sums[term]!));
      if (!elements.every(Number.isFinite)) return [];
      writeFileSync(file, elements);
      return [gram];
    });
  } catch (cause) {
    throw reportFullDisk(cause);
  } finally {
    closeSync(file);
  }
}

async function sumOutputs({
  prepared,
  weights,
  outputNames,
  batchesMax = Infinity,
  firstHalf,
}: GramCollection): Promise<Float32Array[]> {
  const sums: Float32Array[] = [];
  if (outputNames.length === 0) return sums;
  for await (const { results } of batchResults(prepared, { weights, outputNames, batchesMax, firstHalf })) {
    for (const [index, name] of outputNames.entries()) {
      const term = results[name]!.data as Float32Array;
      const sum = sums[index];
      if (sum === undefined) sums.push(term.slice());
      else addTo(sum, term);
    }
  }
  return sums;
}

function sumTerms([first, ...rest]: readonly Float32Array[]): Float32Array {
  if (rest.length === 0) return first!;
  const sum = first!.slice();
  for (const term of rest) addTo(sum, term);
  return sum;
}

function addTo(sum: Float32Array, term: Float32Array): void {
  for (let at = 0; at < sum.length; at++) sum[at]! += term[at]!;
}
