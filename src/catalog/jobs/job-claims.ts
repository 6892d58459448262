import { and, asc, eq, inArray, sql, type SQL } from 'drizzle-orm';
import type { Claim, Job, JobRecords, JobState } from '../contract/work/job-records.ts';
import { sqlStateOf } from '../db/database-error.ts';
import type { Db } from '../db/database.ts';
import { afterThoseOfDevice, isClaimable, isWithin } from './claimable-jobs.ts';
import { claimLost, heldBy, jobColumns, jobOf, msFromNow, unlocked } from './job-rows.ts';
import { jobs } from '../db/schema.ts';

/** Longest error text stored with a job, in characters. */
const lastErrorLengthMax = 2000;
/** Tries of a claim that collided with another one on the same order key. */
const claimTriesMax = 3;
/** SQLSTATE unique_violation. */
const uniqueViolation = '23505';

type ClaimInput = Parameters<JobRecords['claim']>[0];
type ClaimVerbs = Pick<JobRecords, 'claim' | 'heartbeat' | 'confirm' | 'complete' | 'fail' | 'defer' | 'cancelled'>;

/**
 * The verbs of a worker: claim a job, renew it, end it. Each verb after the claim is one update that matches only while
 * the claim holds.
 */
export function jobClaims({ query }: Db): ClaimVerbs {
  async function update(
    claim: Claim,
    set: Parameters<ReturnType<typeof query.update<typeof jobs>>['set']>[0],
  ): Promise<Job> {
    const [job] = await query.update(jobs).set(set).where(heldBy(claim)).returning(jobColumns);
    if (job === undefined) throw claimLost(claim);
    return jobOf(job);
  }
  async function claimOnce(input: ClaimInput): Promise<Job[]> {
    const { workerId, leaseMs } = input;
    const free = query.$with('free').as(claimable({ query }, input));
    const claimed = await query
      .with(free)
      .update(jobs)
      .set({ state: 'running', lockedBy: workerId, leaseUntil: msFromNow(leaseMs), fence: sql`${jobs.fence} + 1` })
      .from(free)
      .where(eq(jobs.id, free.id))
      .returning(jobColumns);
    const urgency = (job: { kind: string }): number => input.kinds.indexOf(job.kind);
    return claimed
      .sort((a, b) => urgency(a) - urgency(b) || a.runAt.getTime() - b.runAt.getTime() || Number(a.id - b.id))
      .map(jobOf);
  }
  return {
    async claim(input) {
      if (input.kinds.length === 0 || input.limit < 1 || input.devices?.kinds.length === 0) return [];
      for (let tries = 1; ; tries++) {
        try {
          return await claimOnce(input);
        } catch (error) {
          // Another claim took a job of the same order key after this one had read the queue. The next try finds that
          // job running.
          if (sqlStateOf(error) !== uniqueViolation || tries >= claimTriesMax) throw error;
        }
      }
    },
    async heartbeat(claim, leaseMs) {
      const { cancelRequested } = await update(claim, { leaseUntil: msFromNow(leaseMs) });
      return { cancelRequested };
    },
    async confirm(claim) {
      const held = await query.select({ id: jobs.id }).from(jobs).where(heldBy(claim)).for('share');
      if (held.length === 0) throw claimLost(claim);
    },
    async complete(claim) {
      await update(claim, { ...unlocked, state: 'done', finishedAt: sql`now()` });
    },
    async fail(claim, error, delayMs) {
      const ended = delayMs === 'never' ? sql`true` : sql`${jobs.attempts} + 1 >= ${jobs.attemptsMax}`;
      const job = await update(claim, {
        ...unlocked,
        attempts: sql`${jobs.attempts} + 1`,
        lastError: error.slice(0, lastErrorLengthMax),
        state: sql<JobState>`case when ${ended} then 'failed' else 'queued' end`,
        finishedAt: sql`case when ${ended} then now() end`,
        runAt: delayMs === 'never' ? sql`${jobs.runAt}` : msFromNow(delayMs),
      });
      return job.state;
    },
    async defer(claim, delayMs) {
      await update(claim, { ...unlocked, state: 'queued', runAt: msFromNow(delayMs) });
    },
    async cancelled(claim) {
      await update(claim, { ...unlocked, state: 'cancelled', finishedAt: sql`now()` });
    },
  };
}

/**
 * Claimable jobs that the worker may take, locked, in the order of `kinds`, then those that wish for its device, then
 * oldest first. Rows locked by other workers are skipped. A common table expression with a row lock is computed once,
 * so the limit holds.
 */
function claimable(db: Pick<Db, 'query'>, { kinds, limit, devices }: ClaimInput) {
  const ofDevice = devices?.kinds.includes('cuda') ? [asc(afterThoseOfDevice(db, devices))] : [];
  return db.query
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(isClaimable(db), inArray(jobs.kind, [...kinds]), devices && isWithin(db, devices)))
    .orderBy(asc(urgencyOf(kinds)), ...ofDevice, asc(jobs.runAt), asc(jobs.id))
    .limit(limit)
    .for('update', { skipLocked: true });
}

/** Position of a job's kind in `kinds`. */
function urgencyOf(kinds: readonly string[]): SQL {
  const list = sql.join(
    kinds.map((kind) => sql`${kind}`),
    sql`, `,
  );
  return sql`array_position(array[${list}]::text[], ${jobs.kind})`;
}
