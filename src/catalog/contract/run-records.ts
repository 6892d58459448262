import type { Dtype } from '../../checkpoint/dtype.ts';
import type { LayerType } from '../../checkpoint/layer-type.ts';
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
  /** How optimizer files are kept; exact when absent. */
  readonly state?: StateOptions;
  /** Unsigned 64-bit, decimal: the seed of every codebook of the run. A fork inherits its parent's. */
  readonly seed: string;
  /** The checkpoint this run was forked from; its first delta is against it. */
  readonly parentCheckpointId?: string;
  /** Tensor name to layer type, overriding what graph, shapes and names say. */
  readonly layerTypes: Readonly<Record<string, LayerType>>;
  /** Initializer binding found by equal bytes at an earlier checkpoint, kept for the later ones. */
  readonly binding?: Readonly<Record<string, { tensor: string; transpose: boolean }>>;
  /** The eval set whose graph the binding is of; it holds for no other. */
  readonly bindingEvalSetId?: string;
  readonly createdAt: Date;
  /** Hidden by DELETE; kept while checkpoints of it are. */
  readonly deletedAt?: Date;
}
export interface RunRecords {
  create(input: Omit<Run, 'id' | 'createdAt' | 'deletedAt' | 'binding' | 'bindingEvalSetId'>): Promise<Run>;
  /** A live one. */
  find(repositoryId: string, name: string): Promise<Run | undefined>;
  /** Live or hidden. */
  get(id: string): Promise<Run | undefined>;
  /** Live ones by name; `after` is a name. */
  list(repositoryId: string, page: Page): Promise<Run[]>;
  /**
   * Keeps the binding of an eval set with the run; one of another eval set never takes the place of one of the run's
   * own. `not-found`.
   */
  setBinding(id: string, evalSetId: string, binding: NonNullable<Run['binding']>): Promise<void>;
  /** What checkpoints committed from now on are measured with. `not-found` when there is no such live run. */
  setEvaluation(id: string, evaluation: Pick<Run, 'evalSetId' | 'thresholds'>): Promise<Run>;
  /** The layout set last, undefined when none was; nothing is locked. */
  layoutOf(id: string): Promise<RunLayout | undefined>;
  /** Locks the row of a live run until the transaction ends; `not-found`. */
  lock(id: string): Promise<void>;
  /**
   * The layout set last, undefined when none was. Locks the run's row until the transaction ends, so that commits of a
   * run follow each other.
   */
  lockLayout(id: string): Promise<RunLayout | undefined>;
  setLayout(id: string, layout: RunLayout): Promise<void>;
  /**
   * Hides the run with all its checkpoints and frees its name and its eval set; no checkpoint can be reserved in it any
   * more. Marks raw objects and forgets references as `CheckpointRecords.hide` and returns the keys. `conflict` while
   * one is open, queued or working, `not-found` when it is hidden already.
   */
  hide(id: string): Promise<string[]>;
  /**
   * Removes hidden runs without checkpoints; returns how many. What they were forked from may be needed no longer then.
   */
  purgeHidden(): Promise<number>;
}
/**
 * The model tensors that every checkpoint of a run has, sorted by name. Not part of `Run`: it is large (jsonb) and read
 * at commits only.
 */
export type RunLayout = readonly { readonly name: string; readonly dtype: Dtype; readonly shape: readonly number[] }[];
