import { and, eq, getTableColumns, sql, type InferSelectModel, type SQL } from 'drizzle-orm';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Claim, Job, JobState } from '../contract/work/job-records.ts';
import { dropNulls } from '../db/drop-nulls.ts';
import { jobs } from '../db/schema.ts';

const { createdAt: _createdAt, finishedAt: _finishedAt, ...columns } = getTableColumns(jobs);

/** Columns that every verb returns. */
export const jobColumns = columns;

export function jobOf(row: Omit<InferSelectModel<typeof jobs>, 'createdAt' | 'finishedAt'>): Job {
  return { ...dropNulls(row), id: String(row.id) };
}

export const unfinishedJobStates = ['held', 'queued', 'running'] as const satisfies readonly JobState[];

/** Column values of a job that no worker holds. */
export const unlocked = { lockedBy: null, leaseUntil: null } as const;

/** The database's clock, `ms` from now. */
export function msFromNow(ms: number): SQL {
  return sql`now() + ${ms}::double precision * interval '1 millisecond'`;
}

/** Matches the row of a claim, only while the claim holds. */
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
