import { stateRoles, type StateOptions, type StateRole } from './state-options.ts';

/** A tensor of optimizer state: what it holds, and the name of the parameter it belongs to. */
export interface StateTensor {
  readonly role: StateRole | 'master';
  readonly parameter: string;
}

/** Parts of dotted names, as PyTorch's optimizers, fairscale and DeepSpeed call them. */
const words: Readonly<Record<StateTensor['role'], readonly string[]>> = {
  firstMoment: ['exp_avg'],
  secondMoment: ['exp_avg_sq'],
  momentum: ['momentum', 'momentum_buffer'],
  master: ['master', 'master_param', 'master_params', 'master_weight', 'master_weights', 'main_param', 'main_params', 'fp32', 'fp32_param', 'fp32_params'],
};
const roles = [...stateRoles, 'master'] as const;
/** Single letters mean something only at the front. */
const leading: Readonly<Record<string, StateRole>> = { m: 'firstMoment', v: 'secondMoment' };

/**
 * What a tensor's name says of it: `m.layer.weight`, `exp_avg_sq.layer.weight`, `layer.weight.momentum_buffer` or `state.3.exp_avg`; the words of a run's
 * options count alike. The first word that says something decides. Undefined for anything else.
 */
export function stateTensorOf(name: string, { names = {} }: Pick<StateOptions, 'names'> = {}): StateTensor | undefined {
  const parts = name.split('.');
  for (const [at, part] of parts.entries()) {
    const role = roles.find((each) => words[each].includes(part) || names[each]?.includes(part)) ?? (at === 0 ? leadingRole(part) : undefined);
    if (role !== undefined && parts.length > 1) return { role, parameter: parts.toSpliced(at, 1).join('.') };
  }
  return undefined;
}

function leadingRole(part: string): StateRole | undefined {
  return Object.hasOwn(leading, part) ? leading[part] : undefined;
}
