/** Kind of layer that a tensor belongs to. Quantized: embedding, linear, convolution. Exact: norm, bias, buffer. */
export const layerTypes = ['embedding', 'linear', 'convolution', 'norm', 'bias', 'buffer'] as const;
export type LayerType = (typeof layerTypes)[number];

export const quantizedLayerTypes = ['embedding', 'linear', 'convolution'] as const satisfies readonly LayerType[];
export type QuantizedLayerType = (typeof quantizedLayerTypes)[number];

export function isQuantizedLayerType(type: LayerType): type is QuantizedLayerType {
  return (quantizedLayerTypes as readonly LayerType[]).includes(type);
}
