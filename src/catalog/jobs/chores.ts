import { eq, lte, sql } from 'drizzle-orm';
import type { ChoreRecords } from '../contract/work/chore-records.ts';
import type { Db } from '../db/database.ts';
import { msFromNow } from './job-rows.ts';
import { chores } from '../db/schema.ts';

/** See `ChoreRecords`. */
export function choreRecords({ query }: Db): ChoreRecords {
  return {
    async begin(name, everyMs) {
      const begun = await query
        .insert(chores)
        .values({ name, begunAt: sql`now()` })
        .onConflictDoUpdate({
          target: chores.name,
          set: { begunAt: sql`now()` },
          setWhere: lte(chores.begunAt, msFromNow(-everyMs)),
        })
        .returning({ name: chores.name });
      return begun.length > 0;
    },
    async keep(name) {
      await query
        .update(chores)
        .set({ begunAt: sql`now()` })
        .where(eq(chores.name, name));
    },
  };
}
