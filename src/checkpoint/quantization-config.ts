/** A point of the search space (Inshrinkerator section 5, tables 2 and 9). */
export interface QuantizationConfig {
  readonly method: 'inshrinkerator';
  /** Bins of linear and convolution layers, 2..256. */
  readonly bins: number;
  /** Bins of embeddings, 2..256. Embeddings are never pruned. */
  readonly embeddingBins: number;
  /** Share of each layer type's weights set to zero, 0 <= f < 1. */
  readonly pruneFraction: number;
  readonly pruneMetric: 'magnitude' | 'sensitivity';
  /** Share of all quantized weights kept in bfloat16: half by magnitude, half by sensitivity, 0 <= f < 1. */
  readonly protectFraction: number;
}

/** One spelling per config: the key of trials and of reuse after a takeover. */
export function configKey(config: QuantizationConfig): string {
  const { method, bins, embeddingBins, pruneFraction, pruneMetric, protectFraction } = config;
  return [method, bins, embeddingBins, pruneFraction, pruneMetric, protectFraction].join('/');
}
