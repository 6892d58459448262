import { Tensor } from 'onnxruntime-node';
import { dtypeBytes, type Dtype } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import type { FeedableDtype, WeightFeed } from '../../graph/evaluation-graph.ts';
import { isTransposed, sameShape } from '../../graph/match-by-content.ts';
import { isFloatDtype } from '../../graph/onnx/onnx-dtype.ts';
import { transposeBytes } from '../../graph/elements/transpose-bytes.ts';
import type { NativeCore } from '../../native/core.ts';
import type { WeightBinding } from '../../graph/weight-binding.ts';
import { canFeed, elementsOver, feedElements, type FeedElements } from './feed-elements.ts';
import type { LocalTensor } from './local-tensors.ts';
import { runtimeTypes } from './prepared-set.ts';

export interface WeightRequest {
  readonly core: Pick<NativeCore, 'convert'>;
  readonly feeds: readonly WeightFeed[];
  readonly binding: WeightBinding;
  readonly tensors: ReadonlyMap<string, LocalTensor>;
}

/**
 * A runtime tensor for each fed weight, by graph input. Weights of the graph's own type are read directly from the
 * mapped file; others are converted or transposed once. Errors: `graph-missing-weights`, `eval-input-mismatch`.
 */
export async function weightTensors({ core, feeds, binding, tensors }: WeightRequest): Promise<Record<string, Tensor>> {
  const weights: Record<string, Tensor> = {};
  for (const feed of feeds) {
    const { tensor: name, transpose } = binding[feed.initializer]!;
    const tensor = tensors.get(name);
    if (tensor === undefined)
      throw new FirnError(
        'graph-missing-weights',
        `The weight files lack tensor ${quoteName(name)}, which the graph needs.`,
      );
    requireFit(feed, tensor, transpose);
    const bytes = transpose ? transposed(tensor) : tensor.bytes;
    weights[feed.input] = runtimeTensor(
      feed.dtype,
      await feedElements(core, bytes, { from: tensor.dtype, to: feed.dtype }),
      feed.shape,
    );
  }
  return weights;
}

/**
 * Weights for which the graph has a narrower type than the checkpoint, so that a rounded model is measured: their
 * number, and one of them with both types.
 */
export type RoundedWeights =
  { readonly count: number; readonly tensor: string; readonly from: Dtype; readonly to: Dtype } | undefined;

export function roundedWeights(
  feeds: readonly WeightFeed[],
  binding: WeightBinding,
  tensors: ReadonlyMap<string, LocalTensor>,
): RoundedWeights {
  const rounded = feeds.flatMap(({ initializer, dtype }) => {
    const tensor = tensors.get(binding[initializer]!.tensor)!;
    return isFloatDtype(dtype) && dtypeBytes[tensor.dtype] > dtypeBytes[dtype]
      ? [{ tensor: tensor.name, from: tensor.dtype, to: dtype }]
      : [];
  });
  return rounded.length === 0 ? undefined : { count: rounded.length, ...rounded[0]! };
}

/** Tensors of zeros instead of the weights, to try out shapes only. */
export function zeroWeights(feeds: readonly WeightFeed[]): Record<string, Tensor> {
  return Object.fromEntries(
    feeds.map((feed) => {
      const zeros = elementsOver(new Uint8Array(feed.elementCount * dtypeBytes[feed.dtype]), feed.dtype);
      return [feed.input, runtimeTensor(feed.dtype, zeros, feed.shape)];
    }),
  );
}

/** A runtime tensor that uses `elements` without copying them. */
export function runtimeTensor(dtype: FeedableDtype, elements: FeedElements, dims: readonly number[]): Tensor {
  return new Tensor(runtimeTypes[dtype], elements as Tensor.DataTypeMap[Tensor.Type], dims);
}

function requireFit(feed: WeightFeed, tensor: LocalTensor, transpose: boolean): void {
  const fits = transpose ? isTransposed(tensor.shape, feed.shape) : sameShape(tensor.shape, feed.shape);
  if (fits && canFeed(tensor.dtype, feed.dtype)) return;
  throw new FirnError(
    'eval-input-mismatch',
    `Tensor ${quoteName(tensor.name)} (${tensor.dtype} [${tensor.shape.join(', ')}]) does not fit ` +
      `initializer ${quoteName(feed.initializer)} (${feed.dtype} [${feed.shape.join(', ')}]).`,
  );
}

function transposed({ bytes, shape, dtype }: LocalTensor): Uint8Array {
  return transposeBytes(bytes, { rows: shape[0]!, columns: shape[1]!, elementBytes: dtypeBytes[dtype] });
}
