import type { Dtype } from '../../checkpoint/dtype.ts';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import type { FirnErrorCode } from '../../checkpoint/firn-error.ts';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import type { MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import type { MetricValues, QualityThresholds } from '../../checkpoint/quality/quality.ts';
import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import type { Fidelity, FileRole } from '../../checkpoint/role.ts';
import type { StateOptions } from '../../checkpoint/options/state-options.ts';
import type { SearchOptions } from '../../checkpoint/options/search-options.ts';
import type { GarbageRecords } from './garbage-records.ts';
import type { DamageRecords, ObjectRecords } from './integrity-records.ts';
import type { LocationRecords } from './location-records.ts';
import type { ProcessRecords } from './process-records.ts';
import type { TokenRecords } from './token-records.ts';
import type { UploadRecords } from './upload-records.ts';
import type { UsageRecords } from './usage-records.ts';

/**
 * Metadata. Every verb is one statement or one transaction; verbs that must be atomic together run inside `transaction` and are called on the
 * `Catalog` it passes (never on the outer one: on PGlite that is refused as `internal`, for it could only wait for itself). A transaction inside one
 * joins it. `work` may run again from its beginning, where the database had to undo it, so it keeps its effects in the catalog. A verb that rejects with `conflict`, `not-found` or `step-exists` leaves the transaction usable. Failures of the database are FirnError
 * `overloaded`, `storage-full` or `internal`, a value it cannot hold is `invalid-request`, a broken reference `conflict`; SQL never leaves the room.
 */
export interface Catalog {
  transaction<T>(work: (tx: Catalog) => Promise<T>): Promise<T>;
  readonly repositories: RepositoryRecords;
  readonly evalSets: EvalSetRecords;
  readonly runs: RunRecords;
  readonly checkpoints: CheckpointRecords;
  readonly files: FileRecords;
  readonly locations: LocationRecords;
  readonly packages: PackageRecords;
  readonly trials: TrialRecords;
  readonly jobs: JobRecords;
  readonly idempotency: IdempotencyRecords;
  readonly tokens: TokenRecords;
  readonly arrivals: ArrivalRecords;
  readonly uploads: UploadRecords;
  readonly chores: ChoreRecords;
  readonly processes: ProcessRecords;
  readonly objects: ObjectRecords;
  readonly garbage: GarbageRecords;
  readonly damage: DamageRecords;
  readonly usage: UsageRecords;
  /** The database's clock, which times in records are of: those of the processes may differ. */
  now(): Promise<Date>;
  /** One trivial query; for readiness. */
  probe(): Promise<void>;
  /** Connections to the database: in use, waited for, and at most; for metrics. */
  connections(): { readonly inUse: number; readonly waiting: number; readonly max: number };
  /** Vacuums and counts again where the database does not do so by itself (PGlite): a tenth of a second, now and then. Not inside a transaction. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/** `limit` from 1 to `pageLimitMax` (page-limit.ts), else `invalid-request`; `after` is the last item's token, exclusive. */
export interface Page {
  readonly limit: number;
  readonly after?: string;
}

// ---- repositories ----
export const repositoryTypes = ['model', 'dataset', 'space'] as const;
export type RepositoryType = (typeof repositoryTypes)[number];
export interface Repository {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly type: RepositoryType;
  /** Whether it can be read without a token. */
  readonly visibility: Visibility;
  readonly createdAt: Date;
}
export const visibilities = ['private', 'public'] as const;
export type Visibility = (typeof visibilities)[number];
/** Those listed: all, or what is public and these. */
export type VisibleRepositories =
  'all' | { readonly namespaces: readonly string[]; readonly repositories: readonly { readonly namespace: string; readonly name: string }[] };
export interface RepositoryRecords {
  /** `conflict` when it exists. Private unless told otherwise. */
  create(input: { namespace: string; name: string; type: RepositoryType; visibility?: Visibility }): Promise<Repository>;
  find(namespace: string, name: string): Promise<Repository | undefined>;
  get(id: string): Promise<Repository | undefined>;
  /** By namespace and name; `after` is `namespace/name`. */
  list(page: Page, visible?: VisibleRepositories): Promise<Repository[]>;
  /** `not-found`. */
  setVisibility(id: string, visibility: Visibility): Promise<Repository>;
}

// ---- eval sets ----
export type EvalSetState = 'open' | 'ready' | 'failed';
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
  /** Only while `open`; `conflict` otherwise. Condemns the object it replaces, if any, and returns its key. */
  setPart(id: string, part: EvalSetPart, object: EvalSetObject): Promise<string | undefined>;
  /** Closes an open one; `conflict` when it is closed another way already. */
  setState(id: string, state: Exclude<EvalSetState, 'open'>, error?: { code: FirnErrorCode; message: string }): Promise<void>;
  /**
   * `conflict`, saying what uses it, while a live run does, or a checkpoint that is to be measured with it: one that is queued or working, or a live one that failed
   * and can be tried again. Others forget it. Condemns the objects it held and returns their keys.
   */
  delete(id: string): Promise<string[]>;
}

// ---- runs ----
export interface Run {
  readonly id: string;
  readonly repositoryId: string;
  readonly name: string;
  readonly fidelity: Fidelity;
  readonly evalSetId?: string;
  readonly thresholds: QualityThresholds;
  readonly search: SearchOptions;
  /** How optimizer files are kept; exact when absent. */
  readonly state?: StateOptions;
  /** Unsigned 64-bit, decimal: the seed of every codebook of the run. A fork inherits its parent's. */
  readonly seed: string;
  /** The checkpoint this run was forked from; its first delta is against it. */
  readonly parentCheckpointId?: string;
  /** Tensor name to layer type, overriding what graph, shapes and names say. */
  readonly layerTypes: Readonly<Record<string, LayerType>>;
  /** Initializer binding found by equal bytes at an earlier checkpoint, kept for the later ones. */
  readonly binding?: Readonly<Record<string, { tensor: string; transpose: boolean }>>;
  /** The eval set whose graph the binding is of; it holds for no other. */
  readonly bindingEvalSetId?: string;
  readonly createdAt: Date;
  /** Hidden by DELETE; kept while checkpoints of it are. */
  readonly deletedAt?: Date;
}
export interface RunRecords {
  create(input: Omit<Run, 'id' | 'createdAt' | 'deletedAt' | 'binding' | 'bindingEvalSetId'>): Promise<Run>;
  /** A live one. */
  find(repositoryId: string, name: string): Promise<Run | undefined>;
  /** Live or hidden. */
  get(id: string): Promise<Run | undefined>;
  /** Live ones by name; `after` is a name. */
  list(repositoryId: string, page: Page): Promise<Run[]>;
  /** Keeps the binding of an eval set with the run; one of another eval set never takes the place of one of the run's own. `not-found`. */
  setBinding(id: string, evalSetId: string, binding: NonNullable<Run['binding']>): Promise<void>;
  /** What checkpoints committed from now on are measured with. `not-found` when there is no such live run. */
  setEvaluation(id: string, evaluation: Pick<Run, 'evalSetId' | 'thresholds'>): Promise<Run>;
  /** The layout set last, undefined when none was; nothing is locked. */
  layoutOf(id: string): Promise<RunLayout | undefined>;
  /** Locks the row of a live run until the transaction ends; `not-found`. */
  lock(id: string): Promise<void>;
  /** The layout set last, undefined when none was. Locks the run's row until the transaction ends, so that commits of a run follow each other. */
  lockLayout(id: string): Promise<RunLayout | undefined>;
  setLayout(id: string, layout: RunLayout): Promise<void>;
  /**
   * Hides the run with all its checkpoints and frees its name and its eval set; no checkpoint can be reserved in it any more. Condemns raw objects and
   * forgets references as `CheckpointRecords.hide` and returns the keys. `conflict` while one is open, queued or working, `not-found` when it is hidden already.
   */
  hide(id: string): Promise<string[]>;
  /** Removes hidden runs without checkpoints; returns how many. What they were forked from may be needed no longer then. */
  purgeHidden(): Promise<number>;
}
/** The model tensors that every checkpoint of a run has, sorted by name. Not part of `Run`: it is large (jsonb) and read at commits only. */
export type RunLayout = readonly { readonly name: string; readonly dtype: Dtype; readonly shape: readonly number[] }[];

// ---- checkpoints ----
/** open: files arriving. queued, working: acknowledged. ready, failed, cancelled: terminal. */
export const checkpointStates = ['open', 'queued', 'working', 'ready', 'failed', 'cancelled'] as const;
export type CheckpointState = (typeof checkpointStates)[number];
export interface Checkpoint {
  readonly id: string;
  readonly runId: string;
  /** Order in the run, from 0, given at reservation. */
  readonly sequence: number;
  /** Unique in the run among checkpoints that are not deleted. */
  readonly step: number;
  /** 40 hex digits, set at commit. */
  readonly revision?: string;
  readonly state: CheckpointState;
  /** Set by the upload: use this config, do not search. */
  readonly fixedConfig?: QuantizationConfig;
  /** Set by the upload: tensor name to layer type; each entry wins over the run's. */
  readonly layerTypes?: Readonly<Record<string, LayerType>>;
  /** Set by the upload: metric to what the training job measured. */
  readonly expects?: MetricValues;
  /** What it is measured with, fixed by the commit or by a retry; without `thresholds` it is what its run has. */
  readonly evalSetId?: string;
  readonly thresholds?: QualityThresholds;
  /** What the encode found; present when ready. */
  readonly result?: CheckpointResult;
  readonly errorCode?: FirnErrorCode;
  readonly errorMessage?: string;
  readonly packageId?: string;
  readonly cancelRequested: boolean;
  /** Hidden by DELETE; its bytes stay while others build on it. */
  readonly deletedAt?: Date;
  readonly createdAt: Date;
  readonly committedAt?: Date;
  readonly finishedAt?: Date;
}
/** A metric that no threshold may bound, before and after. */
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
  /** Why a lossy run's checkpoint was stored exact, and other things worth knowing, as sentences. */
  readonly warnings: readonly string[];
  readonly baseline?: MetricValues;
  /** On the decoded bytes. */
  readonly measured?: MetricValues;
  readonly degradation?: MetricValues;
  /** Metrics that nobody asked for and that the same outputs tell, by name. */
  readonly observed?: Readonly<Record<string, ObservedMetric>>;
  /** How eval set and checkpoint were read, in sentences. */
  readonly understood?: readonly string[];
  readonly kind: 'base' | 'delta';
  readonly ancestorStep?: number;
  readonly ancestorRun?: string;
  readonly chainLength: number;
  /** Files of role model and other as uploaded; sensitivity not counted. */
  readonly rawBytes: number;
  /** Everything kept for the checkpoint: package with frame, raw objects that serve as storage, codec data in rows. */
  readonly storedBytes: number;
  readonly migration?: number;
  /** Root mean square of what rounding left of the weights of matrices, in steps. */
  readonly roundingError?: number;
  /** Training was found to have been resumed from what the ancestor rebuilds. */
  readonly resumed?: boolean;
  readonly trialCount: number;
  /** Seconds by phase. */
  readonly seconds: Readonly<Record<string, number>>;
}
export interface CheckpointRecords {
  /** Next sequence number; `step-exists` when a live checkpoint of the run has the step, `not-found` when there is no such live run. */
  reserve(input: { runId: string; step: number } & Pick<Checkpoint, 'fixedConfig' | 'layerTypes' | 'expects'>): Promise<Checkpoint>;
  find(runId: string, step: number): Promise<Checkpoint | undefined>;
  get(id: string): Promise<Checkpoint | undefined>;
  /** Live checkpoints by sequence; `after` is a sequence number in decimal. */
  list(runId: string, page: Page): Promise<Checkpoint[]>;
  /** The checkpoint of the run with the largest sequence below, state ready and a package; the ancestor of a delta. Live or hidden, or `live` alone. */
  previousReady(runId: string, beforeSequence: number, which?: { readonly live?: boolean }): Promise<Checkpoint | undefined>;
  /** The newest live, ready checkpoint with a package of each other live run of the run's repository: of the newest runs that have one, newest first, at most `limit`. */
  newestElsewhere(run: Pick<Run, 'id' | 'repositoryId'>, limit: number): Promise<Checkpoint[]>;
  /**
   * Moves along open -> queued -> working -> terminal, or any non-terminal -> cancelled/failed; working may be entered again, or go back to queued
   * (checkpoint-moves.ts). `conflict` when the state is not one of `from` or the move is not one of these. Entering queued sets
   * committedAt, and a terminal state finishedAt, unless `set` does.
   */
  transition(
    id: string,
    from: readonly CheckpointState[],
    to: CheckpointState,
    set?: Partial<
      Pick<Checkpoint, 'revision' | 'result' | 'errorCode' | 'errorMessage' | 'packageId' | 'committedAt' | 'finishedAt' | 'evalSetId' | 'thresholds'>
    >,
  ): Promise<Checkpoint>;
  /**
   * Puts a live, failed checkpoint back into the queue, without its error and the trials recorded for it, to be measured with what is given. `conflict` when it is not failed, or hidden. Its job is
   * another verb of the same transaction (`JobRecords.restart`).
   */
  retry(id: string, evaluation: { readonly evalSetId?: string | undefined; readonly thresholds: QualityThresholds }): Promise<Checkpoint>;
  /** Whether a queued, working or ready checkpoint of the run was committed with the eval set. */
  anyMeasuredWith(runId: string, evalSetId: string): Promise<boolean>;
  /** Whether the run has a live, ready checkpoint with a larger sequence. */
  hasNewerReady(runId: string, sequence: number): Promise<boolean>;
  /** Nothing happens when it is terminal. */
  requestCancel(id: string): Promise<void>;
  /** Removes an open checkpoint with its files and uploads; condemns their objects and returns the keys. `conflict` when it is not open, or has shown a sign of life since `untouchedSince`. */
  discard(id: string, condition?: { readonly untouchedSince: Date }): Promise<string[]>;
  /** Sets deletedAt, forgets its uploads and its references, condemns their pieces and those raw objects of hidden checkpoints that no reference needs, and returns the keys. */
  hide(id: string): Promise<string[]>;
  /** Removes a terminal checkpoint that nothing builds on, with its files, trials and packages; condemns their objects and returns the keys. `conflict` otherwise. */
  purge(id: string): Promise<string[]>;
  /** Open checkpoints with no progress since, and no body arriving; for expiry. */
  staleOpen(before: Date, limit: number): Promise<Checkpoint[]>;
  /** True when a live or hidden checkpoint's package, another checkpoint's reference, or a run's fork point, builds on this one. */
  hasDependents(id: string): Promise<boolean>;
  /** Those of the run that are open, queued or working, by sequence; at most `limit`. */
  unfinished(runId: string, limit: number): Promise<Checkpoint[]>;
  /** Ids of hidden checkpoints without dependents, at most `limit`; purging them may leave more. */
  reclaimable(limit: number): Promise<string[]>;
  count(): Promise<Readonly<Record<CheckpointState, number>>>;
}

// ---- files ----
/** package: in the checkpoint's package. raw: the uploaded object itself. reference: the bytes of another file of the repository. */
export const fileStorages = ['package', 'raw', 'reference'] as const;
export type FileStorage = (typeof fileStorages)[number];
export interface CheckpointFile {
  readonly id: string;
  readonly checkpointId: string;
  readonly path: string;
  readonly role: FileRole;
  /** Announced at reservation, or found on arrival. */
  readonly sizeBytes?: number;
  /** Of the uploaded bytes; announced or found. */
  readonly sha256?: string;
  /** Git blob id of files up to 1 MiB. */
  readonly gitSha1?: string;
  /** The uploaded bytes, while they are kept. */
  readonly rawKey?: string;
  readonly rawStoredBytes?: number;
  readonly received: boolean;
  /** Where the bytes are that a download returns once ready. */
  readonly storage?: FileStorage;
  /** Of a reference: the file that holds the bytes, which is none itself. */
  readonly originId?: string;
  /** Digest and size of what a download returns once ready. */
  readonly resultSha256?: string;
  readonly resultBytes?: number;
}
/** What a download returns of a file, as recorded when its checkpoint becomes ready. */
export interface FileResultRecord {
  readonly path: string;
  readonly storage: FileStorage;
  /** Given exactly for a reference. */
  readonly originId?: string;
  readonly resultSha256: string;
  readonly resultBytes: number;
}
export interface FileRecords {
  /** `conflict` when the checkpoint is not open or has the path already; `invalid-request` when a path would be a folder of another. */
  announce(checkpointId: string, files: readonly { path: string; role: FileRole; sizeBytes?: number; sha256?: string }[]): Promise<CheckpointFile[]>;
  /**
   * Records an arrived body; adds the file when it was not announced. Condemns the object it replaces, if any, and returns its key. `conflict` when not open, `invalid-request`
   * when a path would be a folder of another.
   */
  receive(
    checkpointId: string,
    file: { path: string; role?: FileRole; sizeBytes: number; sha256: string; gitSha1?: string; rawKey: string; rawStoredBytes: number },
  ): Promise<string | undefined>;
  list(checkpointId: string): Promise<CheckpointFile[]>;
  find(checkpointId: string, path: string): Promise<CheckpointFile | undefined>;
  get(id: string): Promise<CheckpointFile | undefined>;
  /**
   * Files of live, ready checkpoints of a repository that hold the bytes of a download with one of these digests: at most one a digest, a raw object before a package and a
   * short chain before a long one. No references.
   */
  holding(repositoryId: string, digests: readonly string[]): Promise<CheckpointFile[]>;
  /** `conflict` when an origin does not hold its bytes any more, or is of another repository; what it holds then stays as long as the reference. */
  setResults(checkpointId: string, results: readonly FileResultRecord[]): Promise<void>;
  /** Condemns the raw objects of these files and returns their keys. `conflict` when one serves as storage. */
  releaseRaw(checkpointId: string, paths: readonly string[]): Promise<string[]>;
  /** Bytes of raw objects of checkpoints that are open, queued or working, and of uploads that are not complete: of one run (or eval set, which takes room as a run does), or in all. */
  stagedBytes(runId?: string): Promise<number>;
}

// ---- packages ----
export interface PackageRecord {
  /** 32 hex digits; also in the package itself. */
  readonly id: string;
  readonly checkpointId: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly storedBytes: number;
  readonly indexOffsetBytes: number;
  readonly indexLengthBytes: number;
  readonly kind: 'base' | 'delta';
  /** Id of the package it is a delta to. */
  readonly ancestorId?: string;
  /** Checkpoints on the way, itself included: 1 for a base. */
  readonly chainLength: number;
  readonly createdAt: Date;
  /** Of the object that holds several checkpoints, this one among them. Key, size and index are then that object's, stored bytes this checkpoint's share of it. */
  readonly superStepId?: string;
  /** Which of them it is, from 0. */
  readonly position: number;
  /** Merging was tried from this package on and did not pay. */
  readonly mergeTried: boolean;
}
/** A delta that may be merged. */
export interface MergeCandidate {
  readonly record: PackageRecord;
  readonly checkpoint: Checkpoint;
  /** Packages that build on it. */
  readonly descendants: number;
  /** Whether one of them is too new to be merged yet. */
  readonly grows: boolean;
}
export interface MergedPackages {
  readonly superStepId: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly indexOffsetBytes: number;
  readonly indexLengthBytes: number;
  /** By position: the package, the object it had, and its share of the new one. */
  readonly parts: readonly { readonly id: string; readonly key: string; readonly storedBytes: number }[];
}
export interface PackageRecords {
  create(input: Omit<PackageRecord, 'createdAt' | 'superStepId' | 'position' | 'mergeTried'>): Promise<PackageRecord>;
  get(id: string): Promise<PackageRecord | undefined>;
  /** The package and its ancestors, base last. `internal` when the chain is broken. */
  chain(id: string): Promise<PackageRecord[]>;
  /**
   * Deltas of the run's residual checkpoints, live or hidden, by sequence, that have an object of their own and from which merging was not tried; without those of the
   * `newest` ready checkpoints. At most `limit`.
   */
  mergeable(runId: string, options: { readonly newest: number; readonly limit: number }): Promise<MergeCandidate[]>;
  /** Puts packages into one object, condemns the objects they had, and counts their checkpoints' stored bytes anew. `conflict` when one is no longer as given. */
  merge(merged: MergedPackages): Promise<void>;
  setMergeTried(id: string): Promise<void>;
}

// ---- trials ----
export interface Trial {
  readonly checkpointId: string;
  readonly configKey: string;
  readonly config: QuantizationConfig;
  /** Order of evaluation in the search, from 0. */
  readonly ordinal: number;
  readonly estimatedBytes: number;
  readonly metrics: MetricValues;
  /** Metrics of each half of the eval set, where the trial was judged on both. */
  readonly halves?: readonly MetricValues[];
  readonly degradation: MetricValues;
  readonly passed: boolean;
  readonly seconds: number;
  readonly createdAt: Date;
}
export interface TrialRecords {
  /** Keeps the first record of a config. */
  record(trial: Omit<Trial, 'createdAt'>): Promise<void>;
  list(checkpointId: string): Promise<Trial[]>;
}

// ---- jobs ----
export type JobState = 'held' | 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly subjectId: string;
  readonly state: JobState;
  /** Jobs of one order key run one at a time, by orderSequence; an unfinished earlier one (held, queued, running) blocks the later. */
  readonly orderKey?: string;
  readonly orderSequence?: number;
  readonly runAt: Date;
  /** Failed tries; lost leases are counted apart. */
  readonly attempts: number;
  readonly attemptsMax: number;
  readonly leasesLost: number;
  readonly leasesLostMax: number;
  /** Grows with every claim: the fencing token. */
  readonly fence: number;
  readonly lockedBy?: string;
  readonly leaseUntil?: Date;
  readonly lastError?: string;
  readonly cancelRequested: boolean;
  /** W3C traceparent of what let it begin. */
  readonly traceparent?: string;
}
/** Proof of a claim; every later verb checks it. */
export interface Claim {
  readonly jobId: string;
  readonly workerId: string;
  readonly fence: number;
}
/** How many jobs of a kind are in a state. */
export interface JobCount {
  readonly kind: string;
  readonly state: JobState;
  readonly count: number;
}
export interface JobRecords {
  /** `held` jobs keep their place in the order but are not claimable until `release`. `conflict` while the subject has an unfinished job of the kind. */
  enqueue(input: {
    kind: string;
    subjectId: string;
    held?: boolean;
    orderKey?: string;
    orderSequence?: number;
    attemptsMax?: number;
    leasesLostMax?: number;
    traceparent?: string;
  }): Promise<Job>;
  /** Nothing happens when it is queued or running; `conflict` when the subject has no unfinished job of the kind. */
  release(kind: string, subjectId: string, traceparent?: string): Promise<void>;
  /**
   * Queues ended work of the subject anew: its newest job of the kind, or one as given where that is gone. Attempts start over; its place in the order stays, and its fence grows on, so that
   * no key made of a fence comes twice. `conflict` while the subject has an unfinished job of the kind.
   */
  restart(input: { kind: string; subjectId: string; orderKey: string; orderSequence: number; traceparent?: string | undefined }): Promise<Job>;
  /** Takes at most `limit` jobs whose time has come, those of the first kinds first, in order, with `for update skip locked`. Not inside a transaction. */
  claim(input: { kinds: readonly string[]; workerId: string; leaseMs: number; limit: number }): Promise<Job[]>;
  /** Extends the lease; returns whether cancel was requested. Throws `conflict` when the claim is lost. */
  heartbeat(claim: Claim, leaseMs: number): Promise<{ cancelRequested: boolean }>;
  /** Throws `conflict` when the claim is lost; inside a transaction nobody takes it until that ends. */
  confirm(claim: Claim): Promise<void>;
  /** Throws `conflict` when the claim is lost; call inside the transaction that records the result. */
  complete(claim: Claim): Promise<void>;
  /** Requeues after `delayMs` with one more attempt, or ends as failed when none is left or the delay is `never`; returns the state. */
  fail(claim: Claim, error: string, delayMs: number | 'never'): Promise<JobState>;
  /** Requeues after `delayMs` without counting anything. */
  defer(claim: Claim, delayMs: number): Promise<void>;
  /** Ends the job as cancelled. */
  cancelled(claim: Claim): Promise<void>;
  /** Ends a held or queued job as cancelled and marks a running one. Returns the newest job's state then; undefined when there never was one. */
  requestCancel(kind: string, subjectId: string): Promise<JobState | undefined>;
  /** Requeues running jobs whose lease ended, counting a lost lease; ends those with too many. Returns both. */
  reap(): Promise<{ requeued: Job[]; ended: Job[] }>;
  /**
   * The same for running jobs of a worker id prefix, whatever their lease: after a restart, where no other process can hold them. They are counted
   * too, since a job may be what takes the process down.
   */
  requeueOwn(workerIdPrefix: string): Promise<{ requeued: Job[]; ended: Job[] }>;
  /** The newest job of the subject. */
  find(kind: string, subjectId: string): Promise<Job | undefined>;
  /** Removes some jobs that finished before; returns how many, 0 when none is left. */
  prune(finishedBefore: Date): Promise<number>;
  count(): Promise<readonly JobCount[]>;
  /** By kind: how long the job has waited that could have been claimed for longest, in seconds; kinds without one are left out. */
  oldestQueuedSeconds(): Promise<Readonly<Record<string, number>>>;
}

// ---- idempotency ----
export interface IdempotentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
export interface IdempotencyRecords {
  /**
   * Starts a keyed request: `started`, `running` while another such request does, or the recorded answer, or throws `idempotency-conflict` (other fingerprint). An answer is kept
   * for `ttlMs`; a key without one blocks for at most ten minutes, or until an embedded restart. Not inside a transaction.
   */
  begin(key: string, fingerprint: string, ttlMs: number): Promise<'started' | 'running' | IdempotentAnswer>;
  /** Does nothing when the key is not running this request: it expired meanwhile, and may run another. */
  finish(key: string, fingerprint: string, answer: IdempotentAnswer): Promise<void>;
  /** Forgets a key whose request failed without effect. */
  abandon(key: string, fingerprint: string): Promise<void>;
  /** Removes some expired keys; returns how many, 0 when none is left. */
  prune(now: Date): Promise<number>;
}

// ---- what several processes share ----
/** A body on its way in one request, of a file of a checkpoint or of a part of an eval set. What comes in several is in upload-records.ts. */
export type Arrival = ArrivingBytes & ({ readonly runId: string; readonly checkpointId: string } | { readonly evalSetId: string });
export interface ArrivingBytes {
  /** Of this body alone. */
  readonly id: string;
  /** Bytes it is known to take in the store. */
  readonly sizeBytes: number;
  /** More that would be welcome, where it may still grow. */
  readonly aheadBytes?: number;
  /** How long its room stays without a `keep`. */
  readonly keepMs: number;
}
export interface ArrivalRecords {
  /**
   * Gives a body room, in place of what it had, if everything staged and arriving then stays within the limits, of its run and in all, and everything stored and arriving within the quota of its namespace; else says
   * which is in the way and leaves it what it had. Of an eval set only the quota counts. Two that ask at once never get the same room, in whatever processes they are.
   */
  take(
    arrival: Arrival,
    limits: { readonly runBytesMax: number; readonly bytesMax: number },
  ): Promise<{ readonly takenBytes: number } | 'run-full' | 'full' | 'over-quota'>;
  keep(id: string, keepMs: number): Promise<void>;
  /** Call it in the transaction that records the body, so that its bytes are never counted twice, nor missed. */
  release(id: string): Promise<void>;
  /** Whether a body of the checkpoint is arriving anywhere. */
  has(checkpointId: string): Promise<boolean>;
}
export interface ChoreRecords {
  /** Whether the caller is to do a chore now: true for one caller, then for nobody until `everyMs` have passed. */
  begin(name: string, everyMs: number): Promise<boolean>;
  /** Says that the chore is still being done, as if it had begun now. */
  keep(name: string): Promise<void>;
}
