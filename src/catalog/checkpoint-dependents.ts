import { and, eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Db } from './database.ts';
import { checkpoints, packages, runs } from './schema.ts';

/**
 * Whether something builds on a checkpoint: the package that another checkpoint (live or hidden) uses is a delta to a package of this one, or a
 * run was forked from it.
 */
export async function buildsOn({ query }: Db, checkpointId: string): Promise<boolean> {
  const descendant = alias(packages, 'descendant');
  const [package_] = await query
    .select({ id: packages.id })
    .from(packages)
    .innerJoin(descendant, eq(descendant.ancestorId, packages.id))
    .innerJoin(checkpoints, eq(checkpoints.packageId, descendant.id))
    .where(and(eq(packages.checkpointId, checkpointId)))
    .limit(1);
  if (package_ !== undefined) return true;
  const [fork] = await query.select({ id: runs.id }).from(runs).where(eq(runs.parentCheckpointId, checkpointId)).limit(1);
  return fork !== undefined;
}
