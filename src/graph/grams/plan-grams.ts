import { gramElements, type InputGram } from './input-gram.ts';
import type { WeightBinding } from '../weight-binding.ts';
import type { WeightUse } from '../layers/weight-uses.ts';

/** A Gram matrix that the graph computes; several weights may share it. */
export interface GramOutput extends Pick<WeightUse, 'activation' | 'inputCount' | 'unfold'> {
  readonly blockSize: number;
}

export interface PlannedGram extends InputGram {
  /** Its terms, as indices of {@link GramPlan.outputs}; an index may occur several times. */
  readonly terms: readonly number[];
}

export interface GramPlan {
  readonly grams: readonly PlannedGram[];
  readonly outputs: readonly GramOutput[];
}

/** Largest block, in inputs: 4 MiB each. */
export const blockSizeMax = 1024;
/** Smallest block of a matrix with more inputs than that: fewer inputs have too little to compensate with. */
export const blockSizeMin = 8;
const floatBytes = 4;

/** The uses that contribute to one tensor's Gram matrix. */
interface TensorUses {
  readonly tensor: string;
  readonly inputs: 'first' | 'last';
  readonly inputCount: number;
  readonly uses: WeightUse[];
}

/**
 * Decides which Gram matrices are made and with which blocks. The block of each is the largest divisor of its inputs
 * within a limit; the limit is {@link blockSizeMax}, halved until all together take at most `bytesMax` (as stored,
 * F32). A matrix whose inputs have no divisor of at least {@link blockSizeMin} is left out. A tensor used in several
 * places gets the sum of their Gram matrices; uses with the inputs on another axis than in the first use are left out.
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

/** The largest divisor of `inputCount` that is at most `limit`; undefined if it is too small to be useful. */
function blockSizeOf(inputCount: number, limit: number): number | undefined {
  if (inputCount > 0 && inputCount <= limit) return inputCount;
  for (let size = limit; size >= blockSizeMin; size--) if (inputCount > 0 && inputCount % size === 0) return size;
  return undefined;
}
