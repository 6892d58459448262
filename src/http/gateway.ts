import type { Registry } from 'prom-client';
import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Estimate } from '../catalog/contract/estimate-records.ts';
import type { Precondition } from '../catalog/contract/precondition.ts';
import type { Repository } from '../catalog/contract/repository-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import type { CheckpointCheck } from '../compress/eval-set/check-with-checkpoint.ts';
import type { Waiting } from '../ingest/checkpoint/what-it-waits-for.ts';
import type { ChangeOptions, RunChange } from '../ingest/run/change-run.ts';
import type { CreateRunInput } from '../ingest/run/create-run.ts';
import type { EstimateWish } from '../ingest/checkpoint/estimate-checkpoint.ts';
import type { EvaluationChange } from '../ingest/run/evaluation-of-run.ts';
import type { Hub } from '../hub/hub.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { Resumable } from '../ingest/resumable/resumable.ts';
import type { Downloads } from '../restore/downloads.ts';
import type { Tracer } from '../telemetry/tracer.ts';
import type { Admittance } from './request/admit.ts';
import type { BodyPace } from './request/body/body-pace.ts';
import type { HttpLog } from './app-env.ts';
import type { ProgressBus } from './progress/progress-bus.ts';
import type { TransferMeter } from './watch/transfer-meter.ts';
import type { Probes } from './watch/readiness.ts';

/**
 * Dependencies of the routes, built by wire.ts. Handlers locate records before they call a verb; verbs throw FirnError.
 */
export interface Gateway {
  /** Access control and request limits. */
  readonly admittance: Admittance;
  /** Slowest pace of bodies. */
  readonly bodyPace: BodyPace;
  readonly catalog: Catalog;
  readonly runs: RunVerbs;
  readonly evalSets: EvalSetVerbs;
  readonly uploads: Ingest;
  readonly resumable: Resumable;
  readonly checkpoints: CheckpointVerbs;
  readonly hub: Hub;
  readonly downloads: Pick<Downloads, 'openFile' | 'openTensor' | 'openObject' | 'layers'>;
  readonly progress: ProgressBus;
  /** Whether webhooks may lead to addresses that are not public, or over http. */
  readonly webhooksToPrivate: boolean;
  /** Checked by /readyz. */
  readonly probes: Probes;
  /** Served by /metrics; the routes add their own series to it. */
  readonly metrics: Registry;
  /** Counts the bytes that requests to repositories transfer. */
  readonly transfers: Pick<TransferMeter, 'add'>;
  readonly tracer: Tracer;
  readonly log: HttpLog;
}

export interface EvalSetVerbs {
  /** compress/eval-set/check-with-checkpoint.ts */
  check: CheckpointCheck;
}

export interface RunVerbs {
  /** ingest/run/create-run.ts */
  create(repository: Repository, input: CreateRunInput, signal?: AbortSignal): Promise<Run>;
  /** ingest/run/change-run.ts */
  change(run: Run, change: RunChange, options?: ChangeOptions): Promise<Run>;
  /** upkeep/delete-run.ts */
  delete(run: Run, precondition?: Precondition): Promise<void>;
}

export interface CheckpointVerbs {
  /** ingest/checkpoint/cancel-checkpoint.ts: the checkpoint, `cancelled` or with `cancelRequested`. */
  cancel(checkpoint: Checkpoint, precondition?: Precondition): Promise<Checkpoint>;
  /** ingest/checkpoint/retry-checkpoint.ts: the checkpoint, `queued`. */
  retry(run: Run, checkpoint: Checkpoint, change: EvaluationChange, options?: ChangeOptions): Promise<Checkpoint>;
  /** ingest/checkpoint/estimate-checkpoint.ts: the estimate, `queued`. */
  estimate(run: Run, checkpoint: Checkpoint, wish: EstimateWish): Promise<Estimate>;
  /** ingest/checkpoint/estimate-checkpoint.ts */
  cancelEstimate(checkpoint: Checkpoint): Promise<Estimate>;
  /** ingest/checkpoint/what-it-waits-for.ts */
  waitsFor(checkpoint: Checkpoint): Promise<Waiting | undefined>;
  /** ingest/checkpoint/what-it-waits-for.ts: by id, for those that are queued. */
  allWaitFor(checkpoints: readonly Checkpoint[]): Promise<ReadonlyMap<string, Waiting>>;
  /** ingest/checkpoint/reservation/when-they-expire.ts: by id, for those that are open, as `catalog` has them. */
  expire(catalog: Catalog, checkpoints: readonly Checkpoint[]): Promise<ReadonlyMap<string, Date>>;
  /** upkeep/delete-checkpoint.ts */
  delete(checkpoint: Checkpoint, precondition?: Precondition): Promise<void>;
}
