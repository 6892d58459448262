import { and, eq, isNotNull, lte, ne, sql } from 'drizzle-orm';
import { arrivalsOf, isArriving } from '../arriving.ts';
import type { ArrivalRecords, ArrivingBytes } from '../../contract/arrival-records.ts';
import type { Db } from '../../db/database.ts';
import { msFromNow } from '../../jobs/job-rows.ts';
import { roomOfNamespace } from './namespace-room.ts';
import { arrivals } from '../../db/schema.ts';
import { stagedBytes } from '../staged-bytes.ts';

/** Key of the advisory lock under which room is given: two gateways that ask at once see each other's answers. Any number nobody else uses. */
const admissionLockKey = 0x6669_726f;

/** See `ArrivalRecords`. */
export function arrivalRecords(db: Db): ArrivalRecords {
  const { query } = db;
  return {
    take: (arrival, limits) =>
      db.transaction(async (tx) => {
        const { id, sizeBytes, aheadBytes = 0, keepMs, ...owner } = arrival;
        const roomBytes = await roomOfNamespace(tx, arrival);
        if (sizeBytes > roomBytes) return 'over-quota';
        await tx.rows(sql`select 1 from pg_advisory_xact_lock(${admissionLockKey})`);
        await tx.query.delete(arrivals).where(lte(arrivals.keepUntil, sql`now()`));
        const stagingBytes = 'runId' in arrival ? await stagingRoom(tx, arrival, limits) : Number.POSITIVE_INFINITY;
        if (typeof stagingBytes === 'string') return stagingBytes;
        const taken = { sizeBytes: Math.min(sizeBytes + aheadBytes, roomBytes, stagingBytes), keepUntil: msFromNow(keepMs) };
        await tx.query
          .insert(arrivals)
          .values({ id, ...owner, ...taken })
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

/** Bytes that a checkpoint's body may have, or which limit leaves it fewer than it takes. */
async function stagingRoom(
  tx: Db,
  { id, runId, sizeBytes }: Pick<ArrivingBytes, 'id' | 'sizeBytes'> & { readonly runId: string },
  limits: { readonly runBytesMax: number; readonly bytesMax: number },
): Promise<number | 'run-full' | 'full'> {
  // What arrives first: a body that is recorded in between is counted twice, never missed.
  const ofRunBytes = limits.runBytesMax - (await arrivingBytes(tx, id, runId)) - (await stagedBytes(tx, runId));
  if (sizeBytes > ofRunBytes) return 'run-full';
  const ofAllBytes = limits.bytesMax - (await arrivingBytes(tx, id)) - (await stagedBytes(tx));
  return sizeBytes > ofAllBytes ? 'full' : Math.min(ofRunBytes, ofAllBytes);
}

async function arrivingBytes({ query }: Db, exceptId: string, runId?: string): Promise<number> {
  const [sum] = await query
    .select({ bytes: sql<string>`coalesce(sum(${arrivals.sizeBytes}), 0)::text` })
    .from(arrivals)
    .where(and(ne(arrivals.id, exceptId), isArriving, runId === undefined ? isNotNull(arrivals.runId) : eq(arrivals.runId, runId)));
  return Number(sum!.bytes);
}
