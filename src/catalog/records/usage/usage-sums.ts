import { sql, type SQL } from 'drizzle-orm';
import { isLive } from '../live-body-reservations.ts';
import {
  bodyReservations,
  checkpointFiles,
  checkpoints,
  pendingDeletions,
  evalSets,
  hubBlobs,
  hubParts,
  hubXorbs,
  packages,
  runs,
  transfers,
  uploadPieces,
  uploads,
} from '../../db/schema.ts';

/** Selects the repositories to count: a condition on the column or expression with their id. */
export type UsageScope = (repositoryId: SQL) => SQL;

const ofRun = sql`${runs.repositoryId}`;
const joinRun = (checkpointId: SQL): SQL =>
  sql`join ${checkpoints} on ${checkpoints.id} = ${checkpointId} join ${runs} on ${runs.id} = ${checkpoints.runId}`;

/** Stored bytes of all named objects, as rows of (repository_id, part, bytes). */
export function namedSums(scope: UsageScope): SQL {
  return sql`
    select ${ofRun} as repository_id,
      case when ${checkpoints.deletedAt} is null then 'package' else 'hidden' end as part,
      sum(${packages.storedBytes}) as bytes
    from ${packages} ${joinRun(sql`${packages.checkpointId}`)} where ${scope(ofRun)} group by 1, 2
    union all
    select ${ofRun},
      case when ${checkpoints.deletedAt} is not null then 'hidden'
        when ${checkpoints.state} in ('open', 'queued', 'working') then 'staged' else 'raw' end,
      sum(${checkpointFiles.rawStoredBytes})
    from ${checkpointFiles} ${joinRun(sql`${checkpointFiles.checkpointId}`)}
    where ${checkpointFiles.rawKey} is not null and ${scope(ofRun)} group by 1, 2
    union all
    select ${evalSets.repositoryId}, 'evalSet',
      sum(coalesce(${evalSets.graphStoredBytes}, ${evalSets.graphBytes}, 0)
        + coalesce(${evalSets.batchesStoredBytes}, ${evalSets.batchesBytes}, 0))
    from ${evalSets} where ${scope(sql`${evalSets.repositoryId}`)} group by 1
    union all
    select ${uploads.repositoryId}, 'staged', sum(${uploadPieces.storedBytes})
    from ${uploadPieces} join ${uploads} on ${uploads.id} = ${uploadPieces.uploadId}
    where ${scope(sql`${uploads.repositoryId}`)} group by 1
    union all
    select ${hubBlobs.repositoryId}, case when ${hubBlobs.isCommitted} then 'hub' else 'staged' end,
      sum(${hubBlobs.rawStoredBytes})
    from ${hubBlobs} where ${hubBlobs.rawKey} is not null and ${scope(sql`${hubBlobs.repositoryId}`)} group by 1, 2
    union all
    select ${hubParts.repositoryId}, 'staged', sum(${hubParts.storedBytes})
    from ${hubParts} where ${scope(sql`${hubParts.repositoryId}`)} group by 1
    union all
    select ${hubXorbs.repositoryId}, 'staged', sum(${hubXorbs.storedBytes})
    from ${hubXorbs} where ${scope(sql`${hubXorbs.repositoryId}`)} group by 1`;
}

/**
 * Bytes reserved for arriving bodies, except the one of `exceptId`, and the missing bytes of uploads in several
 * requests.
 */
export function reservedSums(scope: UsageScope, exceptId = ''): SQL {
  const repositoryId = sql`coalesce(${runs.repositoryId}, ${evalSets.repositoryId}, ${bodyReservations.repositoryId})`;
  return sql`
    select ${repositoryId} as repository_id, 'reserved' as part, sum(${bodyReservations.sizeBytes}) as bytes
    from ${bodyReservations} left join ${runs} on ${runs.id} = ${bodyReservations.runId}
    left join ${evalSets} on ${evalSets.id} = ${bodyReservations.evalSetId}
    where ${isLive} and ${bodyReservations.id} <> ${exceptId} and ${scope(repositoryId)} group by 1
    union all
    select ${uploads.repositoryId}, 'reserved', sum(${uploads.sizeBytes} - ${uploads.receivedBytes})
    from ${uploads} where not ${uploads.isComplete} and ${scope(sql`${uploads.repositoryId}`)} group by 1`;
}

/** All sums of a usage report. */
export function usageSums(scope: UsageScope): SQL {
  return sql`
    ${namedSums(scope)}
    union all ${reservedSums(scope)}
    union all
    select ${ofRun}, 'logical', sum(${checkpointFiles.sizeBytes})
    from ${checkpointFiles} ${joinRun(sql`${checkpointFiles.checkpointId}`)}
    where ${checkpoints.deletedAt} is null and ${checkpointFiles.received} and ${checkpointFiles.role} <> 'sensitivity'
      and ${scope(ofRun)} group by 1
    union all
    select ${hubBlobs.repositoryId}, 'logical', sum(${hubBlobs.sizeBytes})
    from ${hubBlobs}
    where ${hubBlobs.isCommitted} and ${hubBlobs.rawKey} is not null and ${scope(sql`${hubBlobs.repositoryId}`)}
    group by 1
    union all
    select ${ofRun}, counted.part, sum(counted.bytes)
    from ${checkpoints} join ${runs} on ${runs.id} = ${checkpoints.runId}
    cross join lateral (values ('compressed', 1::bigint),
      ('compressedRaw', (${checkpoints.result} ->> 'rawBytes')::bigint),
      ('compressedStored', (${checkpoints.result} ->> 'storedBytes')::bigint)) counted (part, bytes)
    where ${checkpoints.deletedAt} is null and ${checkpoints.state} = 'ready' and ${checkpoints.result} is not null
      and ${scope(ofRun)} group by 1, 2
    union all
    select ${pendingDeletions.repositoryId}, 'pendingDeletion', sum(coalesce(${pendingDeletions.storedBytes}, 0))
    from ${pendingDeletions} where ${scope(sql`${pendingDeletions.repositoryId}`)} group by 1
    union all
    select ${transfers.repositoryId}, 'received', sum(${transfers.receivedBytes}) from ${transfers}
    where ${scope(sql`${transfers.repositoryId}`)} group by 1
    union all
    select ${transfers.repositoryId}, 'sent', sum(${transfers.sentBytes}) from ${transfers}
    where ${scope(sql`${transfers.repositoryId}`)} group by 1`;
}
