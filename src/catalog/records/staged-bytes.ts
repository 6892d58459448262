import { and, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import type { Db } from '../db/database.ts';
import {
  checkpointFiles as files,
  checkpoints,
  evalSets,
  hubBlobs,
  hubParts,
  hubXorbs,
  uploads,
} from '../db/schema.ts';

/** See `FileRecords.stagedBytes`. */
export async function stagedBytes(db: Pick<Db, 'query'>, runId?: string): Promise<number> {
  const uncommitted = runId === undefined ? await uncommittedBytes(db) : 0;
  return (await fileBytes(db, runId)) + (await uploadBytes(db, runId)) + uncommitted;
}

/**
 * Bytes of unfinished uploads. An upload counts with its full size, because one that has begun must have room to end.
 * If it cannot receive bytes any more, only its received bytes count. The total leaves out uploads of eval sets, which
 * do not wait for compression; otherwise a client could announce many and block all checkpoints.
 */
async function uploadBytes({ query }: Pick<Db, 'query'>, ownerId?: string): Promise<number> {
  const ofOwner =
    ownerId === undefined
      ? isNotNull(uploads.checkpointId)
      : or(eq(checkpoints.runId, ownerId), eq(uploads.evalSetId, ownerId));
  const isOpen = sql`coalesce(${checkpoints.state}, ${evalSets.state}) = 'open'`;
  const [sum] = await query
    .select({
      bytes: sql<string>`coalesce(
        sum(case when ${isOpen} then ${uploads.sizeBytes} else ${uploads.receivedBytes} end), 0)::text`,
    })
    .from(uploads)
    .leftJoin(checkpoints, eq(checkpoints.id, uploads.checkpointId))
    .leftJoin(evalSets, eq(evalSets.id, uploads.evalSetId))
    .where(and(eq(uploads.isComplete, false), ofOwner));
  return Number(sum!.bytes);
}

async function fileBytes({ query }: Pick<Db, 'query'>, runId?: string): Promise<number> {
  const [sum] = await query
    .select({ bytes: sql<string>`coalesce(sum(${files.rawStoredBytes}), 0)::text` })
    .from(files)
    .innerJoin(checkpoints, eq(checkpoints.id, files.checkpointId))
    .where(
      and(
        inArray(checkpoints.state, ['open', 'queued', 'working']),
        runId === undefined ? undefined : eq(checkpoints.runId, runId),
      ),
    );
  return Number(sum!.bytes);
}

/** Bytes that hub clients uploaded and no commit names yet. */
async function uncommittedBytes({ query }: Pick<Db, 'query'>): Promise<number> {
  const [blobs] = await query
    .select({ bytes: sql<string>`coalesce(sum(${hubBlobs.rawStoredBytes}), 0)::text` })
    .from(hubBlobs)
    .where(eq(hubBlobs.isCommitted, false));
  const [xorbs] = await query
    .select({ bytes: sql<string>`coalesce(sum(${hubXorbs.storedBytes}), 0)::text` })
    .from(hubXorbs);
  const [parts] = await query
    .select({ bytes: sql<string>`coalesce(sum(${hubParts.storedBytes}), 0)::text` })
    .from(hubParts);
  return Number(blobs!.bytes) + Number(xorbs!.bytes) + Number(parts!.bytes);
}
