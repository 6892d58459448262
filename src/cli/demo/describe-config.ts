import type { QuantizationConfig } from '../../checkpoint/quantization-config.ts';

/** A config in a few words, for rows and progress. */
export function describeConfig(config: QuantizationConfig): string {
  const { bins, embeddingBins, pruneFraction, pruneMetric, protectFraction } = config;
  return `${bins}/${embeddingBins} bins, prune ${pruneFraction} ${pruneMetric.slice(0, 4)}, protect ${protectFraction}`;
}
