import type { Dtype } from '../../checkpoint/dtype.ts';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import { isFloatDtype } from '../onnx/onnx-dtype.ts';

/**
 * Largest extent of a convolution kernel along one axis; a 3-D weight with a longer last axis is a stack of matrices.
 */
const kernelExtentMax = 64;

const bufferSegment = new RegExp(
  `^(${[
    'running_(mean|var|std)',
    'moving_(mean|variance)',
    'num_batches_tracked',
    '(position|token_type)_ids',
    'inv_freq',
    '(.*_)?mask',
    'masked_bias',
    '(cos|sin)(_cached)?',
    'freqs(_cis)?',
    '.*_index',
  ].join('|')})$`,
);
const biasSegment = /^(b|bias|bias_.*|.*_bias|b_\d+|masked_bias)$/;
const normSegment = /norm|^(ln|bn|gn)(_?[a-z0-9]+)?$|^(gamma|beta)$/;
const embeddingSegment =
  /embed|^(wte|wpe|tte|emb|tok|pos|shared)$|^(tok|token|pos|position|word|char)_?emb|_(emb|token)$|^relative_position/;

/**
 * A tensor's layer type from its name, shape and dtype alone, by the conventions of the common training libraries. For
 * tensors that no eval graph uses. If in doubt, it returns a type that is stored exact.
 */
export function layerTypeOf(name: string, shape: readonly number[], dtype: Dtype): LayerType {
  const segments = name.toLowerCase().split(/[./:]+/);
  const last = segments.at(-1)!;
  if (!isFloatDtype(dtype) || bufferSegment.test(last)) return 'buffer';
  if (biasSegment.test(last)) return 'bias';
  if (effectiveRank(shape) <= 1 && (shape.length <= 1 || segments.some((segment) => normSegment.test(segment)))) {
    return vectorType(segments, last);
  }
  if (shape.length >= 4) return 'convolution';
  if (segments.some((segment) => embeddingSegment.test(segment))) return 'embedding';
  if (shape.length === 3) return isKernel(segments, shape) ? 'convolution' : 'linear';
  return 'linear';
}

/** Dimensions longer than one: a [1, 768] token or a [64, 1, 1] scale is a vector. */
export function effectiveRank(shape: readonly number[]): number {
  return shape.filter((dim) => dim !== 1).length;
}

/** A vector named weight is a scale: only normalization layers have one. */
function vectorType(segments: readonly string[], last: string): LayerType {
  return segments.some((segment) => normSegment.test(segment)) || /^(weight|scale|g)$/.test(last) ? 'norm' : 'bias';
}

function isKernel(segments: readonly string[], shape: readonly number[]): boolean {
  return shape.at(-1)! <= kernelExtentMax && !segments.some((segment) => segment.includes('expert'));
}
