import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import {
  encodingOfFidelity,
  stateRoles,
  type StateOptions,
  type StateRole,
} from '../../checkpoint/options/state-options.ts';
import { stateTensorsOf, type StateTensor } from '../../checkpoint/options/state-role.ts';
import type { StateCoding, TensorPlace } from '../../package/package-index.ts';
import type { SourceFile } from '../upload/model-source.ts';

/**
 * The reason why a tensor stays exact despite the run's options. The last five apply to first moments: their bound
 * needs the second moments.
 */
export type KeptExact =
  'ambiguous' | 'dtype' | 'secondMissing' | 'secondElsewhere' | 'secondDtype' | 'secondShape' | 'secondUnclear';

export interface StatePlan {
  /** By file and tensor number: codings of optimizer tensors that are not exact. */
  readonly codings: readonly ReadonlyMap<number, StateCoding>[];
  /** In the order of the files. */
  readonly kept: readonly { readonly name: string; readonly why: KeptExact }[];
  /** Roles with lossy options of which the checkpoint has no tensor. */
  readonly absent: readonly StateRole[];
}

type StateFile = Pick<SourceFile, 'role' | 'type' | 'layout'>;

interface Moment extends StateTensor, TensorPlace {
  readonly role: StateRole;
  readonly entry: TensorEntry;
}

/**
 * The codings of tensors in optimizer files. A moment stays exact if its dtype is not F32, if its name is ambiguous, or
 * if it is a first moment to be bounded and the same file has no matching second moment.
 */
export function planState(files: readonly StateFile[], options: StateOptions): StatePlan {
  const { moments, ambiguous } = readMoments(files, options);
  const seconds = new Map<string, Moment[]>();
  for (const moment of moments) {
    if (moment.role !== 'secondMoment') continue;
    const alike = seconds.get(moment.pairing);
    if (alike === undefined) seconds.set(moment.pairing, [moment]);
    else alike.push(moment);
  }
  const codings = files.map(() => new Map<number, StateCoding>());
  const kept = new Map<TensorEntry, KeptExact>(ambiguous.map((entry) => [entry, 'ambiguous']));
  for (const moment of moments) {
    if (options[moment.role] === 'exact') continue;
    const coding = codingOf(moment, options, seconds.get(moment.pairing) ?? []);
    if (typeof coding === 'string') kept.set(moment.entry, coding);
    else codings[moment.file]!.set(moment.tensor, coding);
  }
  const inOrder = files.flatMap(({ layout }) => layout.tensors).filter((entry) => kept.has(entry));
  const held = new Set(moments.map(({ role }) => role));
  return {
    codings,
    kept: inOrder.map((entry) => ({ name: entry.name, why: kept.get(entry)! })),
    absent: stateRoles.filter((role) => options[role] !== 'exact' && !held.has(role)),
  };
}

/**
 * Moments by their names, and tensors with ambiguous names of which one reading would be lossy. Masters are left to
 * `planMasters`: recognizing them needs other files.
 */
function readMoments(
  files: readonly StateFile[],
  options: StateOptions,
): { readonly moments: readonly Moment[]; readonly ambiguous: readonly TensorEntry[] } {
  const isExact = ({ role }: StateTensor): boolean => (options[role] ?? 'exact') === 'exact';
  const naming = {
    names: options.names,
    model: new Set(
      files.filter(({ role }) => role === 'model').flatMap(({ layout }) => layout.tensors.map(({ name }) => name)),
    ),
  };
  const moments: Moment[] = [];
  const ambiguous: TensorEntry[] = [];
  for (const [file, { role: ofFile, type, layout }] of files.entries()) {
    if (ofFile !== 'optimizer' || type !== 'safetensors') continue;
    for (const [tensor, entry] of layout.tensors.entries()) {
      // A single number is as often a step or an option as a moment, and a bound on it saves nothing.
      const [state, ...others] = entry.elementCount > 1 ? stateTensorsOf(entry.name, naming) : [];
      if (state === undefined) continue;
      if (others.length > 0) {
        if (![state, ...others].every(isExact)) ambiguous.push(entry);
      } else if (state.role !== 'master') moments.push({ ...state, role: state.role, file, tensor, entry });
    }
  }
  return { moments, ambiguous };
}

function codingOf(moment: Moment, options: StateOptions, seconds: readonly Moment[]): StateCoding | KeptExact {
  const { role, entry } = moment;
  if (entry.dtype !== 'F32') return 'dtype';
  if (encodingOfFidelity[options[role]] === 'clusters') return { kind: 'state', encoding: 'clusters' };
  switch (role) {
    case 'secondMoment':
    case 'momentum':
      return { kind: 'state', encoding: role };
    case 'firstMoment': {
      const second = secondOf(moment, seconds);
      return typeof second === 'string' ? second : { kind: 'state', encoding: role, secondMoments: second.tensor };
    }
  }
}

/**
 * The only tensor of second moments for a first moment's parameter. A package refers to it within the file, as F32 of
 * the same shape.
 */
function secondOf({ file, entry }: Moment, seconds: readonly Moment[]): Moment | KeptExact {
  const [second, ...others] = seconds.filter((each) => each.file === file);
  if (second === undefined) return seconds.length > 0 ? 'secondElsewhere' : 'secondMissing';
  if (others.length > 0) return 'secondUnclear';
  if (second.entry.dtype !== 'F32') return 'secondDtype';
  return second.entry.shape.join(' ') === entry.shape.join(' ') ? second : 'secondShape';
}
