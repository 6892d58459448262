import type { Dtype } from '../../checkpoint/dtype.ts';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import type { DeviceWish } from '../../checkpoint/options/device-wish.ts';
import type { SearchOptions } from '../../checkpoint/options/search-options.ts';
import type { StateOptions } from '../../checkpoint/options/state-options.ts';
import type { QualityThresholds } from '../../checkpoint/quality/quality.ts';
import type { Fidelity } from '../../checkpoint/role.ts';
import type { Page } from './page.ts';

export interface Run {
  readonly id: string;
  readonly repositoryId: string;
  readonly name: string;
  readonly fidelity: Fidelity;
  readonly evalSetId?: string;
  readonly thresholds: QualityThresholds;
  readonly search: SearchOptions;
  /** What its checkpoints would like to be measured on. */
  readonly device: DeviceWish;
  /** Fidelity of optimizer files; exact when absent. */
  readonly state?: StateOptions;
  /** Unsigned 64-bit, decimal: the seed of every codebook of the run. A fork inherits its parent's. */
  readonly seed: string;
  /** The checkpoint this run was forked from; its first delta is against it. */
  readonly parentCheckpointId?: string;
  /** Tensor name to layer type. It takes precedence over graph, shapes and names. */
  readonly layerTypes: Readonly<Record<string, LayerType>>;
  /** Binding of initializers, found by equal bytes at an earlier checkpoint and reused for later ones. */
  readonly binding?: Readonly<Record<string, { tensor: string; transpose: boolean }>>;
  /** The eval set of the binding, which is valid for no other. */
  readonly bindingEvalSetId?: string;
  readonly createdAt: Date;
  /** Set while the run is closed: it takes no new steps. */
  readonly closedAt?: Date;
  /** Set by DELETE; the row stays while the run has checkpoints. */
  readonly deletedAt?: Date;
}
export interface RunRecords {
  create(
    input: Omit<Run, 'id' | 'createdAt' | 'closedAt' | 'deletedAt' | 'binding' | 'bindingEvalSetId' | 'device'> &
      Partial<Pick<Run, 'device'>>,
  ): Promise<Run>;
  /** A live one. */
  find(repositoryId: string, name: string): Promise<Run | undefined>;
  /** Live or hidden. */
  get(id: string): Promise<Run | undefined>;
  /** Live ones by name; `after` is a name. */
  list(repositoryId: string, page: Page): Promise<Run[]>;
  /**
   * Stores the binding of an eval set with the run. A binding of another eval set never replaces one of the run's own.
   * `not-found`.
   */
  setBinding(id: string, evalSetId: string, binding: NonNullable<Run['binding']>): Promise<void>;
  /**
   * Sets the eval set and thresholds of checkpoints committed from now on. `not-found` when there is no such live run.
   */
  setEvaluation(id: string, evaluation: Pick<Run, 'evalSetId' | 'thresholds'>): Promise<Run>;
  /** Closes a live run, or opens it again; nothing changes if it is so. `not-found`. */
  setClosed(id: string, closed: boolean): Promise<Run>;
  /** What its checkpoints wish for from now on. `not-found` when there is no such live run. */
  setDevice(id: string, device: DeviceWish): Promise<Run>;
  /** The last layout, undefined if none was set; takes no lock. */
  layoutOf(id: string): Promise<RunLayout | undefined>;
  /** Locks the row of a live run until the transaction ends; `not-found`. */
  lock(id: string): Promise<void>;
  /**
   * The last layout, undefined if none was set. Locks the run's row until the transaction ends, so that commits of a
   * run are serialized.
   */
  lockLayout(id: string): Promise<RunLayout | undefined>;
  setLayout(id: string, layout: RunLayout): Promise<void>;
  /**
   * Hides the run with all its checkpoints and frees its name and its eval set; no checkpoint can be reserved in it any
   * more. Marks raw objects and deletes references as `CheckpointRecords.hide` does, and returns the keys. `conflict`
   * while a checkpoint is open, queued or working, `not-found` when it is hidden already.
   */
  hide(id: string): Promise<string[]>;
  /**
   * Removes hidden runs without checkpoints; returns their number. Afterwards their fork points may have no dependents
   * left.
   */
  purgeHidden(): Promise<number>;
}
/**
 * The model tensors that every checkpoint of a run has, sorted by name. Not part of `Run`, because it is large (jsonb)
 * and only commits read it.
 */
export type RunLayout = readonly { readonly name: string; readonly dtype: Dtype; readonly shape: readonly number[] }[];
