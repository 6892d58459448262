import { sql } from 'drizzle-orm';
import { FirnError } from '../checkpoint/firn-error.ts';
import { arrivalRecords } from './arrivals.ts';
import type { Catalog } from './catalog.ts';
import { checkpointRecords } from './checkpoints.ts';
import { choreRecords } from './chores.ts';
import { damageRecords } from './damage.ts';
import type { Db } from './database.ts';
import { evalSetRecords } from './eval-sets.ts';
import { fileRecords } from './files.ts';
import { garbageRecords } from './garbage.ts';
import { idempotencyRecords } from './idempotency.ts';
import { jobClaims } from './job-claims.ts';
import { jobLeases } from './job-leases.ts';
import { jobQueue } from './job-queue.ts';
import { locationRecords } from './locations.ts';
import { objectRecords } from './objects.ts';
import { packageRecords } from './packages.ts';
import { processRecords } from './processes.ts';
import { repositoryRecords } from './repositories.ts';
import { runRecords } from './runs.ts';
import { tokenRecords } from './tokens.ts';
import { translateFailures, translating } from './translate-failures.ts';
import { trialRecords } from './trials.ts';
import { uploadRecords } from './uploads.ts';
import { usageRecords } from './usage.ts';

export interface CatalogLife {
  /** Frees what the database runs on. */
  readonly close: () => Promise<void>;
  /** Vacuums, where nothing else does. */
  readonly tidy?: () => Promise<void>;
  readonly connections: Catalog['connections'];
}

/** The catalog over a migrated database. */
export function createCatalog(db: Db, { close, tidy, connections }: CatalogLife): Catalog {
  return {
    transaction: (work) => translating(() => db.transaction((tx) => work(createCatalog(tx, { ...insideTransaction, connections })))),
    repositories: translateFailures(repositoryRecords(db)),
    evalSets: translateFailures(evalSetRecords(db)),
    runs: translateFailures(runRecords(db)),
    checkpoints: translateFailures(checkpointRecords(db)),
    files: translateFailures(fileRecords(db)),
    locations: translateFailures(locationRecords(db)),
    packages: translateFailures(packageRecords(db)),
    trials: translateFailures(trialRecords(db)),
    jobs: translateFailures({ ...jobQueue(db), ...jobClaims(db), ...jobLeases(db) }),
    idempotency: translateFailures(idempotencyRecords(db)),
    tokens: translateFailures(tokenRecords(db)),
    arrivals: translateFailures(arrivalRecords(db)),
    uploads: translateFailures(uploadRecords(db)),
    chores: translateFailures(choreRecords(db)),
    processes: translateFailures(processRecords(db)),
    objects: translateFailures(objectRecords(db)),
    garbage: translateFailures(garbageRecords(db)),
    damage: translateFailures(damageRecords(db)),
    usage: translateFailures(usageRecords(db)),
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
