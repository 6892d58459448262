import { and, eq, gt, sql } from 'drizzle-orm';
import type { Db } from '../db/database.ts';
import { arrivals, type checkpoints } from '../db/schema.ts';

/** Of an arrival: its gateway shows signs of life. */
export const isArriving = gt(arrivals.keepUntil, sql`now()`);

/** Ids of the living arrivals of a checkpoint, which may be a column of the outer query. */
export function arrivalsOf({ query }: Pick<Db, 'query'>, checkpointId: string | typeof checkpoints.id) {
  return query
    .select({ id: arrivals.id })
    .from(arrivals)
    .where(and(eq(arrivals.checkpointId, checkpointId), isArriving));
}
