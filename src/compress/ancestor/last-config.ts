import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import type { AncestorCandidate } from './find-ancestor.ts';

/** The config of the nearest earlier checkpoint that has one. */
export function lastConfig(candidates: readonly AncestorCandidate[]): QuantizationConfig | undefined {
  return candidates.map(({ checkpoint }) => checkpoint.result?.config).find((config) => config !== undefined);
}
