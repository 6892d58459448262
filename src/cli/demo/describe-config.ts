import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';

/** A config in a few words, for rows and progress. */
export function describeConfig(config: QuantizationConfig): string {
  if (config.method === 'residual') return `step ${(2 ** (config.step / 32)).toFixed(2)}`;
  const { bins, embeddingBins, pruneFraction, pruneMetric, protectFraction, bitPrice } = config;
  return `${bins}/${embeddingBins} bins, prune ${pruneFraction} ${pruneMetric.slice(0, 4)}, protect ${protectFraction}${bitPrice === undefined ? '' : `, bit ${bitPrice}`}`;
}
