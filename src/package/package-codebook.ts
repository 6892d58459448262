import type { QuantizableDtype } from '../checkpoint/dtype.ts';
import type { QuantizedLayerType } from '../checkpoint/layer-type.ts';

/** One codebook: all tensors of one layer type and dtype. */
export interface PackageCodebook {
  readonly layerType: QuantizedLayerType;
  readonly dtype: QuantizableDtype;
  /** `levelCount` elements of `dtype`, little-endian: centroids, then pruned (0), then protected (0, unused). */
  readonly table: Uint8Array;
  readonly levelCount: number;
  readonly prunedLevel?: number;
  readonly protectedLevel?: number;
  readonly tableSet: number;
}
