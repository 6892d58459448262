import { and, eq, inArray, isNotNull, notExists } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { checkpointStates } from '../../contract/checkpoint-records.ts';
import { isTerminal } from './checkpoint-moves.ts';
import type { Db } from '../../db/database.ts';
import { originsReferredTo } from '../files/file-origins.ts';
import { checkpoints, packages, runs } from '../../db/schema.ts';

const ended = checkpointStates.filter(isTerminal);

/**
 * Whether anything builds on a checkpoint: another checkpoint (live or hidden) uses a delta to a package of this one, a
 * file of another checkpoint refers to one of this one, or a run was forked from it.
 */
export async function buildsOn({ query }: Db, checkpointId: string): Promise<boolean> {
  const descendant = alias(packages, 'descendant');
  const [package_] = await query
    .select({ id: packages.id })
    .from(packages)
    .innerJoin(descendant, eq(descendant.ancestorId, packages.id))
    .innerJoin(checkpoints, eq(checkpoints.packageId, descendant.id))
    .where(eq(packages.checkpointId, checkpointId))
    .limit(1);
  if (package_ !== undefined) return true;
  const [origin] = await originsReferredTo({ query }, checkpointId).limit(1);
  if (origin !== undefined) return true;
  const [fork] = await query
    .select({ id: runs.id })
    .from(runs)
    .where(eq(runs.parentCheckpointId, checkpointId))
    .limit(1);
  return fork !== undefined;
}

/** Ids of hidden, ended checkpoints that nothing builds on, at most `limit`. */
export async function reclaimableCheckpoints({ query }: Db, limit: number): Promise<string[]> {
  const descendant = alias(packages, 'descendant');
  const user = alias(checkpoints, 'user_of_descendant');
  const deltas = query
    .select({ id: packages.id })
    .from(packages)
    .innerJoin(descendant, eq(descendant.ancestorId, packages.id))
    .innerJoin(user, eq(user.packageId, descendant.id))
    .where(eq(packages.checkpointId, checkpoints.id));
  const forks = query.select({ id: runs.id }).from(runs).where(eq(runs.parentCheckpointId, checkpoints.id));
  const found = await query
    .select({ id: checkpoints.id })
    .from(checkpoints)
    .where(
      and(
        isNotNull(checkpoints.deletedAt),
        inArray(checkpoints.state, ended),
        notExists(deltas),
        notExists(originsReferredTo({ query })),
        notExists(forks),
      ),
    )
    .limit(limit);
  return found.map(({ id }) => id);
}
