import { and, count, eq, gt, lte, max, min, sql } from 'drizzle-orm';
import type { ProcessRecords } from '../contract/work/process-records.ts';
import type { Db } from '../db/database.ts';
import { msFromNow } from './job-rows.ts';
import { processes } from '../db/schema.ts';

/** See `ProcessRecords`. */
export function processRecords({ query }: Db): ProcessRecords {
  return {
    async announce({ id, ...process }) {
      const now = sql`now()`;
      await query
        .insert(processes)
        .values({ id, ...process, startedAt: now, seenAt: now })
        .onConflictDoUpdate({ target: processes.id, set: { ...process, seenAt: now } });
    },
    async leave(id) {
      await query.delete(processes).where(eq(processes.id, id));
    },
    async living(role, withinMs, device) {
      const age = (seenAt: typeof processes.seenAt, pick: typeof min) =>
        sql<string>`(extract(epoch from now() - ${pick(seenAt)}) * 1000)::bigint::text`;
      const [found] = await query
        .select({ count: count(), oldest: age(processes.seenAt, min), newest: age(processes.seenAt, max) })
        .from(processes)
        .where(
          and(
            eq(processes[role], true),
            device && eq(processes.device, device),
            gt(processes.seenAt, msFromNow(-withinMs)),
          ),
        );
      if (found === undefined || found.count === 0) return { count: 0 };
      return { count: found.count, oldestSignMs: Number(found.oldest), newestSignMs: Number(found.newest) };
    },
    async forget(silentMs) {
      return (
        await query
          .delete(processes)
          .where(lte(processes.seenAt, msFromNow(-silentMs)))
          .returning({ id: processes.id })
      ).length;
    },
  };
}
