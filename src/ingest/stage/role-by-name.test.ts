import { expect, it } from 'vitest';
import { roleByName } from './role-by-name.ts';

it.each([
  ['model.safetensors', 'model'],
  ['shards/model-00001-of-00002.safetensors', 'model'],
  ['sensitivity.safetensors', 'sensitivity'],
  ['a/sensitivity-00001.safetensors', 'sensitivity'],
  ['model.grad.safetensors', 'sensitivity'],
  ['sensitivity.txt', 'other'],
  ['optimizer.pt', 'optimizer'],
  ['zero_optim_states.bin', 'optimizer'],
  ['model-optimizer.safetensors', 'optimizer'],
  ['optimized.safetensors', 'model'],
  ['optimizer/config.json', 'other'],
  ['config.json', 'other'],
])('takes %s for %s', (path, role) => {
  expect(roleByName(path)).toBe(role);
});
