import type { SafetensorsLayout, TensorEntry } from '../checkpoint/safetensors-layout.ts';
import type { StateOptions, StateRole } from '../checkpoint/state-options.ts';
import { stateTensorOf, type StateTensor } from '../checkpoint/state-role.ts';
import type { StateCoding } from '../package/package-index.ts';
import type { SourceFile } from './model-source.ts';

/** By tensor number: codings of an optimizer file's tensors that are not kept exact. Empty for any other file. Moments of a dtype other than F32 stay exact. */
export function planState({ role, type, layout }: Pick<SourceFile, 'role' | 'type' | 'layout'>, options: StateOptions): ReadonlyMap<number, StateCoding> {
  if (role !== 'optimizer' || type !== 'safetensors') return new Map();
  const found = new Map<number, StateTensor & { readonly role: StateRole }>();
  for (const [tensor, entry] of layout.tensors.entries()) {
    const state = entry.dtype === 'F32' && entry.elementCount > 0 ? stateTensorOf(entry.name, options) : undefined;
    // Masters are for planMasters: what they are told by is not in this file.
    if (state !== undefined && state.role !== 'master') found.set(tensor, { ...state, role: state.role });
  }
  const seconds = new Map([...found].filter(([, { role: held }]) => held === 'secondMoment').map(([tensor, { parameter }]) => [parameter, tensor]));
  const codings = new Map<number, StateCoding>();
  for (const [tensor, state] of found) {
    const coding = codingOf(state, options, besideOf(layout, tensor, seconds.get(state.parameter)));
    if (coding !== undefined) codings.set(tensor, coding);
  }
  return codings;
}

/** The tensor of the second moments, where it is one of the same shape. */
function besideOf({ tensors }: SafetensorsLayout, tensor: number, second: number | undefined): number | undefined {
  const shapeOf = ({ shape }: TensorEntry): string => shape.join(' ');
  return second !== undefined && shapeOf(tensors[second]!) === shapeOf(tensors[tensor]!) ? second : undefined;
}

function codingOf({ role }: { readonly role: StateRole }, options: StateOptions, beside: number | undefined): StateCoding | undefined {
  switch (options[role]) {
    case 'exact':
      return undefined;
    case 'bitsnap':
      return { kind: 'state', form: 'clusters' };
    case 'bounded':
      if (role === 'secondMoment') return { kind: 'state', form: 'secondMoment' };
      return role === 'firstMoment' && beside !== undefined ? { kind: 'state', form: 'firstMoment', beside } : { kind: 'state', form: 'momentum' };
  }
}
