import type { Page } from './page.ts';

export const repositoryTypes = ['model', 'dataset', 'space'] as const;
export type RepositoryType = (typeof repositoryTypes)[number];
export interface Repository {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly type: RepositoryType;
  /** Whether it can be read without a token. */
  readonly visibility: Visibility;
  readonly createdAt: Date;
}
export const visibilities = ['private', 'public'] as const;
export type Visibility = (typeof visibilities)[number];
/** The repositories to list: all, or the public ones and these. */
export type VisibleRepositories =
  | 'all'
  | {
      readonly namespaces: readonly string[];
      readonly repositories: readonly { readonly namespace: string; readonly name: string }[];
    };
export interface RepositoryRecords {
  /** `conflict` when it exists. Private by default. */
  create(input: {
    namespace: string;
    name: string;
    type: RepositoryType;
    visibility?: Visibility;
  }): Promise<Repository>;
  find(namespace: string, name: string): Promise<Repository | undefined>;
  get(id: string): Promise<Repository | undefined>;
  /** By namespace and name; `after` is `namespace/name`. */
  list(page: Page, visible?: VisibleRepositories): Promise<Repository[]>;
  /** `not-found`. */
  setVisibility(id: string, visibility: Visibility): Promise<Repository>;
  /** Gives it another name, or another namespace; its id stays. `conflict` when the name is taken, `not-found`. */
  move(id: string, to: { readonly namespace: string; readonly name: string }): Promise<Repository>;
  /**
   * Deletes it with its commits and their files, marks their objects, and frees its name. Runs and eval sets must have
   * been deleted before: `conflict`. `not-found`.
   */
  delete(id: string): Promise<void>;
}
