import { inArray, sql, type SQL } from 'drizzle-orm';
import type { Db } from '../../db/database.ts';
import { checkpointFiles, checkpoints, hubBlobs, runs } from '../../db/schema.ts';

/**
 * Takes blobs from the files in `which`, whose checkpoints were hidden before in the same transaction: each gets
 * another file of its repository with the same bytes, or else has none and can be uploaded again.
 */
export async function leaveFiles({ query }: Db, which: SQL): Promise<void> {
  const gone = query.select({ id: checkpointFiles.id }).from(checkpointFiles).where(which);
  const other = sql`(
    select other.id from ${checkpointFiles} other
    join ${checkpoints} on ${checkpoints.id} = other.checkpoint_id join ${runs} on ${runs.id} = ${checkpoints.runId}
    where ${runs.repositoryId} = ${hubBlobs.repositoryId} and ${checkpoints.deletedAt} is null and (
      (other.result_sha256 = ${hubBlobs.sha256} and ${checkpoints.state} = 'ready')
      or (other.sha256 = ${hubBlobs.sha256} and other.raw_key is not null))
    order by other.raw_key is null, other.id limit 1)`;
  await query.update(hubBlobs).set({ fileId: other }).where(inArray(hubBlobs.fileId, gone));
}
