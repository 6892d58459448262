import { expect, test } from 'vitest';
import { stateTensorOf } from './state-role.ts';

test.each([
  ['m.h.0.attn.weight', 'firstMoment', 'h.0.attn.weight'],
  ['v.h.0.attn.weight', 'secondMoment', 'h.0.attn.weight'],
  ['exp_avg.layer.weight', 'firstMoment', 'layer.weight'],
  ['exp_avg_sq.layer.weight', 'secondMoment', 'layer.weight'],
  ['layer.weight.exp_avg_sq', 'secondMoment', 'layer.weight'],
  ['state.3.exp_avg', 'firstMoment', 'state.3'],
  ['momentum.conv.weight', 'momentum', 'conv.weight'],
  ['optimizer.state.0.momentum_buffer', 'momentum', 'optimizer.state.0'],
])('%s is a %s of %s', (name, role, parameter) => {
  expect(stateTensorOf(name)).toEqual({ role, parameter });
});

test.each(['step', 'layer.weight', 'layer.m.weight', 'm', 'exp_avg', 'max_exp_avg_sq.layer', 'constructor.x'])('%s is none', (name) => {
  expect(stateTensorOf(name)).toBeUndefined();
});

test('words of the options count as well', () => {
  const names = { firstMoment: ['mu'], secondMoment: ['nu'] };
  expect(stateTensorOf('opt.mu.dense.kernel', { names })).toEqual({ role: 'firstMoment', parameter: 'opt.dense.kernel' });
  expect(stateTensorOf('opt.nu.dense.kernel', { names })).toEqual({ role: 'secondMoment', parameter: 'opt.dense.kernel' });
  expect(stateTensorOf('opt.mu.dense.kernel')).toBeUndefined();
});
