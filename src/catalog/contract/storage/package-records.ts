import type { Checkpoint, PackageKind } from '../checkpoint-records.ts';

export interface PackageRecord {
  /** 32 hex digits; also in the package itself. */
  readonly id: string;
  readonly checkpointId: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly storedBytes: number;
  readonly indexOffsetBytes: number;
  readonly indexLengthBytes: number;
  readonly kind: PackageKind;
  /** Id of the package it is a delta to. */
  readonly ancestorId?: string;
  /** Packages in the chain, this one included: 1 for a base. */
  readonly chainLength: number;
  readonly createdAt: Date;
  /**
   * The merged package that holds this checkpoint. Key, size and index are then the shared object's, and stored bytes
   * are this checkpoint's share.
   */
  readonly mergedPackageId?: string;
  /** Position in the merged package, from 0. */
  readonly position: number;
  /** Merging from this package on was tried and did not pay. */
  readonly mergeTried: boolean;
  /** The same for merging to make room in a chain, which may take more bytes. */
  readonly roomTried: boolean;
}
/** What packages are merged for: to save bytes, or to make room in a chain that is nearly full. */
export type MergeReason = 'bytes' | 'room';
/** A delta that may be merged. */
export interface MergeCandidate {
  readonly record: PackageRecord;
  readonly checkpoint: Checkpoint;
  /** Packages that build on it. */
  readonly descendants: number;
  /** Whether one of its descendants is still too new to merge. */
  readonly grows: boolean;
}
export interface MergedPackages {
  readonly mergedPackageId: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly indexOffsetBytes: number;
  readonly indexLengthBytes: number;
  /** By position: the package, its previous object, and its share of the new one. */
  readonly parts: readonly { readonly id: string; readonly key: string; readonly storedBytes: number }[];
}
export interface PackageRecords {
  create(
    input: Omit<PackageRecord, 'createdAt' | 'mergedPackageId' | 'position' | 'mergeTried' | 'roomTried'>,
  ): Promise<PackageRecord>;
  get(id: string): Promise<PackageRecord | undefined>;
  /** The package and its ancestors, base last. `internal` when the chain is broken. */
  chain(id: string): Promise<PackageRecord[]>;
  /**
   * The repository of the package and of each of its ancestors, deleted repositories too. Of a broken chain the part
   * that is there.
   */
  placesOfChain(id: string): Promise<{ readonly packageId: string; readonly repositoryId: string }[]>;
  /**
   * Deltas of the run's checkpoints, live or hidden, that may be merged, by sequence. They were quantized by one of
   * `methods`, have an object of their own, and merging for this reason was not tried from them. Those of the `newest`
   * ready checkpoints are left out. At most `limit`.
   */
  mergeable(
    runId: string,
    options: {
      readonly reason: MergeReason;
      readonly newest: number;
      readonly limit: number;
      readonly methods: readonly string[];
    },
  ): Promise<MergeCandidate[]>;
  /**
   * Puts packages into one object, marks their previous objects, and counts their checkpoints' stored bytes anew.
   * `conflict` when one of them has changed meanwhile.
   */
  merge(merged: MergedPackages): Promise<void>;
  setMergeTried(id: string, reason: MergeReason): Promise<void>;
}
