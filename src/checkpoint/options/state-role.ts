import { matchWildcards } from '../match-wildcards.ts';
import { stateRoles, type StateOptions, type StateRole } from './state-options.ts';

/** A tensor of optimizer state: what it holds, and the name of the parameter it belongs to. */
export interface StateTensor {
  readonly role: StateRole | 'master';
  readonly parameter: string;
  /** Equal for first and second moments that belong together. */
  readonly pairing: string;
}

export interface StateNaming {
  readonly names?: StateOptions['names'] | undefined;
  /** Names of the model's tensors: a short word that is part of one says nothing. */
  readonly model?: { has(name: string): boolean } | undefined;
}

type Words = Readonly<Record<StateTensor['role'], readonly string[]>>;

/**
 * Parts of dotted names, as PyTorch's optimizers, fairscale and DeepSpeed call them, and as hardly anybody calls a
 * module.
 */
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
/** Words that modules are called, too: they mean something at either end of a name alone. */
const shortWords: Words = {
  firstMoment: ['m'],
  secondMoment: ['v'],
  momentum: ['momentum'],
  master: ['master', 'fp32'],
};
const roles = [...stateRoles, 'master'] as const;

/**
 * What a tensor's name says of it: `m.layer.weight`, `exp_avg_sq.layer.weight`, `layer.weight.momentum_buffer` or
 * `state.3.exp_avg`. Entries of a run's options decide before the usual words, and long words before short ones,
 * wherever they are in the name. Nothing for other names; several, each of another role, where a name says several
 * things at once.
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
 * Whether a part at an end of a name is in none of the model's names that this begins or ends with; false for the parts
 * between.
 */
function isApart(parts: readonly string[], at: number, model: StateNaming['model']): boolean {
  if (at === 0) return !parts.some((_, last) => model?.has(parts.slice(0, last + 1).join('.')));
  return at === parts.length - 1 && !parts.some((_, first) => model?.has(parts.slice(first).join('.')));
}

/** The one thing that a tensor's name says of it. */
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
 * By the first of a role's entries that fits, which is a pattern of the whole name, with or without `*`, or a part of a
 * dotted name. Names that patterns fit belong together where these have the same place among the entries of their
 * roles, and each `*` stands for the same.
 */
function givenName(name: string, parts: readonly string[], entries: readonly string[]): Named | undefined {
  for (const [place, entry] of entries.entries()) {
    const found = matchWildcards(entry, name);
    // No name has a line break, so nothing else is called so.
    if (found !== undefined)
      return { parameter: found.filter((text) => text !== '').join('.'), pairing: ['', place, ...found].join('\n') };
    const named = without(parts, (part) => part === entry);
    if (named !== undefined) return named;
  }
  return undefined;
}

/**
 * A dotted name without the first of its parts that is such a word; undefined where none is, or nothing would be left.
 */
function without(parts: readonly string[], isWord: (part: string, at: number) => boolean): Named | undefined {
  const at = parts.length > 1 ? parts.findIndex(isWord) : -1;
  if (at < 0) return undefined;
  const parameter = parts.toSpliced(at, 1).join('.');
  return { parameter, pairing: parameter };
}
