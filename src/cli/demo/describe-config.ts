import { methodConfigOf, type QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';

/** A config in a few words, for rows and progress. */
export function describeConfig(config: QuantizationConfig): string {
  return methodConfigOf(config.method).describe(config);
}
