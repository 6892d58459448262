import { eq, inArray, sql, type SQL } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { PackageRecord, PackageRecords } from '../../contract/storage/package-records.ts';
import { refusePendingDeletion } from '../mark-pending-deletion.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { packageMerging } from './package-merging.ts';
import { checkpoints, packages, runs } from '../../db/schema.ts';

/** Longest chain, in packages: bounds the recursion, far above the limit of the encoder. */
const chainLengthMax = 4096;

/** See `PackageRecords`. */
export function packageRecords(db: Db): PackageRecords {
  const { query } = db;
  return {
    create: (input) =>
      db.transaction(async (tx) => {
        await refusePendingDeletion(tx, [input.key]);
        const [created] = await tx.query.insert(packages).values(input).onConflictDoNothing().returning();
        if (created === undefined) throw new FirnError('conflict', 'The package exists already.');
        return dropNulls(created);
      }),
    async get(id) {
      const [found] = await query.select().from(packages).where(eq(packages.id, id));
      return found && dropNulls(found);
    },
    async chain(id) {
      const rows = await query
        .select()
        .from(packages)
        .where(inArray(packages.id, idsOfChain(id)));
      const found = new Map(rows.map((row) => [row.id, dropNulls(row)]));
      const chain: PackageRecord[] = [];
      // Each package is removed from the map when it is met, so that a circle ends.
      for (
        let link = found.get(id);
        link !== undefined;
        link = link.ancestorId === undefined ? undefined : found.get(link.ancestorId)
      ) {
        found.delete(link.id);
        chain.push(link);
      }
      if (chain.length === 0) throw new FirnError('not-found', 'There is no such package.');
      return unbroken(id, chain);
    },
    placesOfChain: (id) =>
      query
        .select({ packageId: packages.id, repositoryId: runs.repositoryId })
        .from(packages)
        .innerJoin(checkpoints, eq(checkpoints.id, packages.checkpointId))
        .innerJoin(runs, eq(runs.id, checkpoints.runId))
        .where(inArray(packages.id, idsOfChain(id))),
    ...packageMerging(db),
  };
}

/** Ids of a package and its ancestors, as a query. */
function idsOfChain(id: string): SQL {
  return sql`(
    with recursive chain (id, depth) as (
      select id, 1 from ${packages} where id = ${id}
      union all
      select ${packages.ancestorId}, depth + 1 from chain join ${packages} on ${packages.id} = chain.id
      where ${packages.ancestorId} is not null and depth < ${chainLengthMax}
    )
    select id from chain)`;
}

/** In a valid chain the chain lengths count down to 1, the base's. */
function unbroken(id: string, chain: PackageRecord[]): PackageRecord[] {
  const whole = chain.every(
    ({ kind, chainLength }, position) =>
      chainLength === chain.length - position && (kind === 'base') === (position === chain.length - 1),
  );
  if (!whole)
    throw new FirnError('internal', 'The checkpoint cannot be rebuilt: its chain is broken.', {
      detail: `package ${id}`,
    });
  return chain;
}
