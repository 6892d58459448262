import type { components } from '../../../../clients/typescript/src/index.ts';
import {
  methodConfigOf,
  quantizationMethods,
  type QuantizationConfig,
} from '../../../checkpoint/options/quantization-config.ts';

/**
 * A quantization config in a few words, such as `residual: step 0.84`. One of a method that is not known here is JSON.
 */
export function configInWords(config: components['schemas']['QuantizationConfig'] | undefined): string | undefined {
  if (config === undefined) return undefined;
  const method = quantizationMethods.find((known) => known === config.method);
  if (method === undefined) return JSON.stringify(config);
  return `${method}: ${methodConfigOf(method).describe(config as QuantizationConfig)}`;
}
