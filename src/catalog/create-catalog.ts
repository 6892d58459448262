import { sql } from 'drizzle-orm';
import { FirnError } from '../checkpoint/firn-error.ts';
import { bodyReservationRecords } from './records/uploads/body-reservations.ts';
import type { Catalog } from './contract/catalog.ts';
import { checkpointRecords } from './records/checkpoints/checkpoints.ts';
import { choreRecords } from './jobs/chores.ts';
import { damageRecords } from './records/integrity/damage.ts';
import type { Db } from './db/database.ts';
import { evalSetRecords } from './records/runs/eval-sets.ts';
import { fileRecords } from './records/files/files.ts';
import { garbageRecords } from './records/garbage/garbage.ts';
import { blobRecords } from './records/hub/blobs.ts';
import { hubCheckpointRecords } from './records/hub/hub-checkpoints.ts';
import { partRecords } from './records/hub/parts.ts';
import { revisionRecords } from './records/hub/revisions.ts';
import { xorbRecords } from './records/hub/xorbs.ts';
import { idempotencyRecords } from './records/uploads/idempotency.ts';
import { jobClaims } from './jobs/job-claims.ts';
import { jobLeases } from './jobs/job-leases.ts';
import { jobQueue } from './jobs/job-queue.ts';
import { locationRecords } from './records/files/locations.ts';
import { objectRecords } from './records/garbage/objects.ts';
import { overviewRecords } from './records/overview/overview.ts';
import { packageRecords } from './records/packages/packages.ts';
import { processRecords } from './jobs/processes.ts';
import { repositoryRecords } from './records/runs/repositories.ts';
import { runRecords } from './records/runs/runs.ts';
import { tokenRecords } from './records/access/tokens.ts';
import { translateFailures, translating } from './db/translate-failures.ts';
import { estimateRecords } from './records/checkpoints/estimates.ts';
import { trialRecords } from './records/checkpoints/trials.ts';
import { uploadRecords } from './records/uploads/uploads.ts';
import { usageRecords } from './records/usage/usage.ts';
import { deliveryRecords } from './records/webhooks/deliveries.ts';
import { webhookRecords } from './records/webhooks/webhooks.ts';

export interface CatalogLife {
  /** Closes the database. */
  readonly close: () => Promise<void>;
  /** Vacuums, if the database does not do so itself. */
  readonly tidy?: () => Promise<void>;
  readonly connections: Catalog['connections'];
}

/** The catalog over a migrated database. */
export function createCatalog(db: Db, { close, tidy, connections }: CatalogLife): Catalog {
  return {
    transaction: (work) =>
      translating(() => db.transaction((tx) => work(createCatalog(tx, { ...insideTransaction, connections })))),
    repositories: translateFailures(repositoryRecords(db)),
    evalSets: translateFailures(evalSetRecords(db)),
    runs: translateFailures(runRecords(db)),
    checkpoints: translateFailures(checkpointRecords(db)),
    files: translateFailures(fileRecords(db)),
    locations: translateFailures(locationRecords(db)),
    packages: translateFailures(packageRecords(db)),
    trials: translateFailures(trialRecords(db)),
    estimates: translateFailures(estimateRecords(db)),
    overview: translateFailures(overviewRecords(db)),
    jobs: translateFailures({ ...jobQueue(db), ...jobClaims(db), ...jobLeases(db) }),
    hub: {
      blobs: translateFailures(blobRecords(db)),
      revisions: translateFailures(revisionRecords(db)),
      checkpoints: translateFailures(hubCheckpointRecords(db)),
      parts: translateFailures(partRecords(db)),
      xorbs: translateFailures(xorbRecords(db)),
    },
    idempotency: translateFailures(idempotencyRecords(db)),
    tokens: translateFailures(tokenRecords(db)),
    bodyReservations: translateFailures(bodyReservationRecords(db)),
    uploads: translateFailures(uploadRecords(db)),
    chores: translateFailures(choreRecords(db)),
    processes: translateFailures(processRecords(db)),
    objects: translateFailures(objectRecords(db)),
    garbage: translateFailures(garbageRecords(db)),
    damage: translateFailures(damageRecords(db)),
    usage: translateFailures(usageRecords(db)),
    webhooks: translateFailures(webhookRecords(db)),
    deliveries: translateFailures(deliveryRecords(db)),
    now: () => translating(() => clockOf(db)),
    probe: () => translating(async () => void (await db.rows(sql`select 1`))),
    connections,
    tidy: () => translating(async () => tidy?.()),
    close,
  };
}

const insideTransaction = { close: refuse, tidy: refuse };

async function refuse(): Promise<void> {
  throw new FirnError('internal', 'The catalog was used wrongly.', { detail: 'close or tidy inside a transaction' });
}

async function clockOf(db: Db): Promise<Date> {
  const [clock] = await db.rows(sql`select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as ms`);
  return new Date(Number(clock!['ms']));
}
