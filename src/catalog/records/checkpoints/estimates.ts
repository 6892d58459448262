import { and, eq, inArray, sql } from 'drizzle-orm';
import type { EstimateRecords } from '../../contract/estimate-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { estimates } from '../../db/schema.ts';

/** See `EstimateRecords`. */
export function estimateRecords({ query }: Db): EstimateRecords {
  return {
    async begin(checkpointId, thresholds) {
      const fresh = {
        thresholds,
        state: 'queued' as const,
        result: null,
        errorCode: null,
        errorMessage: null,
        createdAt: sql`now()`,
        finishedAt: null,
      };
      const [begun] = await query
        .insert(estimates)
        .values({ checkpointId, ...fresh })
        .onConflictDoUpdate({ target: estimates.checkpointId, set: fresh })
        .returning();
      return dropNulls(begun!);
    },
    async get(checkpointId) {
      const [found] = await query.select().from(estimates).where(eq(estimates.checkpointId, checkpointId));
      return found && dropNulls(found);
    },
    async move(checkpointId, state, ending = {}) {
      await query
        .update(estimates)
        .set({ state, ...ending })
        .where(and(eq(estimates.checkpointId, checkpointId), inArray(estimates.state, ['queued', 'working'])));
    },
  };
}
