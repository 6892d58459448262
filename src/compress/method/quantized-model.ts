import type { MethodConditions } from '../../search/trial-conditions.ts';
import type { FoundConfig, TrialRunner } from '../../search/trial-runner.ts';
import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import type { BlockPlace } from '../../package/blocks/block-plan.ts';
import type { FormatVersion, PackageCodebook, ResidualCoding } from '../../package/package-index.ts';
import type { BlockMemory } from '../../restore/block-memory.ts';
import type { ResidualTensor } from '../../package/residual-tensor.ts';
import type { Ancestor } from '../ancestor/ancestor.ts';
import type { StoredPackage } from '../ancestor/state-names.ts';

export interface EncodingOptions {
  /** Blocks worked on at once. */
  readonly parallel: number;
  /** By file number: left out of the package. */
  readonly external?: ReadonlySet<number>;
  readonly signal?: AbortSignal;
}

export interface QuantizationNotes {
  /** Training was resumed from the rebuilt ancestor. */
  readonly resumed?: boolean | undefined;
  /** Root mean square of the matrices' rounding errors, in steps. */
  readonly roundingError?: number | undefined;
}

/** A method, set up for one checkpoint and its ancestor. */
export interface Quantization {
  quantize(config: QuantizationConfig): Promise<QuantizedModel>;
  /** Bytes of the quantized part under a config. Parts that are the same for every config may be left out. */
  estimateBytes(config: QuantizationConfig, options: EncodingOptions): Promise<number>;
  /**
   * A rougher estimate for comparisons only, from a sample of a large model's blocks. Absent if estimates use samples
   * anyway.
   */
  roughBytes?(config: QuantizationConfig, options: EncodingOptions): Promise<number>;
  /**
   * Rough bytes of the quantized part under the coarsest config that a search may be expected to find; absent if the
   * method does not choose between ancestors by bytes.
   */
  leastBytes?(): Promise<number>;
  /** The config of fewest bytes that passes; undefined when none does. */
  search(runner: TrialRunner): Promise<FoundConfig | undefined>;
  /** Conditions besides the config that quality depends on: trials under other conditions cannot be reused. */
  readonly conditions: MethodConditions;
  /** Notes on the checkpoint under its final config; absent if a method has none. */
  describe?(config: QuantizationConfig, options: EncodingOptions): Promise<QuantizationNotes>;
}

/** A checkpoint under one config: how its quantized blocks are rebuilt, and how they are stored. */
export interface QuantizedModel {
  /**
   * Largest squared error of a tensor, relative to the run's bound on weights; a model with more than 1 does not pass,
   * whatever the metrics say. Absent without a bound.
   */
  readonly weightExcess?: number | undefined;
  /**
   * A quantized block's elements as a download will return them, in the tensors' dtype; they may use memory taken from
   * `memory`.
   */
  elements(at: BlockPlace, signal?: AbortSignal, memory?: BlockMemory): Promise<Uint8Array>;
  /** Prepares storing with a pass over the model for tables. */
  encoding(ancestor: Ancestor | undefined, options: EncodingOptions): Promise<PackageEncoding>;
}

/** Contents of a package for the quantized blocks. */
export interface PackageEncoding {
  readonly formatVersion: FormatVersion;
  /** The given ancestor, or none if a base is smaller. */
  readonly ancestor: Ancestor | undefined;
  /** Share of compared weights that changed; undefined when nothing was compared. */
  readonly migration: number | undefined;
  readonly codebooks: readonly PackageCodebook[];
  readonly tableSets: readonly Uint8Array[];
  readonly residual?: ResidualCoding;
  /** By file number, by tensor number. */
  readonly residualTensors?: readonly ReadonlyMap<number, ResidualTensor>[];
  payload(at: BlockPlace, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * Keeps on a device, for the next checkpoint, what this package leaves behind; absent without any. For a package that
   * was stored and verified, before the session is closed.
   */
  readonly keepStates?: ((stored: StoredPackage) => void) | undefined;
}
