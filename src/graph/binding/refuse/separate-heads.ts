import { FirnError } from '../../../checkpoint/firn-error.ts';
import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import { sameShape } from '../../match-by-content.ts';
import { isFloatDtype } from '../../onnx/onnx-dtype.ts';
import type { WeightBinding } from '../../weight-binding.ts';
import type { HeaderPairs } from '../pair/pair-by-headers.ts';
import { isFactor, isHeadName, isTable } from '../pair/pair-tied.ts';

/**
 * A tensor that the graph uses both as the embedding and as the output layer, and another, unused tensor with the name
 * of an output layer.
 */
export interface SeparateHead {
  readonly tied: string;
  readonly head: string;
}

/**
 * Finds tensors that may be a separate output layer although the graph was exported from a tied model; their bytes
 * decide whether they are. From headers alone.
 */
export function separateHeads({ tensors, trace }: HeaderPairs, binding: WeightBinding): SeparateHead[] {
  const used = new Set(Object.values(binding).map((source) => source.tensor));
  const heads = tensors.filter(
    (tensor) => !used.has(tensor.name) && isFloatDtype(tensor.dtype) && tensor.shape.length === 2 && isHeadName(tensor),
  );
  if (heads.length === 0) return [];
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  return Object.entries(binding).flatMap(([initializer, source]) => {
    const tied = byName.get(source.tensor);
    const head = tied && heads.find((each) => each.dtype === tied.dtype && sameShape(each.shape, tied.shape));
    if (head === undefined || !isTable(trace, initializer) || !isFactor(trace, initializer)) return [];
    return [{ tied: source.tensor, head: head.name }];
  });
}

/**
 * Refuses heads whose bytes no tensor in use has: the graph would measure the embedding instead of them. Errors:
 * `graph-missing-weights`.
 */
export function refuseSeparateHeads(suspects: readonly SeparateHead[], unmeasured: ReadonlySet<string>): void {
  const own = suspects.find(({ head }) => unmeasured.has(head));
  if (own === undefined) return;
  const [tied, head] = [quoteName(own.tied), quoteName(own.head)];
  throw new FirnError(
    'graph-missing-weights',
    `The graph uses ${tied} both as embedding and as output layer, as an export of a tied model does, and ` +
      `the checkpoint has an output layer of its own, ${head}, with other numbers. ` +
      `Export the graph from the model as it is trained, or leave ${head} out of the checkpoint if the model is tied.`,
  );
}
