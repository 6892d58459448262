import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { DeviceKind } from '../../checkpoint/device-kind.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { JobRecords, JobState } from '../contract/work/job-records.ts';
import type { Db } from '../db/database.ts';
import { jobColumns, jobOf, unfinishedJobStates } from './job-rows.ts';
import { pruneRowsMax } from '../db/prune-limit.ts';
import { jobs, processes } from '../db/schema.ts';
import { dropNulls } from '../db/drop-nulls.ts';
import { claimableSince, isClaimable } from './claimable-jobs.ts';

/** Default limit of failed tries. */
const attemptsMaxDefault = 5;
/**
 * Default limit of lost leases. A crash is rarely the job's fault, but a job that crashes the process each time must
 * end.
 */
const leasesLostMaxDefault = 20;

/**
 * Seconds from 1970 to 2026. A job that replaces a pruned one begins with the number of seconds since then as its
 * fence. That is more claims than the first job can have had, and the column's range lasts until 2094.
 */
const fenceEpochSeconds = 1_767_225_600;

type QueueVerbs = Pick<
  JobRecords,
  'enqueue' | 'setDevice' | 'release' | 'restart' | 'requestCancel' | 'find' | 'prune' | 'count' | 'oldestQueued'
>;

/** The verbs of those who enqueue work. */
export function jobQueue(db: Db): QueueVerbs {
  const { query } = db;
  const isUnfinished = (kind: string, subjectId: string) =>
    and(eq(jobs.kind, kind), eq(jobs.subjectId, subjectId), inArray(jobs.state, unfinishedJobStates));
  const find: QueueVerbs['find'] = async (kind, subjectId) => {
    const [found] = await query
      .select(jobColumns)
      .from(jobs)
      .where(and(eq(jobs.kind, kind), eq(jobs.subjectId, subjectId)))
      .orderBy(desc(jobs.id))
      .limit(1);
    return found && jobOf(found);
  };
  return {
    async enqueue({ held = false, attemptsMax = attemptsMaxDefault, leasesLostMax = leasesLostMaxDefault, ...rest }) {
      if ((rest.orderKey === undefined) !== (rest.orderSequence === undefined))
        throw new FirnError('internal', 'The job is not valid.', { detail: 'orderKey and orderSequence go together' });
      const [created] = await query
        .insert(jobs)
        .values({ ...rest, attemptsMax, leasesLostMax, state: held ? 'held' : 'queued' })
        .onConflictDoNothing()
        .returning(jobColumns);
      if (created === undefined) throw new FirnError('conflict', 'The work is queued already.');
      return jobOf(created);
    },
    async setDevice(orderKey, device) {
      await query
        .update(jobs)
        .set({ device })
        .where(and(eq(jobs.orderKey, orderKey), inArray(jobs.state, ['held', 'queued'])));
    },
    async release(kind, subjectId, traceparent) {
      const released = await query
        .update(jobs)
        .set({
          state: sql<JobState>`case ${jobs.state} when 'held' then 'queued' else ${jobs.state} end`,
          runAt: sql`case ${jobs.state} when 'held' then now() else ${jobs.runAt} end`,
          ...(traceparent !== undefined && { traceparent }),
        })
        .where(isUnfinished(kind, subjectId))
        .returning({ id: jobs.id });
      if (released.length === 0) throw new FirnError('conflict', 'There is no work that waits for its release.');
    },
    async restart({ kind, subjectId, orderKey, orderSequence, traceparent, device }) {
      const last = await find(kind, subjectId);
      const [restarted] =
        last === undefined
          ? await query
              .insert(jobs)
              .values({
                ...{ kind, subjectId, orderKey, orderSequence, traceparent, device, state: 'queued' },
                ...{ attemptsMax: attemptsMaxDefault, leasesLostMax: leasesLostMaxDefault },
                fence: sql`extract(epoch from now())::bigint - ${fenceEpochSeconds}`,
              })
              .onConflictDoNothing()
              .returning(jobColumns)
          : await query
              .update(jobs)
              .set({
                ...{
                  state: 'queued',
                  attempts: 0,
                  leasesLost: 0,
                  cancelRequested: false,
                  lastError: null,
                  finishedAt: null,
                  runAt: sql`now()`,
                },
                ...(traceparent !== undefined && { traceparent }),
                ...(device !== undefined && { device }),
              })
              .where(and(eq(jobs.id, BigInt(last.id)), inArray(jobs.state, ['done', 'failed', 'cancelled'])))
              .returning(jobColumns);
      if (restarted === undefined) throw new FirnError('conflict', 'The work is queued already.');
      return jobOf(restarted);
    },
    async requestCancel(kind, subjectId) {
      const running = sql`${jobs.state} = 'running'`;
      const [marked] = await query
        .update(jobs)
        .set({
          state: sql<JobState>`case when ${running} then ${jobs.state} else 'cancelled' end`,
          cancelRequested: true,
          finishedAt: sql`case when ${running} then null else now() end`,
        })
        .where(isUnfinished(kind, subjectId))
        .returning(jobColumns);
      return marked?.state ?? (await find(kind, subjectId))?.state;
    },
    find,
    async prune(finishedBefore) {
      const old = query
        .select({ id: jobs.id })
        .from(jobs)
        .where(and(inArray(jobs.state, ['done', 'failed', 'cancelled']), lt(jobs.finishedAt, finishedBefore)))
        .limit(pruneRowsMax);
      return (await query.delete(jobs).where(inArray(jobs.id, old)).returning({ id: jobs.id })).length;
    },
    async count() {
      const held = sql<DeviceKind>`coalesce(${processes.device}, 'cpu')`;
      const counted = await query
        .select({
          kind: jobs.kind,
          state: jobs.state,
          count: sql<number>`count(*)::int`,
          worker: sql<DeviceKind | null>`case ${jobs.state} when 'running' then ${held} end`,
        })
        .from(jobs)
        .leftJoin(processes, eq(processes.id, jobs.lockedBy))
        .groupBy(jobs.kind, jobs.state, sql`4`);
      return counted.map(dropNulls);
    },
    async oldestQueued() {
      const since = claimableSince(db);
      const oldest = await query
        .select({
          kind: jobs.kind,
          device: jobs.device,
          ms: sql<string>`(extract(epoch from now() - min(${since})) * 1000)::bigint::text`,
        })
        .from(jobs)
        .where(isClaimable(db))
        .groupBy(jobs.kind, jobs.device);
      return oldest.map(({ kind, device, ms }) => ({ kind, device, seconds: Number(ms) / 1000 }));
    },
  };
}
