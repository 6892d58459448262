import type { FirnErrorCode } from '../../checkpoint/firn-error.ts';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import type { Page } from './page.ts';

export const evalSetStates = ['open', 'ready', 'failed'] as const;
export type EvalSetState = (typeof evalSetStates)[number];
export interface EvalSet {
  readonly id: string;
  readonly repositoryId: string;
  readonly name: string;
  readonly state: EvalSetState;
  readonly spec: EvalSetSpec;
  readonly graphKey?: string;
  readonly graphSha256?: string;
  readonly graphBytes?: number;
  readonly graphStoredBytes?: number;
  readonly batchesKey?: string;
  readonly batchesSha256?: string;
  readonly batchesBytes?: number;
  readonly batchesStoredBytes?: number;
  readonly errorCode?: FirnErrorCode;
  readonly errorMessage?: string;
  readonly createdAt: Date;
}
export const evalSetParts = ['graph', 'batches'] as const;
export type EvalSetPart = (typeof evalSetParts)[number];
/** The stored bytes of a part. */
export interface EvalSetObject {
  readonly key: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** With frame and checksums. */
  readonly storedBytes: number;
}
export interface EvalSetRecords {
  create(input: { repositoryId: string; name: string; spec: EvalSetSpec }): Promise<EvalSet>;
  find(repositoryId: string, name: string): Promise<EvalSet | undefined>;
  get(id: string): Promise<EvalSet | undefined>;
  /** Locks the row until the transaction ends; `not-found`. */
  lock(id: string): Promise<EvalSet>;
  /** By name; `after` is a name. */
  list(repositoryId: string, page: Page): Promise<EvalSet[]>;
  /** Only while `open`; `conflict` otherwise. Marks the replaced object, if any, and returns its key. */
  setPart(id: string, part: EvalSetPart, object: EvalSetObject): Promise<string | undefined>;
  /** Closes an open one; `conflict` when it is closed with another state already. */
  setState(
    id: string,
    state: Exclude<EvalSetState, 'open'>,
    error?: { code: FirnErrorCode; message: string },
  ): Promise<void>;
  /**
   * `conflict`, with the name of the user, while a live run uses the eval set, or a checkpoint that may still be
   * measured with it: a queued or working one, or a live failed one that can be retried. Other checkpoints lose the
   * reference. Marks its objects and returns their keys.
   */
  delete(id: string): Promise<string[]>;
}
