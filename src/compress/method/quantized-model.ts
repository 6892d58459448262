import type { MethodConditions } from '../../search/trial-conditions.ts';
import type { FoundConfig, TrialRunner } from '../../search/trial-runner.ts';
import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import type { BlockPlace } from '../../package/blocks/block-plan.ts';
import type { FormatVersion, PackageCodebook, ResidualCoding } from '../../package/package-index.ts';
import type { BlockMemory } from '../../restore/block-memory.ts';
import type { ResidualTensor } from '../../package/residual-tensor.ts';
import type { Ancestor } from '../ancestor/ancestor.ts';

export interface EncodingOptions {
  /** Blocks worked on at once. */
  readonly parallel: number;
  /** By file number: left out of the package. */
  readonly external?: ReadonlySet<number>;
  readonly signal?: AbortSignal;
}

export interface QuantizationNotes {
  /** Training was resumed from what the ancestor rebuilds. */
  readonly resumed?: boolean | undefined;
  /** Root mean square of what rounding leaves of the weights of matrices, in steps. */
  readonly roundingError?: number | undefined;
}

/** One way of quantizing, ready for one checkpoint and its ancestor. */
export interface Quantization {
  quantize(config: QuantizationConfig): Promise<QuantizedModel>;
  /** Bytes of the quantized part under a config. What is the same for every config may be left out. */
  estimateBytes(config: QuantizationConfig, options: EncodingOptions): Promise<number>;
  /**
   * The same where a comparison is all it is for: from a sample of a large model's blocks. Absent where estimates are
   * from samples anyway.
   */
  roughBytes?(config: QuantizationConfig, options: EncodingOptions): Promise<number>;
  /** The config of fewest bytes that passes; undefined when none does. */
  search(runner: TrialRunner): Promise<FoundConfig | undefined>;
  /** What quality depends on beside the config: trials under other conditions say nothing of it. */
  readonly conditions: MethodConditions;
  /** What is to be known of the checkpoint under the config it is stored with; absent where a method tells nothing. */
  describe?(config: QuantizationConfig, options: EncodingOptions): Promise<QuantizationNotes>;
}

/** A checkpoint under one config: how its quantized blocks come back, and how they are stored. */
export interface QuantizedModel {
  /**
   * Largest squared error of a tensor, in that of the run's bound on weights; more than 1 does not pass, whatever the
   * metrics say. Absent without a bound.
   */
  readonly weightExcess?: number | undefined;
  /**
   * A quantized block's elements as a download will give them, in the tensors' dtype; they may lie in memory taken from
   * `memory`.
   */
  elements(at: BlockPlace, signal?: AbortSignal, memory?: BlockMemory): Promise<Uint8Array>;
  /** Prepares storing: a pass over the model for tables. */
  encoding(ancestor: Ancestor | undefined, options: EncodingOptions): Promise<PackageEncoding>;
}

/** What goes into a package for the quantized blocks. */
export interface PackageEncoding {
  readonly formatVersion: FormatVersion;
  /** What the package builds on: the ancestor given, or none where that is smaller. */
  readonly ancestor: Ancestor | undefined;
  /** Share of compared weights that changed; undefined when nothing was compared. */
  readonly migration: number | undefined;
  readonly codebooks: readonly PackageCodebook[];
  readonly tableSets: readonly Uint8Array[];
  readonly residual?: ResidualCoding;
  /** By file number, by tensor number. */
  readonly residualTensors?: readonly ReadonlyMap<number, ResidualTensor>[];
  payload(at: BlockPlace, signal?: AbortSignal): Promise<Uint8Array>;
}
