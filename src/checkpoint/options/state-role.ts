import { matchWildcards } from '../match-wildcards.ts';
import { stateRoles, type StateOptions, type StateRole } from './state-options.ts';

/** A tensor of optimizer state: its role, and the name of the parameter it belongs to. */
export interface StateTensor {
  readonly role: StateRole | 'master';
  readonly parameter: string;
  /** Equal for first and second moments that belong together. */
  readonly pairing: string;
}

export interface StateNaming {
  readonly names?: StateOptions['names'] | undefined;
  /** Names of the model's tensors: a short word that is part of one of these names has no meaning. */
  readonly model?: { has(name: string): boolean } | undefined;
}

type Words = Readonly<Record<StateTensor['role'], readonly string[]>>;

/** Parts of dotted names in PyTorch's optimizers, fairscale and DeepSpeed; hardly any module has such a name. */
const longWords: Words = {
  firstMoment: ['exp_avg'],
  secondMoment: ['exp_avg_sq'],
  momentum: ['momentum_buffer'],
  master: [
    'master_param',
    'master_params',
    'master_weight',
    'master_weights',
    'main_param',
    'main_params',
    'fp32_param',
    'fp32_params',
  ],
};
/** Modules have such names too, so these words count only at either end of a name. */
const shortWords: Words = {
  firstMoment: ['m'],
  secondMoment: ['v'],
  momentum: ['momentum'],
  master: ['master', 'fp32'],
};
const roles = [...stateRoles, 'master'] as const;

/**
 * Roles that a tensor's name states: `m.layer.weight`, `exp_avg_sq.layer.weight`, `layer.weight.momentum_buffer` or
 * `state.3.exp_avg`. Entries of a run's options take precedence over the usual words, and long words over short ones,
 * wherever they are in the name. Empty for other names. Several entries, each of another role, if a name is ambiguous.
 */
export function stateTensorsOf(name: string, { names = {}, model }: StateNaming = {}): readonly StateTensor[] {
  const parts = name.split('.');
  const given = ofEachRole((role) => givenName(name, parts, names[role] ?? []));
  if (given.length > 0) return given;
  const long = ofEachRole((role) => without(parts, (part) => longWords[role].includes(part)));
  if (long.length > 0) return long;
  return ofEachRole((role) =>
    without(parts, (part, at) => shortWords[role].includes(part) && isApart(parts, at, model)),
  );
}

/**
 * Whether a part at an end of a name belongs to none of the model's names that the name begins or ends with; false for
 * parts in between.
 */
function isApart(parts: readonly string[], at: number, model: StateNaming['model']): boolean {
  if (at === 0) return !parts.some((_, last) => model?.has(parts.slice(0, last + 1).join('.')));
  return at === parts.length - 1 && !parts.some((_, first) => model?.has(parts.slice(first).join('.')));
}

/** The role that a tensor's name states; undefined if it states none or several. */
export function stateTensorOf(name: string, naming: StateNaming = {}): StateTensor | undefined {
  const [state, ...others] = stateTensorsOf(name, naming);
  return others.length === 0 ? state : undefined;
}

type Named = Omit<StateTensor, 'role'>;

function ofEachRole(namedAs: (role: StateTensor['role']) => Named | undefined): StateTensor[] {
  return roles.flatMap((role) => {
    const named = namedAs(role);
    return named === undefined ? [] : [{ role, ...named }];
  });
}

/**
 * By the first of a role's entries that matches: a pattern of the whole name, with or without `*`, or a part of a
 * dotted name. Names that match patterns belong together if the patterns have the same place among the entries of their
 * roles and each `*` matches the same text.
 */
function givenName(name: string, parts: readonly string[], entries: readonly string[]): Named | undefined {
  for (const [place, entry] of entries.entries()) {
    const found = matchWildcards(entry, name);
    // No name has a line break, so this key cannot equal another name.
    if (found !== undefined)
      return { parameter: found.filter((text) => text !== '').join('.'), pairing: ['', place, ...found].join('\n') };
    const named = without(parts, (part) => part === entry);
    if (named !== undefined) return named;
  }
  return undefined;
}

/**
 * A dotted name without the first part that is such a word; undefined if there is no such part, or nothing would be
 * left.
 */
function without(parts: readonly string[], isWord: (part: string, at: number) => boolean): Named | undefined {
  const at = parts.length > 1 ? parts.findIndex(isWord) : -1;
  if (at < 0) return undefined;
  const parameter = parts.toSpliced(at, 1).join('.');
  return { parameter, pairing: parameter };
}
