import type { Checkpoint, CheckpointState } from './checkpoint-records.ts';
import type { Page } from './page.ts';
import type { PackageRecord } from './storage/package-records.ts';
import type { Run } from './run-records.ts';

/** What the live checkpoints of a run come to. */
export interface RunSums {
  readonly counts: Readonly<Record<CheckpointState, number>>;
  /** Of ready checkpoints, in bytes. */
  readonly rawBytes: number;
  readonly storedBytes: number;
}

/** The checkpoint that a run was forked from, by names. */
export interface ForkPoint {
  readonly run: string;
  readonly step: number;
}

export interface RunOverview extends RunSums {
  readonly run: Run;
  /** Absent if it was not forked, or from another repository. */
  readonly forkedFrom?: ForkPoint;
}

/** A run that was forked from a checkpoint of another. */
export interface Fork {
  readonly run: string;
  /** The step that it was forked from. */
  readonly step: number;
}

/** What the live runs of a repository come to. */
export interface RepositorySums {
  readonly runCount: number;
  /** Ready checkpoints, and their bytes. */
  readonly readyCount: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
}

/** A checkpoint with the names of what holds it. */
export interface NamedCheckpoint {
  readonly namespace: string;
  readonly name: string;
  readonly run: string;
  readonly checkpoint: Checkpoint;
}

/** Sums and samples for people, each in one or two statements whatever the number of checkpoints. */
export interface OverviewRecords {
  /** By the id of the repository; those without a live run are left out. */
  repositories(ids: readonly string[]): Promise<ReadonlyMap<string, RepositorySums>>;
  /** Live runs of a repository by name; `after` is a name. */
  runs(repositoryId: string, page: Page): Promise<RunOverview[]>;
  /** Zeros for a run without checkpoints. */
  sums(runId: string): Promise<RunSums>;
  /**
   * Live checkpoints in the order of their sequence, at most `countMax` of them at equal distances, and the newest. All
   * of them if they are no more.
   */
  sample(runId: string, countMax: number): Promise<Checkpoint[]>;
  /** Live runs of the same repository that were forked from a checkpoint of the run, by name, at most `limit`. */
  forks(run: Pick<Run, 'id' | 'repositoryId'>, limit: number): Promise<Fork[]>;
  /** The packages with these ids, in no order; at most a page of them. */
  packages(ids: readonly string[]): Promise<PackageRecord[]>;
  /** Live checkpoints of all repositories that are queued, by their creation, the oldest first; at most `limit`. */
  queued(limit: number): Promise<NamedCheckpoint[]>;
}
