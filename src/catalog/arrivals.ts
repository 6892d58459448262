import { and, eq, gt, lte, ne, sql } from 'drizzle-orm';
import type { ArrivalRecords } from './catalog.ts';
import type { Db } from './database.ts';
import { msFromNow } from './job-rows.ts';
import { arrivals, type checkpoints } from './schema.ts';
import { stagedBytes } from './staged-bytes.ts';

/** Key of the advisory lock under which room is given: two gateways that ask at once see each other's answers. Any number nobody else uses. */
const admissionLockKey = 0x6669_726f;

const living = gt(arrivals.keepUntil, sql`now()`);

/** See `ArrivalRecords`. */
export function arrivalRecords(db: Db): ArrivalRecords {
  const { query } = db;
  return {
    take: ({ id, runId, checkpointId, sizeBytes, aheadBytes = 0, keepMs }, limits) =>
      db.transaction(async (tx) => {
        await tx.rows(sql`select 1 from pg_advisory_xact_lock(${admissionLockKey})`);
        await tx.query.delete(arrivals).where(lte(arrivals.keepUntil, sql`now()`));
        const roomOfRunBytes = limits.runBytesMax - (await stagedBytes(tx, runId)) - (await arrivingBytes(tx, id, runId));
        if (sizeBytes > roomOfRunBytes) return 'run-full';
        const roomBytes = limits.bytesMax - (await stagedBytes(tx)) - (await arrivingBytes(tx, id));
        if (sizeBytes > roomBytes) return 'full';
        const taken = { sizeBytes: Math.min(sizeBytes + aheadBytes, roomOfRunBytes, roomBytes), keepUntil: msFromNow(keepMs) };
        await tx.query
          .insert(arrivals)
          .values({ id, runId, checkpointId, ...taken })
          .onConflictDoUpdate({ target: arrivals.id, set: taken });
        return { takenBytes: taken.sizeBytes };
      }),
    async keep(id, keepMs) {
      await query
        .update(arrivals)
        .set({ keepUntil: msFromNow(keepMs) })
        .where(eq(arrivals.id, id));
    },
    async release(id) {
      await query.delete(arrivals).where(eq(arrivals.id, id));
    },
    async has(checkpointId) {
      return (await arrivalsOf(db, checkpointId).limit(1)).length > 0;
    },
  };
}

/** Ids of the living arrivals of a checkpoint, which may be a column of the outer query. */
export function arrivalsOf({ query }: Pick<Db, 'query'>, checkpointId: string | typeof checkpoints.id) {
  return query
    .select({ id: arrivals.id })
    .from(arrivals)
    .where(and(eq(arrivals.checkpointId, checkpointId), living));
}

async function arrivingBytes({ query }: Db, exceptId: string, runId?: string): Promise<number> {
  const [sum] = await query
    .select({ bytes: sql<string>`coalesce(sum(${arrivals.sizeBytes}), 0)::text` })
    .from(arrivals)
    .where(and(ne(arrivals.id, exceptId), living, runId === undefined ? undefined : eq(arrivals.runId, runId)));
  return Number(sum!.bytes);
}
