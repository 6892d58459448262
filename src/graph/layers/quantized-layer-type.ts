import { countElements } from '../../checkpoint/count-elements.ts';
import { isQuantizable, type Dtype } from '../../checkpoint/dtype.ts';
import { isQuantizedLayerType, type LayerType, type QuantizedLayerType } from '../../checkpoint/layer-type.ts';
import { effectiveRank } from './layer-type-of.ts';

/**
 * Fewest elements of a quantized tensor. Below it (1 KiB in fp32), the exact bytes are a fraction of a percent of any
 * checkpoint, and quality depends most on such tensors (first layers, heads). Not higher, because a small network has
 * whole layers of 500 to 2000 weights, and storing those exact would take a tenth of its compressed size.
 */
export const quantizedElementsMin = 256;

/**
 * The type a tensor is quantized as, or undefined when it is stored exact: by its layer, or because it is small, a
 * vector, or not fp32/fp16/bf16.
 */
export function quantizedLayerType(
  type: LayerType,
  tensor: { readonly shape: readonly number[]; readonly dtype: Dtype },
): QuantizedLayerType | undefined {
  const elementCount = countElements(tensor.shape);
  const worthIt =
    isQuantizable(tensor.dtype) && elementCount >= quantizedElementsMin && effectiveRank(tensor.shape) >= 2;
  return worthIt && isQuantizedLayerType(type) ? type : undefined;
}
