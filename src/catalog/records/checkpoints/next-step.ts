import { eq, sql } from 'drizzle-orm';
import type { Db } from '../../db/database.ts';
import { checkpoints, hubRefs, runs } from '../../db/schema.ts';

/**
 * See `CheckpointRecords.nextStep`. The records of deleted checkpoints go when nothing builds on them; the tags that a
 * commit gave their steps stay, since revisions do not change.
 */
export async function nextStep({ query }: Db, runId: string): Promise<number> {
  const digits = sql`substring(${hubRefs.name} from length(${runs.name}) + length('/step-') + 1)`;
  const tagged = sql`
    select max(case when ${digits} ~ '^[0-9]{1,15}$' then ${digits}::bigint end) from ${hubRefs}
    join ${runs} on ${runs.repositoryId} = ${hubRefs.repositoryId}
    where ${runs.id} = ${runId} and ${hubRefs.kind} = 'tag' and starts_with(${hubRefs.name}, ${runs.name} || '/step-')`;
  const [found] = await query
    .select({ next: sql<string>`(greatest(coalesce(max(${checkpoints.step}), -1), (${tagged})) + 1)::text` })
    .from(checkpoints)
    .where(eq(checkpoints.runId, runId));
  return Number(found!.next);
}
