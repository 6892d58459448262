import { and, eq, isNull, lte, ne, sql } from 'drizzle-orm';
import { bodyReservationsOf, isLive } from '../live-body-reservations.ts';
import type { BodyReservationRecords, BytesToReserve } from '../../contract/uploads/body-reservation-records.ts';
import type { Db } from '../../db/database.ts';
import { msFromNow } from '../../jobs/job-rows.ts';
import { roomOfNamespace } from './namespace-room.ts';
import { bodyReservations } from '../../db/schema.ts';
import { stagedBytes } from '../staged-bytes.ts';

/**
 * Key of the advisory lock that serializes reservations, so that two gateways see each other's. Any number that is not
 * used elsewhere.
 */
const admissionLockKey = 0x6669_726f;

/** See `BodyReservationRecords`. */
export function bodyReservationRecords(db: Db): BodyReservationRecords {
  const { query } = db;
  return {
    take: (reservation, limits) =>
      db.transaction(async (tx) => {
        const { id, sizeBytes, aheadBytes = 0, ttlMs, ...owner } = reservation;
        const roomBytes = await roomOfNamespace(tx, reservation);
        if (sizeBytes > roomBytes) return 'over-quota';
        await tx.rows(sql`select 1 from pg_advisory_xact_lock(${admissionLockKey})`);
        await tx.query.delete(bodyReservations).where(lte(bodyReservations.expiresAt, sql`now()`));
        const stagingBytes =
          'evalSetId' in reservation ? Number.POSITIVE_INFINITY : await stagingRoom(tx, reservation, limits);
        if (typeof stagingBytes === 'string') return stagingBytes;
        const taken = {
          sizeBytes: Math.min(sizeBytes + aheadBytes, roomBytes, stagingBytes),
          expiresAt: msFromNow(ttlMs),
        };
        await tx.query
          .insert(bodyReservations)
          .values({ id, ...owner, ...taken })
          .onConflictDoUpdate({ target: bodyReservations.id, set: taken });
        return { takenBytes: taken.sizeBytes };
      }),
    async renew(id, ttlMs) {
      await query
        .update(bodyReservations)
        .set({ expiresAt: msFromNow(ttlMs) })
        .where(eq(bodyReservations.id, id));
    },
    async release(id) {
      await query.delete(bodyReservations).where(eq(bodyReservations.id, id));
    },
    async has(checkpointId) {
      return (await bodyReservationsOf(db, checkpointId).limit(1)).length > 0;
    },
  };
}

/** The number of bytes that a checkpoint's body may have, or the limit that leaves it fewer than it needs. */
async function stagingRoom(
  tx: Db,
  { id, runId, sizeBytes }: Pick<BytesToReserve, 'id' | 'sizeBytes'> & { readonly runId?: string },
  limits: { readonly runBytesMax: number; readonly bytesMax: number },
): Promise<number | 'run-full' | 'full'> {
  // Sum arriving bodies before staged ones: a body recorded in between is counted twice, never missed.
  const ofRunBytes =
    runId === undefined
      ? Number.POSITIVE_INFINITY
      : limits.runBytesMax - (await reservedBytes(tx, id, runId)) - (await stagedBytes(tx, runId));
  if (sizeBytes > ofRunBytes) return 'run-full';
  const ofAllBytes = limits.bytesMax - (await reservedBytes(tx, id)) - (await stagedBytes(tx));
  return sizeBytes > ofAllBytes ? 'full' : Math.min(ofRunBytes, ofAllBytes);
}

async function reservedBytes({ query }: Db, exceptId: string, runId?: string): Promise<number> {
  const [sum] = await query
    .select({ bytes: sql<string>`coalesce(sum(${bodyReservations.sizeBytes}), 0)::text` })
    .from(bodyReservations)
    .where(
      and(
        ne(bodyReservations.id, exceptId),
        isLive,
        runId === undefined ? isNull(bodyReservations.evalSetId) : eq(bodyReservations.runId, runId),
      ),
    );
  return Number(sum!.bytes);
}
