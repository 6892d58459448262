import { and, eq, exists, gt, inArray, isNull, lte, not, or, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { DeviceClaim } from '../contract/work/job-records.ts';
import type { Db } from '../db/database.ts';
import { jobs, processes } from '../db/schema.ts';
import { msFromNow, unfinishedJobStates } from './job-rows.ts';

type Query = Pick<Db, 'query'>;

/**
 * Queued jobs that are due and that nothing is before. In an order key only the first unfinished job counts, and none
 * while another job of the key runs.
 */
export function isClaimable({ query }: Query): SQL {
  const other = alias(jobs, 'other');
  const blocking = query
    .select({ one: sql`1` })
    .from(other)
    .where(
      and(
        eq(other.orderKey, jobs.orderKey),
        inArray(other.state, unfinishedJobStates),
        or(
          eq(other.state, 'running'),
          sql`(${other.orderSequence}, ${other.id}) < (${jobs.orderSequence}, ${jobs.id})`,
        ),
      ),
    );
  return and(eq(jobs.state, 'queued'), lte(jobs.runAt, sql`now()`), or(isNull(jobs.orderKey), not(exists(blocking))))!;
}

/** Since when a claimable job could have been claimed: it was due, and the last job of its order key had ended. */
export function claimableSince({ query }: Query): SQL {
  const ended = alias(jobs, 'ended');
  const before = query
    .select({ at: sql`max(${ended.finishedAt})` })
    .from(ended)
    .where(and(eq(ended.orderKey, jobs.orderKey), inArray(ended.state, ['done', 'failed', 'cancelled'])));
  return sql`greatest(${jobs.runAt}, (${before}))`;
}

/**
 * Whether a worker may take a job, by what the job wishes for. A worker with a GPU takes every job. One without takes
 * those that want none, and those that prefer one and have waited for too long, or that nobody with a GPU is there for.
 */
export function isWithin(db: Query, { kinds, waitMs, livingMs }: DeviceClaim): SQL | undefined {
  const { query } = db;
  if (kinds.includes('cuda')) return undefined;
  const withDevice = query
    .select({ one: sql`1` })
    .from(processes)
    .where(and(eq(processes.worker, true), eq(processes.device, 'cuda'), gt(processes.seenAt, msFromNow(-livingMs))));
  const nobody = not(exists(withDevice));
  return or(
    eq(jobs.device, 'none'),
    and(eq(jobs.device, 'preferred'), or(nobody, sql`${claimableSince(db)} <= ${msFromNow(-waitMs)}`)),
  );
}

/**
 * For a worker with a GPU: 0 for jobs that wish for one or have waited for too long, which come first, 1 for others.
 */
export function afterThoseOfDevice(db: Query, { waitMs }: DeviceClaim): SQL {
  return sql`case when ${jobs.device} <> 'none' or ${claimableSince(db)} <= ${msFromNow(-waitMs)} then 0 else 1 end`;
}
