import type { CheckpointResult } from '../catalog/contract/checkpoint-records.ts';
import type { FileResultRecord } from '../catalog/contract/file-records.ts';
import type { EncodedCheckpoint } from './encode/encode-package.ts';

/** A checkpoint stored and verified, not yet committed. */
export interface CompressedCheckpoint {
  readonly encoded: Pick<EncodedCheckpoint, 'written' | 'kind' | 'chainLength'>;
  readonly packageId: string;
  readonly packageKey: string;
  readonly result: CheckpointResult;
  readonly files: readonly FileResultRecord[];
}
