import type { Page } from './page.ts';

/** corrupt: its bytes do not match their checksums. missing: the catalog names it and the store has none. */
export const damageKinds = ['corrupt', 'missing'] as const;
export type DamageKind = (typeof damageKinds)[number];

/** A stored object in quarantine. */
export interface DamagedObject {
  readonly key: string;
  readonly what: DamageKind;
  /** For operators: which chunk, which failure. */
  readonly detail: string;
  readonly foundAt: Date;
}

export interface CheckpointName {
  readonly namespace: string;
  readonly repository: string;
  readonly run: string;
  readonly step: number;
}

/** What cannot be read, or not all of it, while an object is damaged. */
export interface AffectedByDamage {
  /**
   * Live ones, by name and sequence: those whose package it holds, those whose chain goes through it, those that refer
   * to a file in it, those whose raw file it is.
   */
  readonly checkpoints: readonly CheckpointName[];
  /** Eval sets, as `namespace/repository/name`. */
  readonly evalSets: readonly string[];
}

export interface DamageRecords {
  /** Keeps the moment of the first finding. Returns whether the object was whole before. */
  note(damaged: Omit<DamagedObject, 'foundAt'>): Promise<boolean>;
  /** Takes an object out of quarantine; returns whether it was in it. */
  clear(key: string): Promise<boolean>;
  /** By key; `after` is a key. */
  list(page: Page): Promise<DamagedObject[]>;
  count(): Promise<number>;
  /** Those of the keys (at most a thousand) that are damaged. */
  among(keys: readonly string[]): Promise<string[]>;
  affected(key: string): Promise<AffectedByDamage>;
  /** Paths of a checkpoint's files whose download needs a damaged object. */
  pathsOf(checkpointId: string): Promise<string[]>;
}

/** A pass of the background scrubber over every object. */
export interface ScrubRound {
  readonly begunAt: Date;
  /** Absent while it is under way. */
  readonly endedAt?: Date;
  /** The last key read; empty at the beginning. */
  readonly afterKey: string;
  readonly objects: number;
  readonly bytes: number;
}

/**
 * Objects as the catalog names them: packages, raw objects, parts of eval sets. What a merge replaced is named no
 * longer.
 */
export interface ObjectRecords {
  /** By key; `after` is a key. Of one repository when it is given. */
  keys(page: Page, repositoryId?: string): Promise<string[]>;
  /** Those of the keys (at most a thousand) that something names. */
  named(keys: readonly string[]): Promise<string[]>;
  /** Undefined before the first. */
  scrubRound(): Promise<ScrubRound | undefined>;
  setScrubRound(round: ScrubRound): Promise<void>;
}
