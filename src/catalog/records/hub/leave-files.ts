import { inArray, sql, type SQL } from 'drizzle-orm';
import type { Db } from '../../db/database.ts';
import { checkpointFiles, checkpoints, hubBlobs, runs } from '../../db/schema.ts';

/**
 * Takes blobs from the files in `which`, whose checkpoints were hidden before in the same transaction: each gets
 * another file of its repository with the same bytes, or else has none and can be uploaded again. What these files
 * released before is not readable any more either.
 */
export async function leaveFiles(db: Db, which: SQL): Promise<void> {
  const { query } = db;
  const gone = query.select({ id: checkpointFiles.id }).from(checkpointFiles).where(which);
  await query.update(hubBlobs).set({ fileId: otherFile() }).where(inArray(hubBlobs.fileId, gone));
  await db.rows(sql`
    update ${hubBlobs} set released_key = null
    from ${checkpointFiles} join ${checkpoints} on ${checkpoints.id} = ${checkpointFiles.checkpointId}
    join ${runs} on ${runs.id} = ${checkpoints.runId}
    where ${which} and ${hubBlobs.repositoryId} = ${runs.repositoryId}
      and ${hubBlobs.sha256} = ${checkpointFiles.sha256} and ${hubBlobs.releasedKey} is not null`);
}

/**
 * Takes blobs from files that are about to give up their uploaded objects, unless the download of the file has the
 * blob's bytes. Each gets another file, like those of `leaveFiles`, and remembers the object.
 */
export async function leaveReleased(db: Db, fileIds: readonly string[]): Promise<void> {
  if (fileIds.length === 0) return;
  const ids = sql`(${sql.join(
    fileIds.map((id) => sql`${id}`),
    sql`, `,
  )})`;
  await db.rows(sql`
    update ${hubBlobs} set file_id = ${otherFile(sql`and other.id not in ${ids}`)}, released_key = file.raw_key
    from ${checkpointFiles} file
    where file.id in ${ids} and file.id = ${hubBlobs.fileId}
      and file.result_sha256 is distinct from ${hubBlobs.sha256}`);
}

/** A live file of the blob's repository with its bytes; an upload before a download. */
function otherFile(condition = sql``): SQL {
  return sql`(
    select other.id from ${checkpointFiles} other
    join ${checkpoints} on ${checkpoints.id} = other.checkpoint_id join ${runs} on ${runs.id} = ${checkpoints.runId}
    where ${runs.repositoryId} = ${hubBlobs.repositoryId} and ${checkpoints.deletedAt} is null and (
      (other.result_sha256 = ${hubBlobs.sha256} and ${checkpoints.state} = 'ready')
      or (other.sha256 = ${hubBlobs.sha256} and other.raw_key is not null)) ${condition}
    order by other.raw_key is null, other.id limit 1)`;
}
