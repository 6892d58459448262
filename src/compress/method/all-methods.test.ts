import { expect, test } from 'vitest';
import { quantizableDtypes } from '../../checkpoint/dtype.ts';
import { layerTypes } from '../../checkpoint/layer-type.ts';
import { quantizationMethods } from '../../checkpoint/options/quantization-config.ts';
import { isWeightCoding } from '../../package/package-index.ts';
import { methodNamed } from './all-methods.ts';

test.each(quantizationMethods)(
  '%s stands under its name and codes weights as weights, in dtypes that can be quantized alone',
  (name) => {
    const method = methodNamed(name);
    expect(method.name).toBe(name);
    let coded = 0;
    for (const layerType of layerTypes) {
      for (const dtype of [...quantizableDtypes, 'I32', 'BOOL'] as const) {
        const entry = { name: 'w', dtype, shape: [64, 64], elementCount: 4096, startBytes: 0, endBytes: 4096 };
        const coding = method.codingOf({ entry, layerType }, () => 0);
        if (coding === undefined) continue;
        coded += 1;
        expect(isWeightCoding(coding)).toBe(true);
        expect(quantizableDtypes).toContain(dtype);
      }
    }
    expect(coded).toBeGreaterThan(0);
  },
);
