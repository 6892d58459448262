import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { QuantizationConfig, QuantizationMethod } from '../../checkpoint/options/quantization-config.ts';
import type { StateOptions } from '../../checkpoint/options/state-options.ts';
import type { NativeCore } from '../../native/core.ts';
import type { Ancestor } from '../ancestor/ancestor.ts';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';
import type { Ancestors } from '../ancestor/open-ancestor.ts';
import type { Resumption } from '../ancestor/resumed-training.ts';
import type { CodingPlan, WeightCoding } from '../plan/plan-codings.ts';
import type { ModelSource } from '../upload/model-source.ts';
import type { GramMatricesRequest, GramMatrices } from './gram-matrices.ts';
import type { Quantization } from './quantized-model.ts';

/**
 * A way of compressing model weights, as compress/ sees it; all-methods.ts lists them. The method's config is described
 * in checkpoint/options/methods, its codings in package/codings, their decoders in restore/chain/decoders.
 */
export interface Method {
  readonly name: QuantizationMethod;
  /** Coding of a tensor of the model; undefined if the method leaves it exact. */
  readonly codingOf: WeightCoding;
  /** Rule by which ancestors are chosen. */
  readonly ancestry: Ancestry;
  /** Most trials of one checkpoint over all its searches; absent: those that the run allows. */
  readonly trialsMost?: number;
  /**
   * Whether the package follows from uploads, settings and earlier checkpoints alone: the same in another run give the
   * same bytes.
   */
  readonly isRepeatable?: true;
  /** Most trials at once; absent: as many as there may be evaluations. */
  readonly trialsAtOnce?: number;
  /**
   * Measures the inputs of the matrices on the uploaded weights; absent if the method has no use for them. Rejects only
   * with `cancelled`.
   */
  readonly measureInputs?: (request: GramMatricesRequest) => Promise<GramMatrices | undefined>;
  /** Coding of optimizer files; absent: the run's options apply. Rejects with the errors of catalog, store and core. */
  readonly optimizerState?: (choice: StateChoice) => Promise<StateOptions | undefined>;
  /** Begins the session of one checkpoint. */
  readonly begin: (work: MethodWork) => MethodSession;
}

/** Rule by which a method's ancestors are chosen. */
export type Ancestry =
  /**
   * The nearest checkpoint that shares blocks. `reusesBase`: whether a delta to a checkpoint that lies far back has the
   * quality of one to the nearest, so that unmoved tensors can be taken from the base of a full chain.
   */
  | { readonly kind: 'nearest'; readonly reusesBase?: true }
  /**
   * By estimated bytes and by the bytes that a restore reads, inside the restore budget
   * (docs/decisions/0015-restore-budget.md). The method's quality depends on the ancestor.
   */
  | {
      readonly kind: 'budgeted';
      /** Whether the config found is finer than the one used to compare ancestors, so that they are compared again. */
      readonly isFiner: (found: QuantizationConfig, last: QuantizationConfig | undefined) => boolean;
    }
  /** By the method's own rule. */
  | { readonly kind: 'own'; readonly choose: (choice: AncestryChoice) => readonly AncestorCandidate[] };

export interface AncestryChoice {
  /** Ready checkpoints before this one, nearest first: those of its run, then those of the runs it was forked from. */
  readonly candidates: readonly AncestorCandidate[];
  readonly checkpoint: Pick<Checkpoint, 'sequence'>;
  /** The given config, or the method's own if there is no search. */
  readonly config: QuantizationConfig | undefined;
}

/** Inputs of a checkpoint's session. */
export interface MethodWork {
  readonly source: ModelSource;
  readonly core: NativeCore;
  readonly run: Pick<Run, 'search' | 'seed'>;
  readonly checkpoint: Pick<Checkpoint, 'sequence'>;
  /** The config that came with the checkpoint or its run. */
  readonly given: QuantizationConfig | undefined;
  /** Most bytes cached between passes over the model. */
  readonly cacheMaxBytes: number;
  /** Blocks in work at once. */
  readonly parallel: number;
  readonly signal: AbortSignal;
  /** Records a sentence for the person who uploaded the checkpoint; duplicates count once. */
  readonly warn: (sentence: string) => void;
}

/** One checkpoint under a method; caches findings of one pass over the model for the next. */
export interface MethodSession {
  /** The method, set up for an ancestor or for a base. Rejects with the errors of source and core. */
  quantization(basis: QuantizationBasis): Promise<Quantization>;
  /**
   * Distance of the weights from the rebuilt ancestor, as {@link Resumption} defines it; undefined if they cannot be
   * compared. Absent if the method works the same way whether or not training was resumed from rebuilt weights.
   */
  drift?(plan: CodingPlan, ancestor: Ancestor): Promise<number | undefined>;
  /** Frees memory. */
  close(): void;
}

/** Circumstances under which one checkpoint is quantized. */
export interface QuantizationBasis {
  readonly model: QuantizableModel;
  readonly ancestor: Ancestor | undefined;
  /** Ready checkpoints before this one, nearest first. */
  readonly candidates: readonly AncestorCandidate[];
  /** Undefined if it makes no difference. */
  readonly resumption: Resumption | undefined;
}

export interface QuantizableModel {
  readonly plan: CodingPlan;
  /** For methods that measure inputs, if an eval set provides them. */
  readonly gramMatrices?: GramMatrices;
}

/** Inputs of a method's decision on the coding of optimizer files. */
export interface StateChoice extends Pick<
  MethodWork,
  'source' | 'core' | 'checkpoint' | 'parallel' | 'signal' | 'warn'
> {
  /** Options of the run. */
  readonly state: StateOptions | undefined;
  /** The given config, or the method's own if there is no search. */
  readonly config: QuantizationConfig | undefined;
  /** Ready checkpoints before this one, nearest first. */
  readonly candidates: readonly AncestorCandidate[];
  /** Opens them. */
  readonly ancestors: Ancestors;
}
