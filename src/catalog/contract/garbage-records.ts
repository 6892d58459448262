import type { Page } from './page.ts';

/**
 * Why nothing names an object any more. replaced: other bytes for the same path or part came. discarded: its
 * reservation was given up. released: its checkpoint is ready without it. deleted: with its checkpoint, run or eval
 * set. merged: its checkpoints are in another package. orphan: nothing ever named it, as after a kill.
 */
export const deletionReasons = ['replaced', 'discarded', 'released', 'deleted', 'merged', 'orphan'] as const;
export type DeletionReason = (typeof deletionReasons)[number];

/** An object that waits to be deleted. */
export interface PendingDeletion {
  readonly key: string;
  readonly pendingSince: Date;
  readonly reason: DeletionReason;
  /** Bytes in the store; absent where they were never known. */
  readonly storedBytes?: number;
  /** Whose it was, where that is known. */
  readonly repositoryId?: string;
}

/** An object as it was found in the store. */
export interface FoundObject {
  readonly key: string;
  readonly storedBytes: number;
  /** The checkpoint, push or eval set that its key begins with, where it does. */
  readonly ownerId?: string;
  /** Of a package: the fence of the claim under which it was written. */
  readonly fence?: number;
}

/**
 * What waits to be deleted. The verbs that take the last name of a key away enter it here in the same transaction; a
 * key that is here is never named again (`conflict`).
 */
export interface GarbageRecords {
  /** Those marked until then, by key; `after` is a key. */
  pendingDeletions(until: Date, page: Page): Promise<PendingDeletion[]>;
  /**
   * Those of the objects (at most a thousand) that nothing names, that are not pending deletion, and of which no
   * arriving body or running job is known. What is on its way is looked up before what is named, so that nothing passes
   * between the two unseen.
   */
  orphans<Found extends FoundObject>(objects: readonly Found[]): Promise<Found[]>;
  /** Enters orphans, with the repository that their owner is of where it is still there. */
  markOrphans(objects: readonly FoundObject[]): Promise<void>;
  /** Fills in the sizes of objects pending deletion that were not known. */
  noteSizes(objects: readonly FoundObject[]): Promise<void>;
  /** Takes keys (at most a thousand) out: they are deleted. */
  forget(keys: readonly string[]): Promise<void>;
}
