import { expect, test } from 'vitest';
import { layerOf } from './layer-of.ts';

test.each([
  ['transformer.h.3.attn.weight', 'transformer.h.3'],
  ['wte.weight', 'wte'],
  ['head', 'head'],
  ['', ''],
])('the layer of %s is %s', (name, layer) => {
  expect(layerOf(name)).toBe(layer);
});
