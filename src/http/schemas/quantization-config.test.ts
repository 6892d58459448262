import { expect, it } from 'vitest';
import { quantizationConfigInput, quantizationConfigSchema, renderConfig } from './quantization-config.ts';

it.each([
  [0, 1],
  [32, 2],
  [-32, 0.5],
  [17, 1.445],
])('the quantization step of index %i is told as %d standard deviations, and its index is taken as before', (step, stepSize) => {
  const given = quantizationConfigInput.parse({ method: 'residual', step });
  expect(given).toEqual({ method: 'residual', step });
  expect(renderConfig(given)).toEqual({ method: 'residual', step, stepSize });
  // What was told can be sent back.
  expect(quantizationConfigInput.parse(renderConfig(given))).toEqual(given);
  expect(quantizationConfigSchema.parse(renderConfig(given))).toEqual({ method: 'residual', step, stepSize });
});

it('the other method is told as it is', () => {
  const config = { method: 'inshrinkerator', bins: 8, embeddingBins: 16, pruneFraction: 0, pruneMetric: 'magnitude', protectFraction: 0 } as const;
  expect(renderConfig(config)).toEqual(config);
});
