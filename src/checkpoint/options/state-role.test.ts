import { describe, expect, test } from 'vitest';
import { stateTensorOf, stateTensorsOf } from './state-role.ts';

test.each([
  ['m.h.0.attn.weight', 'firstMoment', 'h.0.attn.weight'],
  ['v.h.0.attn.weight', 'secondMoment', 'h.0.attn.weight'],
  ['exp_avg.layer.weight', 'firstMoment', 'layer.weight'],
  ['exp_avg_sq.layer.weight', 'secondMoment', 'layer.weight'],
  ['layer.weight.exp_avg_sq', 'secondMoment', 'layer.weight'],
  ['state.3.exp_avg', 'firstMoment', 'state.3'],
  ['momentum.conv.weight', 'momentum', 'conv.weight'],
  ['optimizer.state.0.momentum_buffer', 'momentum', 'optimizer.state.0'],
  ['layer.weight.m', 'firstMoment', 'layer.weight'],
  ['layer.weight.v', 'secondMoment', 'layer.weight'],
  ['conv.weight.momentum', 'momentum', 'conv.weight'],
  // Modules with the names of short words.
  ['m.0.weight.exp_avg', 'firstMoment', 'm.0.weight'],
  ['m.0.weight.exp_avg_sq', 'secondMoment', 'm.0.weight'],
  ['v.0.weight.exp_avg', 'firstMoment', 'v.0.weight'],
  ['momentum.weight.exp_avg_sq', 'secondMoment', 'momentum.weight'],
  ['encoder.momentum.weight.exp_avg_sq', 'secondMoment', 'encoder.momentum.weight'],
  ['exp_avg_sq.momentum.weight.m', 'secondMoment', 'momentum.weight.m'],
  ['v.0.weight.momentum_buffer', 'momentum', 'v.0.weight'],
  ['fp32.exp_avg.w', 'firstMoment', 'fp32.w'],
  ['m.0.weight.master_param', 'master', 'm.0.weight'],
  ['m.encoder.momentum.v.weight', 'firstMoment', 'encoder.momentum.v.weight'],
])('%s is a %s of %s', (name, role, parameter) => {
  expect(stateTensorOf(name)).toEqual({ role, parameter, pairing: parameter });
});

test.each([
  'step',
  'layer.weight',
  'layer.m.weight',
  'layer.momentum.weight',
  'm',
  'exp_avg',
  'max_exp_avg_sq.layer',
  'constructor.x',
  '',
  '.',
  'exp_avg_',
  'M.w',
])('%s is none', (name) => {
  expect(stateTensorOf(name)).toBeUndefined();
});

test('words of the options count as well', () => {
  const names = { firstMoment: ['mu'], secondMoment: ['nu'] };
  expect(stateTensorOf('opt.mu.dense.kernel', { names })).toMatchObject({
    role: 'firstMoment',
    parameter: 'opt.dense.kernel',
  });
  expect(stateTensorOf('opt.nu.dense.kernel', { names })).toMatchObject({
    role: 'secondMoment',
    parameter: 'opt.dense.kernel',
  });
  expect(stateTensorOf('opt.mu.dense.kernel')).toBeUndefined();
});

test.each([
  ['m.v', ['firstMoment', 'secondMoment']],
  ['m.0.weight.v', ['firstMoment', 'secondMoment']],
  ['momentum.fp32', ['momentum', 'master']],
  ['exp_avg.w.exp_avg_sq', ['firstMoment', 'secondMoment']],
  ['exp_avg.exp_avg_sq.momentum_buffer', ['firstMoment', 'secondMoment', 'momentum']],
])('%s is ambiguous, with all its roles', (name, roles) => {
  expect(stateTensorOf(name)).toBeUndefined();
  expect(stateTensorsOf(name).map(({ role }) => role)).toEqual(roles);
});

describe('short words beside the names of the model', () => {
  const model = new Set(['v.0.weight', 'exp_avg.weight', 'h.0.attn.v', 'h.0.momentum']);

  test.each([
    'v.0.weight',
    'v.0.weight.step',
    'h.0.attn.v',
    'step.h.0.attn.v',
    'grad_avg.h.0.attn.v',
    'state.step.h.0.momentum',
  ])('%s is none', (name) => {
    expect(stateTensorOf(name, { model })).toBeUndefined();
  });

  test.each([
    ['v.v.0.weight', 'secondMoment', 'v.0.weight'],
    ['v.0.weight.m', 'firstMoment', 'v.0.weight'],
    ['m.h.0.attn.v', 'firstMoment', 'h.0.attn.v'],
    ['h.0.momentum.v', 'secondMoment', 'h.0.momentum'],
    ['exp_avg.weight', 'firstMoment', 'weight'],
    ['step.exp_avg_sq.h.0.attn.v', 'secondMoment', 'step.h.0.attn.v'],
  ])('%s is a %s of %s', (name, role, parameter) => {
    expect(stateTensorOf(name, { model })).toMatchObject({ role, parameter });
  });
});

describe('entries of the options', () => {
  const names = {
    firstMoment: ['mu', 'm_*', 'exp_avg/*', 'opt.first.layer1.weight'],
    secondMoment: ['nu', 'v_*', '*/exp_avg_sq', 'opt.second.layer1.weight'],
    momentum: ['buf*'],
  };

  test.each([
    ['m_w', 'firstMoment', 'w'],
    ['v_w', 'secondMoment', 'w'],
    ['exp_avg/layer.1/w', 'firstMoment', 'layer.1/w'],
    ['layer.1/w/exp_avg_sq', 'secondMoment', 'layer.1/w'],
    ['mu', 'firstMoment', ''],
    ['nu', 'secondMoment', ''],
    ['opt.first.layer1.weight', 'firstMoment', ''],
    ['opt.second.layer1.weight', 'secondMoment', ''],
    // Options take precedence over the usual words, wherever these are.
    ['exp_avg.mu.w', 'firstMoment', 'exp_avg.w'],
    ['exp_avg.nu.w', 'secondMoment', 'exp_avg.w'],
    ['m.0.weight.nu', 'secondMoment', 'm.0.weight'],
    ['buf.exp_avg_sq', 'momentum', '.exp_avg_sq'],
  ])('%s is a %s of %s', (name, role, parameter) => {
    expect(stateTensorsOf(name, { names })).toMatchObject([{ role, parameter }]);
  });

  test('without a wildcard, match whole parts or whole names only', () => {
    for (const name of [
      'opt.first.layer1.weight.x',
      'x.opt.first.layer1.weight',
      'em_w',
      'muu.w',
      'exp_avg',
      'M_w',
      'mu/w',
    ]) {
      expect(stateTensorOf(name, { names }), name).toBeUndefined();
    }
  });

  test('that are patterns or whole names pair by their places and the text that wildcards match', () => {
    const pairs = {
      firstMoment: ['gen/m/*', 'disc/m/*', 'first', '*/mu/*'],
      secondMoment: ['gen/v/*', 'disc/v/*', 'second', '*/nu/*', 'other/v/*'],
    };
    const pairingOf = (name: string): string => stateTensorOf(name, { names: pairs })!.pairing;
    for (const [m, v] of [
      ['gen/m/w', 'gen/v/w'],
      ['disc/m/w', 'disc/v/w'],
      ['first', 'second'],
      ['a/mu/b.c', 'a/nu/b.c'],
    ] as const) {
      expect(pairingOf(m)).toBe(pairingOf(v));
    }
    for (const [m, v] of [
      ['gen/m/w', 'disc/v/w'],
      ['gen/m/w', 'other/v/w'],
      ['gen/m/w', 'v.w'],
      ['first', 'v.2'],
      ['a/mu/b.c', 'a.b/nu/c'],
    ] as const) {
      expect(pairingOf(m)).not.toBe(pairingOf(v));
    }
  });

  test('of two roles leave a name ambiguous', () => {
    expect(stateTensorsOf('mu.nu.w', { names }).map(({ role }) => role)).toEqual(['firstMoment', 'secondMoment']);
    expect(
      stateTensorsOf('exp_avg_sq.w', { names: { firstMoment: ['exp_avg*'], secondMoment: ['exp_avg_sq*'] } }),
    ).toHaveLength(2);
  });
});
