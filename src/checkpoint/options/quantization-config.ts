/** How a checkpoint is quantized; the method decides which knobs there are. */
export type QuantizationConfig = InshrinkeratorConfig | ResidualConfig;

export const quantizationMethods = ['inshrinkerator', 'residual'] as const;
export type QuantizationMethod = (typeof quantizationMethods)[number];

/** A point of the paper's search space (Inshrinkerator section 5, tables 2 and 9). */
export interface InshrinkeratorConfig {
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
  /**
   * Codebooks are entropy-constrained (docs/decisions/0021-entropy-constrained-codebooks.md): what a bit a weight is worth, in the squared error that optimal k-means leaves
   * with as many bins, 0..1024. Absent: the paper's k-means.
   */
  readonly bitPrice?: number | undefined;
}

export const bitPriceMax = 1024;

/** Closed-loop quantization of what changed since the ancestor, with one knob (docs/decisions/0013-residual-method.md). */
export interface ResidualConfig {
  readonly method: 'residual';
  /**
   * Quantization step of an average tensor, in 1/32 octaves of the standard deviation of all quantized matrices: 0 is one standard deviation, 32 twice
   * that. An integer, -512..256.
   */
  readonly step: number;
}

export const residualStepMin = -512;
export const residualStepMax = 256;

/** One spelling per config: the key of trials and of reuse after a takeover. */
export function configKey(config: QuantizationConfig): string {
  if (config.method === 'residual') return [config.method, config.step].join('/');
  const { method, bins, embeddingBins, pruneFraction, pruneMetric, protectFraction, bitPrice } = config;
  return [method, bins, embeddingBins, pruneFraction, pruneMetric, protectFraction, ...(bitPrice === undefined ? [] : [bitPrice])].join('/');
}
