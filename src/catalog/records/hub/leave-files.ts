import { inArray, sql, type SQL } from 'drizzle-orm';
import type { Db } from '../../db/database.ts';
import { checkpointFiles, checkpoints, hubBlobs, runs } from '../../db/schema.ts';

/**
 * Takes blobs from the files in `which`, whose checkpoints were hidden before in the same transaction: each gets
 * another file of its repository with the same bytes, or else has none and can be uploaded again.
 */
export async function leaveFiles({ query }: Db, which: SQL): Promise<void> {
  const gone = query.select({ id: checkpointFiles.id }).from(checkpointFiles).where(which);
  await query.update(hubBlobs).set({ fileId: otherFile }).where(inArray(hubBlobs.fileId, gone));
}

/**
 * Takes blobs from files that gave up their uploaded objects before in the same transaction, unless the download of the
 * file has the blob's bytes. Each gets another file, like those of `leaveFiles`.
 */
export async function leaveReleased({ query }: Db, fileIds: readonly string[]): Promise<void> {
  if (fileIds.length === 0) return;
  const hasOtherBytes = sql`exists (
    select 1 from ${checkpointFiles} file
    where file.id = ${hubBlobs.fileId} and file.result_sha256 is distinct from ${hubBlobs.sha256})`;
  await query
    .update(hubBlobs)
    .set({ fileId: otherFile })
    .where(sql`${inArray(hubBlobs.fileId, [...fileIds])} and ${hasOtherBytes}`);
}

/** A live file of the blob's repository with its bytes; an upload before a download. */
const otherFile = sql`(
  select other.id from ${checkpointFiles} other
  join ${checkpoints} on ${checkpoints.id} = other.checkpoint_id join ${runs} on ${runs.id} = ${checkpoints.runId}
  where ${runs.repositoryId} = ${hubBlobs.repositoryId} and ${checkpoints.deletedAt} is null and (
    (other.result_sha256 = ${hubBlobs.sha256} and ${checkpoints.state} = 'ready')
    or (other.sha256 = ${hubBlobs.sha256} and other.raw_key is not null))
  order by other.raw_key is null, other.id limit 1)`;
