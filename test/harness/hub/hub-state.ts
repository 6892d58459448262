import type { HubFile } from './hub-file.ts';

/** A commit that a client made, or asked for. */
export interface MixCommit {
  /** Known once it was answered or found. */
  id?: string;
  readonly title: string;
  readonly files: ReadonlyMap<string, HubFile>;
  readonly parent?: MixCommit;
  /** Step of the weights that it brings. */
  readonly step?: number;
}

/** What a repository shows, as its only client knows it. */
export interface MixRepository {
  /** `namespace/name`. */
  readonly name: string;
  readonly branches: ReadonlyMap<string, MixCommit>;
  readonly tags: ReadonlyMap<string, MixCommit>;
}

/** Undefined: there is no repository. */
export type MixState = MixRepository | undefined;

export const weightsPath = 'model.safetensors';
export const textPath = 'text.json';

/** A commit and those before it, newest first. */
export function lineOf(commit: MixCommit): MixCommit[] {
  const line: MixCommit[] = [];
  for (let each: MixCommit | undefined = commit; each !== undefined; each = each.parent) line.push(each);
  return line;
}

/** The commits that branches and tags lead to, with all before them. */
export function reachedCommits(state: MixState): ReadonlySet<MixCommit> {
  if (state === undefined) return new Set();
  return new Set([...state.branches.values(), ...state.tags.values()].flatMap(lineOf));
}

export function withBranch(state: MixRepository, name: string, commit: MixCommit): MixRepository {
  return { ...state, branches: new Map([...state.branches, [name, commit]]) };
}

export function withTags(state: MixRepository, names: readonly string[], commit: MixCommit): MixRepository {
  return { ...state, tags: new Map([...state.tags, ...names.map((name) => [name, commit] as const)]) };
}

export function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  return new Map([...map].filter(([each]) => each !== key));
}
