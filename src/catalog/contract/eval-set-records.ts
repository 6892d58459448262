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
  /** By name; `after` is a name. */
  list(repositoryId: string, page: Page): Promise<EvalSet[]>;
  /** Only while `open`; `conflict` otherwise. Marks the object it replaces, if any, and returns its key. */
  setPart(id: string, part: EvalSetPart, object: EvalSetObject): Promise<string | undefined>;
  /** Closes an open one; `conflict` when it is closed another way already. */
  setState(
    id: string,
    state: Exclude<EvalSetState, 'open'>,
    error?: { code: FirnErrorCode; message: string },
  ): Promise<void>;
  /**
   * `conflict`, saying what uses it, while a live run does, or a checkpoint that is to be measured with it: one that is
   * queued or working, or a live one that failed and can be tried again. Others forget it. Marks the objects it held
   * and returns their keys.
   */
  delete(id: string): Promise<string[]>;
}
