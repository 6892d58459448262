import type { BodyReservationRecords } from './uploads/body-reservation-records.ts';
import type { CheckpointRecords } from './checkpoint-records.ts';
import type { ChoreRecords } from './work/chore-records.ts';
import type { DeliveryRecords } from './webhooks/delivery-records.ts';
import type { EstimateRecords } from './estimate-records.ts';
import type { EvalSetRecords } from './eval-set-records.ts';
import type { FileRecords } from './file-records.ts';
import type { GarbageRecords } from './storage/garbage-records.ts';
import type { HubRecords } from './hub/hub-records.ts';
import type { IdempotencyRecords } from './uploads/idempotency-records.ts';
import type { DamageRecords, ObjectRecords } from './storage/integrity-records.ts';
import type { JobRecords } from './work/job-records.ts';
import type { LocationRecords } from './location-records.ts';
import type { OverviewRecords } from './overview-records.ts';
import type { PackageRecords } from './storage/package-records.ts';
import type { ProcessRecords } from './work/process-records.ts';
import type { RepositoryRecords } from './repository-records.ts';
import type { RunRecords } from './run-records.ts';
import type { TokenRecords } from './token-records.ts';
import type { TrialRecords } from './trial-records.ts';
import type { UploadRecords } from './uploads/upload-records.ts';
import type { UsageRecords } from './storage/usage-records.ts';
import type { WebhookRecords } from './webhooks/webhook-records.ts';

/**
 * Metadata. Every verb is one statement or one transaction. Verbs that must be atomic together run inside `transaction`
 * and are called on the `Catalog` that it passes. On PGlite a call on the outer one is refused as `internal`, because
 * it would wait for itself. A transaction inside another joins it. `work` may run again from its beginning if the
 * database rolled it back, so its only effects should be in the catalog. A verb that rejects with `conflict`,
 * `not-found` or `step-exists` leaves the transaction usable. Failures of the database are FirnError `overloaded`,
 * `storage-full` or `internal`; a value that it cannot hold is `invalid-request`, a broken reference `conflict`. SQL
 * never leaves the room.
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
  readonly estimates: EstimateRecords;
  readonly overview: OverviewRecords;
  readonly jobs: JobRecords;
  readonly hub: HubRecords;
  readonly idempotency: IdempotencyRecords;
  readonly tokens: TokenRecords;
  readonly bodyReservations: BodyReservationRecords;
  readonly uploads: UploadRecords;
  readonly chores: ChoreRecords;
  readonly processes: ProcessRecords;
  readonly objects: ObjectRecords;
  readonly garbage: GarbageRecords;
  readonly damage: DamageRecords;
  readonly usage: UsageRecords;
  readonly webhooks: WebhookRecords;
  readonly deliveries: DeliveryRecords;
  /** The database's clock, which all times in records come from: the clocks of processes may differ. */
  now(): Promise<Date>;
  /** One trivial query; for readiness. */
  probe(): Promise<void>;
  /** Connections to the database: in use, waiting callers, and the limit; for metrics. */
  connections(): { readonly inUse: number; readonly waiting: number; readonly max: number };
  /**
   * Vacuums and analyzes if the database does not do so by itself (PGlite); takes about a tenth of a second. Not inside
   * a transaction.
   */
  tidy(): Promise<void>;
  close(): Promise<void>;
}
