import type { Checkpoint } from './checkpoint-records.ts';

export interface PackageRecord {
  /** 32 hex digits; also in the package itself. */
  readonly id: string;
  readonly checkpointId: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly storedBytes: number;
  readonly indexOffsetBytes: number;
  readonly indexLengthBytes: number;
  readonly kind: 'base' | 'delta';
  /** Id of the package it is a delta to. */
  readonly ancestorId?: string;
  /** Checkpoints on the way, itself included: 1 for a base. */
  readonly chainLength: number;
  readonly createdAt: Date;
  /**
   * Of the object that holds several checkpoints, this one among them. Key, size and index are then that object's,
   * stored bytes this checkpoint's share of it.
   */
  readonly mergedPackageId?: string;
  /** Which of them it is, from 0. */
  readonly position: number;
  /** Merging was tried from this package on and did not pay. */
  readonly mergeTried: boolean;
}
/** A delta that may be merged. */
export interface MergeCandidate {
  readonly record: PackageRecord;
  readonly checkpoint: Checkpoint;
  /** Packages that build on it. */
  readonly descendants: number;
  /** Whether one of them is too new to be merged yet. */
  readonly grows: boolean;
}
export interface MergedPackages {
  readonly mergedPackageId: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly indexOffsetBytes: number;
  readonly indexLengthBytes: number;
  /** By position: the package, the object it had, and its share of the new one. */
  readonly parts: readonly { readonly id: string; readonly key: string; readonly storedBytes: number }[];
}
export interface PackageRecords {
  create(
    input: Omit<PackageRecord, 'createdAt' | 'mergedPackageId' | 'position' | 'mergeTried'>,
  ): Promise<PackageRecord>;
  get(id: string): Promise<PackageRecord | undefined>;
  /** The package and its ancestors, base last. `internal` when the chain is broken. */
  chain(id: string): Promise<PackageRecord[]>;
  /**
   * Deltas of the run's checkpoints that were quantized by one of `methods`, live or hidden, by sequence, that have an
   * object of their own and from which merging was not tried; without those of the `newest` ready checkpoints. At most
   * `limit`.
   */
  mergeable(
    runId: string,
    options: { readonly newest: number; readonly limit: number; readonly methods: readonly string[] },
  ): Promise<MergeCandidate[]>;
  /**
   * Puts packages into one object, marks the objects they had, and counts their checkpoints' stored bytes anew.
   * `conflict` when one is no longer as given.
   */
  merge(merged: MergedPackages): Promise<void>;
  setMergeTried(id: string): Promise<void>;
}
