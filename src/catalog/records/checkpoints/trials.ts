import { asc, eq } from 'drizzle-orm';
import type { TrialRecords } from '../../contract/trial-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { trials } from '../../db/schema.ts';

/** See `TrialRecords`. */
export function trialRecords({ query }: Db): TrialRecords {
  return {
    async record(trial) {
      await query.insert(trials).values(trial).onConflictDoNothing();
    },
    async list(checkpointId) {
      const found = await query
        .select()
        .from(trials)
        .where(eq(trials.checkpointId, checkpointId))
        .orderBy(asc(trials.ordinal), asc(trials.configKey));
      return found.map(dropNulls);
    },
  };
}
