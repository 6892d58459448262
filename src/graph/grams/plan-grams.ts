import { gramElements, type InputGram } from './input-gram.ts';
import type { WeightBinding } from '../weight-binding.ts';
import type { WeightUse } from '../layers/weight-uses.ts';

/** A gram that the graph computes; several matrices may share it. */
export interface GramOutput extends Pick<WeightUse, 'activation' | 'inputCount' | 'unfold'> {
  readonly blockSize: number;
}

export interface PlannedGram extends InputGram {
  /** Its terms, as indices of {@link GramPlan.outputs}; one may be there several times. */
  readonly terms: readonly number[];
}

export interface GramPlan {
  readonly grams: readonly PlannedGram[];
  readonly outputs: readonly GramOutput[];
}

/** Largest block that is ever asked for, in inputs: 4 MiB each. */
export const blockSizeMax = 1024;
/** Smallest block of a matrix that has more inputs than that: with less there is too little to compensate with. */
export const blockSizeMin = 8;
const floatBytes = 4;

/** The uses that make up one tensor's gram. */
interface TensorUses {
  readonly tensor: string;
  readonly inputs: 'first' | 'last';
  readonly inputCount: number;
  readonly uses: WeightUse[];
}

/**
 * Decides which grams are made and in which blocks: of each matrix the largest divisor of its inputs within a limit,
 * which is {@link blockSizeMax}, halved until all grams together take at most `bytesMax` (as stored, F32). A matrix
 * whose inputs have no divisor from {@link blockSizeMin} on is left out. A tensor used in several places has the sum of
 * their grams; uses that see its inputs along another axis than the first are left out.
 */
export function planGrams(uses: readonly WeightUse[], binding: WeightBinding, bytesMax: number): GramPlan {
  const tensors = byTensor(uses, binding);
  for (let limit = blockSizeMax; limit >= blockSizeMin; limit /= 2) {
    const plan = planWithin(tensors, limit);
    const sizeBytes = plan.grams.reduce((sum, gram) => sum + gramElements(gram) * floatBytes, 0);
    if (sizeBytes <= bytesMax) return plan;
  }
  return { grams: [], outputs: [] };
}

function byTensor(uses: readonly WeightUse[], binding: WeightBinding): TensorUses[] {
  const tensors = new Map<string, TensorUses>();
  for (const use of uses) {
    if (!Object.hasOwn(binding, use.initializer)) continue;
    const { tensor, transpose } = binding[use.initializer]!;
    const inputs = transpose === (use.inputs === 'first') ? 'last' : 'first';
    const { inputCount } = use;
    const known = tensors.get(tensor);
    if (known === undefined) tensors.set(tensor, { tensor, inputs, inputCount, uses: [use] });
    else if (known.inputs === inputs && known.inputCount === inputCount) known.uses.push(use);
  }
  return [...tensors.values()];
}

function planWithin(tensors: readonly TensorUses[], limit: number): GramPlan {
  const grams: PlannedGram[] = [];
  const outputs = new Map<string, { readonly index: number; readonly output: GramOutput }>();
  for (const { tensor, inputs, inputCount, uses } of tensors) {
    const blockSize = blockSizeOf(inputCount, limit);
    if (blockSize === undefined) continue;
    const terms = uses.map(({ activation, unfold }) => {
      const key = JSON.stringify([activation, inputCount, unfold]);
      if (!outputs.has(key))
        outputs.set(key, { index: outputs.size, output: { activation, inputCount, unfold, blockSize } });
      return outputs.get(key)!.index;
    });
    grams.push({ tensor, inputs, inputCount, blockSize, terms });
  }
  return { grams, outputs: [...outputs.values()].map(({ output }) => output) };
}

/** The largest divisor of `inputCount` that is at most `limit`; undefined where it is too small to be of use. */
function blockSizeOf(inputCount: number, limit: number): number | undefined {
  if (inputCount > 0 && inputCount <= limit) return inputCount;
  for (let size = limit; size >= blockSizeMin; size--) if (inputCount > 0 && inputCount % size === 0) return size;
  return undefined;
}
