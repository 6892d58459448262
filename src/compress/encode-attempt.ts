import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../catalog/contract/file-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import type { QuantizationConfig, QuantizationMethod } from '../checkpoint/options/quantization-config.ts';
import type { CompressContext } from './compress-context.ts';
import type { LastAncestor } from './ancestor/last-ancestor.ts';
import type { ModelSource } from './upload/model-source.ts';
import type { MovesMemory } from './method/residual/moves-memory.ts';
import type { Quantization } from './method/quantized-form.ts';

/** One try at compressing a checkpoint: what every phase needs. */
export interface EncodeAttempt {
  readonly ctx: CompressContext;
  readonly checkpoint: Checkpoint;
  readonly run: Run;
  /** The checkpoint's files as uploaded. */
  readonly rows: readonly CheckpointFile[];
  readonly source: ModelSource;
  /** By digest of uploaded files: files of the repository that say they hold the same bytes. */
  readonly holding: ReadonlyMap<string, CheckpointFile>;
  readonly moves: MovesMemory;
  readonly lastAncestor: LastAncestor;
  /** Of the residual method, by the ancestor, or by the prepared model for a base: an estimate and the encode after it are one. */
  readonly quantizations: WeakMap<object, Promise<Quantization>>;
  /** 32 hex digits, derived from the checkpoint: whoever encodes it writes the same bytes. */
  readonly packageId: string;
  /** Of this try alone: one that has lost its claim cannot touch what another commits. */
  readonly packageKey: string;
  /** Scratch files of this try alone. */
  readonly directory: string;
  readonly signal: AbortSignal;
  /** Tells whoever uploaded the checkpoint, in a sentence; saying it twice is saying it once. */
  readonly warn: (sentence: string) => void;
}

/** The options most calls of the room take. */
export function pace({ ctx, signal }: Pick<EncodeAttempt, 'ctx' | 'signal'>): { readonly parallel: number; readonly signal: AbortSignal } {
  return { parallel: ctx.blockParallel, signal };
}

/** The config that came with the checkpoint or its run. */
export function givenConfig({ checkpoint, run }: Pick<EncodeAttempt, 'checkpoint' | 'run'>): QuantizationConfig | undefined {
  return checkpoint.fixedConfig ?? run.search.fixedConfig;
}

/** The method a checkpoint is quantized with. */
export function methodOf(attempt: Pick<EncodeAttempt, 'checkpoint' | 'run'>): QuantizationMethod {
  return givenConfig(attempt)?.method ?? attempt.run.search.method;
}
