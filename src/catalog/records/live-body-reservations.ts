import { and, eq, gt, sql } from 'drizzle-orm';
import type { Db } from '../db/database.ts';
import { bodyReservations, type checkpoints } from '../db/schema.ts';

/** A body reservation is live while its gateway renews it. */
export const isLive = gt(bodyReservations.expiresAt, sql`now()`);

/** Ids of the live body reservations of a checkpoint; the id may be a column of the outer query. */
export function bodyReservationsOf({ query }: Pick<Db, 'query'>, checkpointId: string | typeof checkpoints.id) {
  return query
    .select({ id: bodyReservations.id })
    .from(bodyReservations)
    .where(and(eq(bodyReservations.checkpointId, checkpointId), isLive));
}
