import type { Registry } from 'prom-client';
import type { Catalog, Checkpoint, CheckpointFile, EvalSet, EvalSetPart, Repository, Run } from '../catalog/catalog.ts';
import type { Dtype, QuantizableDtype } from '../checkpoint/dtype.ts';
import type { QuantizationConfig } from '../checkpoint/quantization-config.ts';
import type { FileRole } from '../checkpoint/role.ts';
import type { CreateRunInput } from '../ingest/create-run.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { HttpLog } from './app-env.ts';
import type { ProgressBus } from './progress-bus.ts';
import type { Probes } from './readiness.ts';

/** Everything the routes need, built by wire.ts. Records are located before a verb is called; verbs throw FirnError. */
export interface Gateway {
  readonly catalog: Catalog;
  /** For bytes that are served as they lie: raw uploads and packages. */
  readonly store: Pick<ObjectStore, 'open'>;
  readonly runs: RunVerbs;
  readonly uploads: UploadVerbs;
  readonly checkpoints: CheckpointVerbs;
  readonly downloads: DownloadVerbs;
  readonly progress: ProgressBus;
  /** Checked by /readyz. */
  readonly probes: Probes;
  /** Printed by /metrics; the routes add their own series to it. */
  readonly metrics: Registry;
  readonly log: HttpLog;
}

export interface RunVerbs {
  create(repository: Repository, input: CreateRunInput): Promise<Run>;
}

/** A body on its way in. It must be read before the verb resolves, or not at all. */
export interface Upload {
  readonly body: AsyncIterable<Uint8Array>;
  /** From Content-Length; absent for a chunked body. */
  readonly lengthBytes?: number;
  /** From a digest field; to be checked against the bytes. */
  readonly sha256?: string;
  /** Fires when the client is gone. */
  readonly signal: AbortSignal;
}

export interface AnnouncedFile {
  readonly path: string;
  readonly role?: FileRole | undefined;
  readonly sizeBytes?: number | undefined;
  readonly sha256?: string | undefined;
}

export interface UploadVerbs {
  reserveCheckpoint(run: Run, input: { step: number; files: readonly AnnouncedFile[]; fixedConfig?: QuantizationConfig }): Promise<Checkpoint>;
  /** `created` is false when the same bytes were there already. */
  receiveFile(run: Run, checkpoint: Checkpoint, file: { path: string; role?: FileRole }, upload: Upload): Promise<{ file: CheckpointFile; created: boolean }>;
  /** Durable when it resolves. `created` is false when it was committed before. */
  commitCheckpoint(run: Run, checkpoint: Checkpoint): Promise<{ checkpoint: Checkpoint; created: boolean }>;
  /** Reserve, receive `model.safetensors`, commit. `created` is false when the step has these bytes already; `step-exists` when it has others. */
  pushCheckpoint(run: Run, step: number, upload: Upload): Promise<{ checkpoint: Checkpoint; created: boolean }>;
  receiveEvalSetPart(evalSet: EvalSet, part: EvalSetPart, upload: Upload): Promise<void>;
  /** Runs the evaluator's check; resolves with state `ready`, or records `failed` and throws its reason. */
  commitEvalSet(evalSet: EvalSet): Promise<EvalSet>;
  deleteEvalSet(evalSet: EvalSet): Promise<void>;
}

export interface CheckpointVerbs {
  /** The checkpoint, `cancelled` or with `cancelRequested`. */
  cancel(checkpoint: Checkpoint): Promise<Checkpoint>;
  delete(checkpoint: Checkpoint): Promise<void>;
}

/** Bytes known by length and readable by range, without being anywhere as a whole. */
export interface VirtualFile {
  readonly sizeBytes: number;
  /** End exclusive. Yields exactly `endBytes - startBytes` bytes. */
  stream(startBytes: number, endBytes: number, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Frees what it holds; called once. */
  close?(): Promise<void>;
}

export interface VirtualTensor extends VirtualFile {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** File of the checkpoint that holds it. */
  readonly path: string;
}

/** Bytes of ready checkpoints, rebuilt. */
export interface DownloadVerbs {
  /** The file as a download returns it, or with its floating-point tensors converted to `dtype`. */
  openFile(checkpoint: Checkpoint, file: CheckpointFile, view?: { dtype: QuantizableDtype }): Promise<VirtualFile>;
  /** `not-found` when no file has the tensor. */
  openTensor(checkpoint: Checkpoint, tensorName: string): Promise<VirtualTensor>;
}
