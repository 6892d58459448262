import { and, asc, desc, eq, getTableColumns, inArray, isNotNull, isNull, ne, or } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { CheckpointFile } from '../../contract/file-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { checkpointFiles as files, checkpoints, packages, runs } from '../../db/schema.ts';

/** Most digests of one query: far below the protocol's 65535 parameters. */
const digestsPerQuery = 1000;

/** Whether a file holds its own download's bytes, as a raw object or in its checkpoint's package. */
const holdsBytes = or(eq(files.storage, 'package'), and(eq(files.storage, 'raw'), isNotNull(files.rawKey)));

/** See `FileRecords.holding`. */
export async function filesHolding(
  { query }: Db,
  repositoryId: string,
  digests: readonly string[],
): Promise<CheckpointFile[]> {
  const found: CheckpointFile[] = [];
  for (let start = 0; start < digests.length; start += digestsPerQuery) {
    const rows = await query
      .selectDistinctOn([files.resultSha256], getTableColumns(files))
      .from(files)
      .innerJoin(checkpoints, eq(checkpoints.id, files.checkpointId))
      .innerJoin(runs, eq(runs.id, checkpoints.runId))
      .innerJoin(packages, eq(packages.id, checkpoints.packageId))
      .where(
        and(
          inArray(files.resultSha256, digests.slice(start, start + digestsPerQuery)),
          holdsBytes,
          eq(checkpoints.state, 'ready'),
          isNull(checkpoints.deletedAt),
          eq(runs.repositoryId, repositoryId),
        ),
      )
      .orderBy(
        files.resultSha256,
        desc(files.storage),
        asc(packages.chainLength),
        asc(checkpoints.finishedAt),
        asc(files.id),
      );
    found.push(...rows.map(dropNulls));
  }
  return found;
}

/**
 * Locks an origin and checks that it holds its bytes, until the transaction ends. From then on the committed reference
 * keeps them. `conflict` if it does not hold them.
 */
export async function holdOrigin({ query }: Db, checkpointId: string, originId: string | undefined): Promise<void> {
  const repositoryOf = (id: string) =>
    query
      .select({ id: runs.repositoryId })
      .from(checkpoints)
      .innerJoin(runs, eq(runs.id, checkpoints.runId))
      .where(eq(checkpoints.id, id));
  const [origin] = await query
    .select({ checkpointId: files.checkpointId })
    .from(files)
    .where(and(eq(files.id, originId ?? ''), holdsBytes))
    .for('share');
  const [there, here] =
    origin === undefined ? [] : [(await repositoryOf(origin.checkpointId))[0], (await repositoryOf(checkpointId))[0]];
  if (there === undefined || there.id !== here?.id)
    throw new FirnError('conflict', 'The stored file that another one is identical to is gone.');
}

/**
 * Ids of a checkpoint's files that files of other checkpoints refer to. Without `checkpointId`, of the checkpoint of
 * the outer query.
 */
export function originsReferredTo(
  { query }: Pick<Db, 'query'>,
  checkpointId: string | typeof checkpoints.id = checkpoints.id,
) {
  const reference = alias(files, 'reference');
  return query
    .select({ id: files.id })
    .from(files)
    .innerJoin(reference, and(eq(reference.originId, files.id), ne(reference.checkpointId, files.checkpointId)))
    .where(eq(files.checkpointId, checkpointId));
}
