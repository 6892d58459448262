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
  /** How a tensor of the model is coded; undefined for one that it leaves exact. */
  readonly codingOf: WeightCoding;
  /** How its ancestors are chosen. */
  readonly ancestry: Ancestry;
  /** Most trials of one checkpoint over all its searches; absent: those the run allows. */
  readonly trialsMost?: number;
  /**
   * What enters the matrices, measured on the uploaded weights; absent where the method has no use for it. Rejects with
   * `cancelled` alone.
   */
  readonly measureInputs?: (request: GramMatricesRequest) => Promise<GramMatrices | undefined>;
  /** How optimizer files are coded; absent: as the run says. Rejects with the errors of catalog, store and core. */
  readonly optimizerState?: (choice: StateChoice) => Promise<StateOptions | undefined>;
  /** Gets ready for one checkpoint. */
  readonly begin: (work: MethodWork) => MethodSession;
}

/** How a method's ancestors are chosen. */
export type Ancestry =
  /** The nearest checkpoint that shares blocks. */
  | { readonly kind: 'nearest' }
  /**
   * By estimated bytes and by what a restore reads, inside the restore budget (docs/decisions/0015-restore-budget.md):
   * quality is measured with the ancestor.
   */
  | {
      readonly kind: 'budgeted';
      /**
       * Whether a config found is finer than the one that ancestors were compared with, so that they are compared
       * again.
       */
      readonly isFiner: (found: QuantizationConfig, last: QuantizationConfig | undefined) => boolean;
    }
  /** By the method's own rule. */
  | { readonly kind: 'own'; readonly choose: (choice: AncestryChoice) => readonly AncestorCandidate[] };

export interface AncestryChoice {
  /** Ready checkpoints before this one, nearest first: of its run, then those its run was forked from. */
  readonly candidates: readonly AncestorCandidate[];
  readonly checkpoint: Pick<Checkpoint, 'sequence'>;
  /** The config that is given, or the method's own where nothing is searched. */
  readonly config: QuantizationConfig | undefined;
}

/** What a checkpoint's session takes. */
export interface MethodWork {
  readonly source: ModelSource;
  readonly core: NativeCore;
  readonly run: Pick<Run, 'search' | 'seed'>;
  readonly checkpoint: Pick<Checkpoint, 'sequence'>;
  /** The config that came with the checkpoint or its run. */
  readonly given: QuantizationConfig | undefined;
  /** Most bytes kept between passes over the model. */
  readonly cacheMaxBytes: number;
  /** Blocks in work at once. */
  readonly parallel: number;
  readonly signal: AbortSignal;
  /** Tells whoever uploaded the checkpoint, in a sentence; saying it twice is saying it once. */
  readonly warn: (sentence: string) => void;
}

/** One checkpoint under a method: keeps what one pass over the model finds for the next. */
export interface MethodSession {
  /** The method set up behind an ancestor, or for a base. Rejects with the errors of source and core. */
  quantization(basis: QuantizationBasis): Promise<Quantization>;
  /**
   * How far the weights are from what the ancestor rebuilds, as Resumption takes it; undefined where they cannot be
   * compared. Absent for a method to which it makes no difference whether training was resumed from rebuilt weights.
   */
  drift?(plan: CodingPlan, ancestor: Ancestor): Promise<number | undefined>;
  /** Gives memory back. */
  close(): void;
}

/** What one checkpoint is quantized behind. */
export interface QuantizationBasis {
  readonly model: QuantizableModel;
  readonly ancestor: Ancestor | undefined;
  /** Ready checkpoints before this one, nearest first. */
  readonly candidates: readonly AncestorCandidate[];
  /** Undefined where it makes no difference. */
  readonly resumption: Resumption | undefined;
}

export interface QuantizableModel {
  readonly plan: CodingPlan;
  /** Of methods that measure inputs, where an eval set tells what enters the matrices. */
  readonly gramMatrices?: GramMatrices;
}

/** What a method decides the coding of optimizer files by. */
export interface StateChoice extends Pick<
  MethodWork,
  'source' | 'core' | 'checkpoint' | 'parallel' | 'signal' | 'warn'
> {
  /** As the run says. */
  readonly state: StateOptions | undefined;
  /** The config that is given, or the method's own where nothing is searched. */
  readonly config: QuantizationConfig | undefined;
  /** Ready checkpoints before this one, nearest first. */
  readonly candidates: readonly AncestorCandidate[];
  /** Opens them. */
  readonly ancestors: Ancestors;
}
