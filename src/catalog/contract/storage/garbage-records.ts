import type { Page } from '../page.ts';

/**
 * The reason why nothing names an object any more. replaced: other bytes arrived for the same path or part. discarded:
 * its reservation ended. released: its checkpoint is ready and does not need it. deleted: with its checkpoint, run or
 * eval set. merged: its checkpoints are in another package. orphan: nothing ever named it, for example after a kill.
 */
export const deletionReasons = ['replaced', 'discarded', 'released', 'deleted', 'merged', 'orphan'] as const;
export type DeletionReason = (typeof deletionReasons)[number];

/** An object pending deletion. */
export interface PendingDeletion {
  readonly key: string;
  readonly pendingSince: Date;
  readonly reason: DeletionReason;
  /** Bytes in the store; absent if never known. */
  readonly storedBytes?: number;
  /** The repository that it belonged to, if known. */
  readonly repositoryId?: string;
}

/** An object found in the store. */
export interface FoundObject {
  readonly key: string;
  readonly storedBytes: number;
  /** The checkpoint, push or eval set that its key begins with, if any. */
  readonly ownerId?: string;
  /** For a package: the fence of the claim that wrote it. */
  readonly fence?: number;
}

/**
 * Objects pending deletion. A verb that removes the last name of a key enters it here in the same transaction. A key in
 * this list is never named again (`conflict`).
 */
export interface GarbageRecords {
  /** Objects marked before `until`, by key; `after` is a key. */
  pendingDeletions(until: Date, page: Page): Promise<PendingDeletion[]>;
  /**
   * The objects (at most a thousand) that nothing names, that are not pending deletion, and that belong to no arriving
   * body or running job. Arriving bodies and jobs are read before names, so that no object can change from one to the
   * other unseen.
   */
  orphans<Found extends FoundObject>(objects: readonly Found[]): Promise<Found[]>;
  /** Marks orphans, with their owner's repository if it still exists. */
  markOrphans(objects: readonly FoundObject[]): Promise<void>;
  /** Fills in unknown sizes of objects pending deletion. */
  noteSizes(objects: readonly FoundObject[]): Promise<void>;
  /** Removes keys (at most a thousand) after their deletion. */
  forget(keys: readonly string[]): Promise<void>;
}
