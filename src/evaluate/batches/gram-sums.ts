import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { Tensor } from 'onnxruntime-node';
import type { GramPlan } from '../../graph/grams/plan-grams.ts';
import type { InputGram } from '../../graph/grams/input-gram.ts';
import { reportFullDisk } from '../full-disk.ts';

/** Sums Gram matrices over batches, in the order in which they are added and in F32. */
export class GramSums {
  readonly #plan: GramPlan;
  /** Names of the graph's outputs with the terms, in the order of the plan. */
  readonly outputNames: readonly string[];
  readonly #sums: Float32Array[] = [];

  constructor(plan: GramPlan, outputNames: readonly string[]) {
    this.#plan = plan;
    this.outputNames = outputNames;
  }

  /** Adds the outputs of one batch. */
  add(results: Readonly<Record<string, Tensor>>): void {
    for (const [index, name] of this.outputNames.entries()) {
      const term = results[name]!.data as Float32Array;
      const sum = this.#sums[index];
      if (sum === undefined) this.#sums.push(term.slice());
      else addTo(sum, term);
    }
  }

  /** Writes the finite matrices to a new file, in the order of the result. Errors: `storage-full`. */
  write(path: string): InputGram[] {
    const file = openSync(path, 'w');
    try {
      return this.#plan.grams.flatMap(({ terms, ...gram }) => {
        const elements = sumTerms(terms.map((term) => this.#sums[term]!));
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
