import type { FirnErrorCode } from '../../checkpoint/firn-error.ts';
import type { QualityThresholds } from '../../checkpoint/quality/quality.ts';
import type { CheckpointResult } from './checkpoint-records.ts';

export const estimateStates = ['queued', 'working', 'done', 'failed', 'cancelled'] as const;
export type EstimateState = (typeof estimateStates)[number];

/** What a checkpoint would take at other thresholds; nothing is stored for it. A checkpoint has one, the last asked. */
export interface Estimate {
  readonly checkpointId: string;
  readonly thresholds: QualityThresholds;
  readonly state: EstimateState;
  /** Once it is `done`. */
  readonly result?: CheckpointResult;
  readonly errorCode?: FirnErrorCode;
  readonly errorMessage?: string;
  readonly createdAt: Date;
  readonly finishedAt?: Date;
}

export interface EstimateRecords {
  /** `queued`, in place of an earlier one of the checkpoint. */
  begin(checkpointId: string, thresholds: QualityThresholds): Promise<Estimate>;
  get(checkpointId: string): Promise<Estimate | undefined>;
  /** Moves one that is queued or working; nothing happens if there is none, or it has ended. */
  move(
    checkpointId: string,
    state: EstimateState,
    ending?: Partial<Pick<Estimate, 'result' | 'errorCode' | 'errorMessage' | 'finishedAt'>>,
  ): Promise<void>;
}
