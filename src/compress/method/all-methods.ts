import type { QuantizationMethod } from '../../checkpoint/options/quantization-config.ts';
import { bitsnapMethod } from './bitsnap/bitsnap-method.ts';
import { inshrinkeratorMethod } from './codebook/inshrinkerator-method.ts';
import { lcCheckpointMethod } from './lc-checkpoint/lc-checkpoint-method.ts';
import type { Method } from './method.ts';
import { residualMethod } from './residual/residual-method.ts';

const methods: Readonly<Record<QuantizationMethod, Method>> = {
  inshrinkerator: inshrinkeratorMethod,
  residual: residualMethod,
  'lc-checkpoint': lcCheckpointMethod,
  bitsnap: bitsnapMethod,
};

export function methodNamed(name: QuantizationMethod): Method {
  return methods[name];
}
