import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../catalog/contract/file-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import type { DeviceKind, EncodedOn } from '../checkpoint/device-kind.ts';
import type { QuantizationConfig } from '../checkpoint/options/quantization-config.ts';
import type { Ancestors } from './ancestor/open-ancestor.ts';
import type { CompressContext } from './compress-context.ts';
import type { ReusableBase } from './lineage/reusable-base.ts';
import type { MeasuredTrials } from './measure/measured-trials.ts';
import type { Method, MethodSession } from './method/method.ts';
import type { ModelSource } from './upload/model-source.ts';

/**
 * One attempt at compressing a checkpoint. Only the top-level functions of this room take all of it; those below take
 * the fields they use.
 */
export interface EncodeAttempt extends Pick<
  CompressContext,
  'catalog' | 'store' | 'core' | 'freshRestorer' | 'chainLengthMax'
> {
  readonly ctx: CompressContext;
  readonly checkpoint: Checkpoint;
  readonly run: Run;
  /** The checkpoint's files as uploaded. */
  readonly rows: readonly CheckpointFile[];
  readonly source: ModelSource;
  /** By digest of uploaded files: files of the repository with the same digest in the catalog. */
  readonly holding: ReadonlyMap<string, CheckpointFile>;
  readonly method: Method;
  readonly session: MethodSession;
  /** Trials of this attempt. */
  readonly measured: MeasuredTrials;
  /** The config that came with the checkpoint or its run. */
  readonly given: QuantizationConfig | undefined;
  readonly ancestors: Ancestors;
  readonly reusableBase: ReusableBase;
  /** 32 hex digits, derived from the checkpoint, so every worker that encodes it writes the same bytes. */
  readonly packageId: string;
  /** Unique to this attempt: a worker that lost its claim cannot touch the package that another commits. */
  readonly packageKey: string;
  /** Scratch files of this attempt. */
  readonly directory: string;
  /** The same for the model files that evaluations map: in memory if there is room. */
  readonly modelDirectory: string;
  /** What everything is measured on: the upload, each candidate, and the result. */
  readonly device: DeviceKind;
  /** What its work was done on so far. */
  readonly encodedOn: () => EncodedOn;
  /** Blocks in work at once. */
  readonly parallel: number;
  readonly signal: AbortSignal;
  /** Records a sentence for the person who uploaded the checkpoint; duplicates count once. */
  readonly warn: (sentence: string) => void;
}

/** The options that most calls of the room take. */
export function pace({ parallel, signal }: Pick<EncodeAttempt, 'parallel' | 'signal'>): {
  readonly parallel: number;
  readonly signal: AbortSignal;
} {
  return { parallel, signal };
}
