import type { QualityThresholds } from '../../checkpoint/quality/quality.ts';
import type { Fidelity } from '../../checkpoint/role.ts';
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
  /** What becomes of weights that hub clients push; exact when absent. */
  readonly hubSettings?: HubSettings;
  readonly createdAt: Date;
}
/** How weights that hub clients push are kept. Runs that exist already stay as they are. */
export interface HubSettings {
  readonly fidelity: Fidelity;
  /** Name of the eval set that lossy checkpoints are measured with. */
  readonly evalSet?: string;
  readonly thresholds?: QualityThresholds;
  /** What a branch shows once a lossy checkpoint is ready: its compressed form, or what was pushed. */
  readonly shows: 'compressed' | 'uploaded';
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
/** What repositories of a list have. Undefined fields say nothing. */
export interface RepositoryFilter {
  /** A part of `namespace/name`, in any case; its characters stand for themselves. */
  readonly search?: string | undefined;
  /** The whole name of the namespace, to the letter. */
  readonly namespace?: string | undefined;
  readonly visibility?: Visibility | undefined;
}

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
  /** Locks the row until the transaction ends; `not-found`. */
  lock(id: string): Promise<Repository>;
  /**
   * By namespace and name; `after` is `namespace/name`. Only those that meet all of the filter.
   */
  list(page: Page, visible?: VisibleRepositories, filter?: RepositoryFilter): Promise<Repository[]>;
  /** `not-found`. */
  setVisibility(id: string, visibility: Visibility): Promise<Repository>;
  /** `not-found`. */
  setHubSettings(id: string, settings: HubSettings): Promise<Repository>;
  /**
   * Gives it another name, or another namespace; its id stays. `conflict` when the name is taken; `quota-exceeded` when
   * the other namespace has no room for it; `not-found`.
   */
  move(id: string, to: { readonly namespace: string; readonly name: string }): Promise<Repository>;
  /**
   * Deletes it with its commits and their files, marks their objects, and frees its name. Runs and eval sets must have
   * been deleted before: `conflict`. `not-found`.
   */
  delete(id: string): Promise<void>;
}
