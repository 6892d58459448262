import { and, eq, getTableColumns, sql, type InferSelectModel, type SQL } from 'drizzle-orm';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Claim, Job, JobState } from '../contract/job-records.ts';
import { dropNulls } from '../db/drop-nulls.ts';
import { jobs } from '../db/schema.ts';

const { createdAt: _createdAt, finishedAt: _finishedAt, ...columns } = getTableColumns(jobs);

/** What every verb returns of a row. */
export const jobColumns = columns;

export function jobOf(row: Omit<InferSelectModel<typeof jobs>, 'createdAt' | 'finishedAt'>): Job {
  return { ...dropNulls(row), id: String(row.id) };
}

export const unfinishedJobStates = ['held', 'queued', 'running'] as const satisfies readonly JobState[];

/** What a job has on while no worker holds it. */
export const unlocked = { lockedBy: null, leaseUntil: null } as const;

/** The database's clock, `ms` from now. */
export function msFromNow(ms: number): SQL {
  return sql`now() + ${ms}::double precision * interval '1 millisecond'`;
}

/** The row that a claim holds, and only while it holds it. */
export function heldBy(claim: Claim): SQL {
  return and(
    eq(jobs.id, BigInt(claim.jobId)),
    eq(jobs.fence, claim.fence),
    eq(jobs.lockedBy, claim.workerId),
    eq(jobs.state, 'running'),
  )!;
}

export function claimLost(claim: Claim): FirnError {
  return new FirnError('conflict', 'The job is no longer held by this worker.', {
    detail: `job ${claim.jobId}, worker ${claim.workerId}, fence ${claim.fence}`,
  });
}
