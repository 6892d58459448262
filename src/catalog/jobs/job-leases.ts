import { and, asc, eq, lt, sql, type SQL } from 'drizzle-orm';
import type { Job, JobRecords, JobState } from '../contract/work/job-records.ts';
import type { Db } from '../db/database.ts';
import { jobColumns, jobOf, unlocked } from './job-rows.ts';
import { jobs } from '../db/schema.ts';

/** Most jobs that one call takes back; the rest waits for the next call. */
const reapRowsMax = 200;

/** Takes jobs back from workers that are gone. */
export function jobLeases({ query }: Db): Pick<JobRecords, 'reap' | 'requeueOwn'> {
  /** A locked row is skipped: its worker is ending the job right now. */
  async function takeBack(lost: SQL | undefined): Promise<{ requeued: Job[]; ended: Job[] }> {
    const orphans = query.$with('orphans').as(
      query
        .select({ id: jobs.id })
        .from(jobs)
        .where(and(eq(jobs.state, 'running'), lost))
        .orderBy(asc(jobs.id))
        .limit(reapRowsMax)
        .for('update', { skipLocked: true }),
    );
    const over = sql`${jobs.leasesLost} + 1 >= ${jobs.leasesLostMax}`;
    const taken = await query
      .with(orphans)
      .update(jobs)
      .set({
        ...unlocked,
        leasesLost: sql`${jobs.leasesLost} + 1`,
        state: sql<JobState>`case when ${over} then 'failed' else 'queued' end`,
        finishedAt: sql`case when ${over} then now() end`,
        lastError: sql`case when ${over} then 'lost its worker too often' else ${jobs.lastError} end`,
        runAt: sql`now()`,
      })
      .from(orphans)
      .where(eq(jobs.id, orphans.id))
      .returning(jobColumns);
    const all = taken.sort((a, b) => Number(a.id - b.id)).map(jobOf);
    return {
      requeued: all.filter(({ state }) => state === 'queued'),
      ended: all.filter(({ state }) => state === 'failed'),
    };
  }
  return {
    reap: () => takeBack(lt(jobs.leaseUntil, sql`now()`)),
    requeueOwn: (workerIdPrefix) => takeBack(sql`starts_with(${jobs.lockedBy}, ${workerIdPrefix})`),
  };
}
