import type { DeviceKind, EncodedOn } from '../../checkpoint/device-kind.ts';
import type { FirnErrorCode } from '../../checkpoint/firn-error.ts';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import type { MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import type { AsGoodAs } from '../../checkpoint/quality/as-good-as.ts';
import type { FinalQuality } from '../../checkpoint/quality/final-quality.ts';
import type { MetricLimit } from '../../checkpoint/quality/degradation-limits.ts';
import type { MetricValues, QualityThresholds } from '../../checkpoint/quality/quality.ts';
import type { Fidelity } from '../../checkpoint/role.ts';
import type { Page } from './page.ts';
import type { Run } from './run-records.ts';

/** open: files arriving. queued, working: acknowledged. ready, failed, cancelled: terminal. */
export const checkpointStates = ['open', 'queued', 'working', 'ready', 'failed', 'cancelled'] as const;
export type CheckpointState = (typeof checkpointStates)[number];
/** Orders of a list of checkpoints, by sequence. */
export const checkpointOrders = ['oldest', 'newest'] as const;
export type CheckpointOrder = (typeof checkpointOrders)[number];
/** Whether a package stands alone or needs its ancestor. */
export const packageKinds = ['base', 'delta'] as const;
export type PackageKind = (typeof packageKinds)[number];
export interface Checkpoint {
  readonly id: string;
  readonly runId: string;
  /** Order in the run, from 0, assigned at reservation. */
  readonly sequence: number;
  /** Unique among the run's checkpoints that are not deleted. */
  readonly step: number;
  /** 40 hex digits, set at commit. */
  readonly revision?: string;
  readonly state: CheckpointState;
  /** Set by the upload: use this config, do not search. */
  readonly fixedConfig?: QuantizationConfig;
  /** Set by the upload: tensor name to layer type; takes precedence over the run's. */
  readonly layerTypes?: Readonly<Record<string, LayerType>>;
  /** Set by the upload: values of metrics that the training job measured. */
  readonly expects?: MetricValues;
  /** Said with the upload, or when its run was closed: it is the last of its run, and kept so. */
  readonly final?: FinalQuality;
  /** The eval set of the checkpoint, fixed by the commit or by a retry; without `thresholds` the run's applies. */
  readonly evalSetId?: string;
  readonly thresholds?: QualityThresholds;
  /** Outcome of the encode; present when ready. */
  readonly result?: CheckpointResult;
  readonly errorCode?: FirnErrorCode;
  readonly errorMessage?: string;
  readonly packageId?: string;
  readonly cancelRequested: boolean;
  /** Set by DELETE; the bytes stay while others build on them. */
  readonly deletedAt?: Date;
  readonly createdAt: Date;
  readonly committedAt?: Date;
  readonly finishedAt?: Date;
}
/** A metric that no threshold bounds, before and after. */
export interface ObservedMetric {
  readonly kind: MetricKind;
  readonly baseline: number;
  readonly measured: number;
  readonly degradation: number;
}
export interface CheckpointResult {
  /** `exact` also when a lossy run found no config that passes. */
  readonly fidelity: Fidelity;
  readonly config?: QuantizationConfig;
  /** Why a checkpoint of a lossy run was stored exact, and other warnings, as sentences. */
  readonly warnings: readonly string[];
  readonly baseline?: MetricValues;
  /** What every metric was measured on; absent without an eval set, and in results from before it was kept: `cpu`. */
  readonly measuredOn?: DeviceKind;
  /** What compressed it; absent in results from before it was kept. */
  readonly encodedOn?: EncodedOn;
  /** Measured on the decoded bytes. */
  readonly measured?: MetricValues;
  readonly degradation?: MetricValues;
  /** What the thresholds came to, by bounded metric; absent in results from before it was kept. */
  readonly limits?: Readonly<Record<string, MetricLimit>>;
  /** How far training had come when the upload was as good as the rebuilt model; absent if that is not known. */
  readonly asGoodAs?: AsGoodAs;
  /** Metrics that the eval set does not request but that its outputs allow, by name. */
  readonly observed?: Readonly<Record<string, ObservedMetric>>;
  /** How eval set and checkpoint were interpreted, in sentences. */
  readonly understood?: readonly string[];
  readonly kind: PackageKind;
  /** What it is a delta to, in its own repository: who reads it may not be allowed to see another. */
  readonly ancestorStep?: number;
  readonly ancestorRun?: string;
  readonly chainLength: number;
  /** Files of role model and other as uploaded; sensitivities do not count. */
  readonly rawBytes: number;
  /**
   * What the files would take with four bytes for each floating-point value of the model, which bounds what a restore
   * reads; absent in results from before it was counted.
   */
  readonly fullBytes?: number;
  /**
   * Everything stored for the checkpoint: package with frame, raw objects that serve as storage, codec data in rows.
   */
  readonly storedBytes: number;
  readonly migration?: number;
  /** Root mean square error of the rounded weights of matrices, in quantization steps. */
  readonly roundingError?: number;
  /** Training resumed from the rebuilt ancestor. */
  readonly resumed?: boolean;
  readonly trialCount: number;
  /** Seconds by phase. */
  readonly seconds: Readonly<Record<string, number>>;
}
/** Number of checkpoints in each state. */
export type CheckpointCounts = Readonly<Record<CheckpointState, number>>;

/** What holds up the compression of a checkpoint: another one of its run that is not finished. */
export interface BlockingCheckpoint {
  readonly step: number;
  readonly state: 'open' | 'queued' | 'working';
  readonly createdAt: Date;
  /** Its last sign of life. */
  readonly touchedAt: Date;
}

export interface CheckpointRecords {
  /**
   * Takes the next sequence number. `step-exists` when a live checkpoint of the run has the step, `not-found` when
   * there is no such live run, `run-closed` when it is closed.
   */
  reserve(
    input: { runId: string; step: number } & Pick<Checkpoint, 'fixedConfig' | 'layerTypes' | 'expects' | 'final'>,
  ): Promise<Checkpoint>;
  find(runId: string, step: number): Promise<Checkpoint | undefined>;
  /** The run's live checkpoint with the largest sequence. */
  newest(runId: string): Promise<Checkpoint | undefined>;
  /**
   * Says that a checkpoint is the last of its run. Thresholds replace those that a commit fixed. `conflict` unless it
   * is open, queued or failed.
   */
  setFinal(id: string, final: FinalQuality): Promise<Checkpoint>;
  get(id: string): Promise<Checkpoint | undefined>;
  /** Live checkpoints of each run by state; a run without any is absent. */
  counts(runIds: readonly string[]): Promise<ReadonlyMap<string, CheckpointCounts>>;
  /**
   * The live checkpoint of the run that is compressed before this one: one that is being compressed, or else the first
   * unfinished one with a smaller sequence. Undefined if there is none.
   */
  blocking(checkpoint: Pick<Checkpoint, 'id' | 'runId' | 'sequence'>): Promise<BlockingCheckpoint | undefined>;
  /** Last signs of life of those of these checkpoints that are open, by id. */
  signsOfLife(ids: readonly string[]): Promise<ReadonlyMap<string, Date>>;
  /** Live checkpoints by sequence, the smallest first by default; `after` is a sequence number in decimal. */
  list(runId: string, page: Page, order?: CheckpointOrder): Promise<Checkpoint[]>;
  /**
   * The run's ready checkpoint with a package and the largest smaller sequence, which may become the ancestor of a
   * delta. Live or hidden, or only `live` ones.
   */
  previousReady(
    runId: string,
    beforeSequence: number,
    which?: { readonly live?: boolean },
  ): Promise<Checkpoint | undefined>;
  /** The run's newest live, ready checkpoint, with a package or without. */
  newestReady(runId: string): Promise<Checkpoint | undefined>;
  /**
   * The smallest step above all that the run is known to have had: of its live and hidden checkpoints, and of the tags
   * that hub commits gave its steps. 0 without any.
   */
  nextStep(runId: string): Promise<number>;
  /** The live checkpoint of a repository with this revision. */
  withRevision(repositoryId: string, revision: string): Promise<Checkpoint | undefined>;
  /**
   * The live, ready checkpoints of the run with a smaller sequence whose uploads were measured on an eval set: their
   * values, the newest first, at most `limit`.
   */
  measuredBefore(
    runId: string,
    beforeSequence: number,
    which: { readonly evalSetId: string; readonly limit: number },
  ): Promise<{ readonly step: number; readonly baseline: MetricValues }[]>;
  /**
   * For each other live run of the repository, its newest live, ready checkpoint with a package: newest first, at most
   * `limit`.
   */
  newestElsewhere(run: Pick<Run, 'id' | 'repositoryId'>, limit: number): Promise<Checkpoint[]>;
  /**
   * Moves along open -> queued -> working -> terminal, or any non-terminal -> cancelled/failed; working may be entered
   * again, or go back to queued (checkpoint-moves.ts). `conflict` when the state is not one of `from` or the move is
   * not one of these. Entering queued sets committedAt, and a terminal state finishedAt, unless `set` does. Webhooks
   * are told of ready and failed ones.
   */
  transition(
    id: string,
    from: readonly CheckpointState[],
    to: CheckpointState,
    set?: Partial<
      Pick<
        Checkpoint,
        | 'revision'
        | 'result'
        | 'errorCode'
        | 'errorMessage'
        | 'packageId'
        | 'committedAt'
        | 'finishedAt'
        | 'evalSetId'
        | 'thresholds'
      >
    >,
  ): Promise<Checkpoint>;
  /**
   * Puts a live, failed checkpoint back into the queue with the given eval set and thresholds, and removes its error
   * and trials. `conflict` when it is not failed, or hidden. Call `JobRecords.restart` in the same transaction.
   */
  retry(
    id: string,
    evaluation: { readonly evalSetId?: string | undefined; readonly thresholds: QualityThresholds },
  ): Promise<Checkpoint>;
  /** Whether a queued, working or ready checkpoint of the run was committed with the eval set. */
  anyMeasuredWith(runId: string, evalSetId: string): Promise<boolean>;
  /** Whether the run has a live, ready checkpoint with a larger sequence. */
  hasNewerReady(runId: string, sequence: number): Promise<boolean>;
  /** Does nothing if the checkpoint is terminal. */
  requestCancel(id: string): Promise<void>;
  /**
   * Removes an open checkpoint with its files and uploads; marks their objects and returns the keys. `conflict` when it
   * is not open, or has given a sign of life since `untouchedSince`.
   */
  discard(id: string, condition?: { readonly untouchedSince: Date }): Promise<string[]>;
  /**
   * Sets deletedAt and deletes the checkpoint's uploads and references. Marks the pieces, and the raw objects of hidden
   * checkpoints that no reference needs. Returns the keys.
   */
  hide(id: string): Promise<string[]>;
  /**
   * Removes a terminal checkpoint that nothing builds on, with its files, trials and packages; marks their objects and
   * returns the keys. `conflict` otherwise.
   */
  purge(id: string): Promise<string[]>;
  /** Open checkpoints without a sign of life since `before` and without an arriving body; for expiry. */
  staleOpen(before: Date, limit: number): Promise<Checkpoint[]>;
  /**
   * Whether a live or hidden checkpoint's package, another checkpoint's reference, or a run's fork point builds on this
   * one.
   */
  hasDependents(id: string): Promise<boolean>;
  /** Open, queued and working checkpoints of the run, by sequence; at most `limit`. */
  unfinished(runId: string, limit: number): Promise<Checkpoint[]>;
  /** Ids of hidden checkpoints without dependents, at most `limit`; purging them may make others reclaimable. */
  reclaimable(limit: number): Promise<string[]>;
  count(): Promise<Readonly<Record<CheckpointState, number>>>;
}
