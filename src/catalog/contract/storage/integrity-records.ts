import type { Page } from '../page.ts';

/** corrupt: its bytes do not match their checksums. missing: the catalog names it, but the store does not have it. */
export const damageKinds = ['corrupt', 'missing'] as const;
export type DamageKind = (typeof damageKinds)[number];

/** A stored object in quarantine. */
export interface DamagedObject {
  readonly key: string;
  readonly what: DamageKind;
  /** For operators: the damaged chunk and the failure. */
  readonly detail: string;
  readonly foundAt: Date;
}

export interface CheckpointName {
  readonly namespace: string;
  readonly repository: string;
  readonly run: string;
  readonly step: number;
}

/** Everything that a damaged object makes unreadable, wholly or partly. */
export interface AffectedByDamage {
  /**
   * Live checkpoints, by name and sequence, that need the object: for their package or its chain, for a file that they
   * refer to, or for a raw file.
   */
  readonly checkpoints: readonly CheckpointName[];
  /** Eval sets, as `namespace/repository/name`. */
  readonly evalSets: readonly string[];
  /** Repositories, as `namespace/name`, whose commits or uploads have a file or chunks in the object. */
  readonly repositories: readonly string[];
}

export interface DamageRecords {
  /**
   * Records damage; the time of the first finding stays. Returns whether the object was whole before; then webhooks are
   * sent the checkpoints that it affects.
   */
  note(damaged: Omit<DamagedObject, 'foundAt'>): Promise<boolean>;
  /** Ends the quarantine of an object; returns whether it was in quarantine. */
  clear(key: string): Promise<boolean>;
  /** By key; `after` is a key. */
  list(page: Page): Promise<DamagedObject[]>;
  count(): Promise<number>;
  /** The damaged ones of the keys (at most a thousand). */
  among(keys: readonly string[]): Promise<string[]>;
  affected(key: string): Promise<AffectedByDamage>;
  /** Paths of a checkpoint's files whose download needs a damaged object. */
  pathsOf(checkpointId: string): Promise<string[]>;
}

/** One pass of the background scrubber over all objects. */
export interface ScrubRound {
  readonly begunAt: Date;
  /** Absent while the pass runs. */
  readonly endedAt?: Date;
  /** The last key that was read; empty at the beginning. */
  readonly afterKey: string;
  readonly objects: number;
  readonly bytes: number;
}

/**
 * All objects that the catalog names: packages, raw objects, parts of eval sets. Objects that a merge replaced are not
 * among them.
 */
export interface ObjectRecords {
  /** By key; `after` is a key. With `repositoryId` only that repository's. */
  keys(page: Page, repositoryId?: string): Promise<string[]>;
  /** The keys (at most a thousand) that some record names. */
  named(keys: readonly string[]): Promise<string[]>;
  /** Undefined before the first pass. */
  scrubRound(): Promise<ScrubRound | undefined>;
  setScrubRound(round: ScrubRound): Promise<void>;
}
