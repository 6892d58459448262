import { eq, inArray, sql } from 'drizzle-orm';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { PackageRecord, PackageRecords } from './catalog.ts';
import { refuseCondemned } from './condemn.ts';
import type { Db } from './database.ts';
import { dropNulls } from './drop-nulls.ts';
import { packageMerging } from './package-merging.ts';
import { packages } from './schema.ts';

/** Longest chain that is followed, in packages: a bound on the recursion, far above what encoding allows. */
const chainLengthMax = 4096;

/** See `PackageRecords`. */
export function packageRecords(db: Db): PackageRecords {
  const { query } = db;
  return {
    create: (input) =>
      db.transaction(async (tx) => {
        await refuseCondemned(tx, [input.key]);
        const [created] = await tx.query.insert(packages).values(input).onConflictDoNothing().returning();
        if (created === undefined) throw new FirnError('conflict', 'The package exists already.');
        return dropNulls(created);
      }),
    async get(id) {
      const [found] = await query.select().from(packages).where(eq(packages.id, id));
      return found && dropNulls(found);
    },
    async chain(id) {
      const ids = (
        await db.rows(sql`
        with recursive chain (id, depth) as (
          select id, 1 from ${packages} where id = ${id}
          union all
          select ${packages.ancestorId}, depth + 1 from chain join ${packages} on ${packages.id} = chain.id
          where ${packages.ancestorId} is not null and depth < ${chainLengthMax}
        )
        select id from chain order by depth`)
      ).map((row) => row['id'] as string);
      if (ids.length === 0) throw new FirnError('not-found', 'There is no such package.');
      const found = new Map((await query.select().from(packages).where(inArray(packages.id, ids))).map((row) => [row.id, dropNulls(row)]));
      return unbroken(
        id,
        ids.flatMap((link) => found.get(link) ?? []),
      );
    },
    ...packageMerging(db),
  };
}

/** A chain counts down to one base. */
function unbroken(id: string, chain: readonly PackageRecord[]): PackageRecord[] {
  const whole = chain.every(
    ({ kind, chainLength }, position) => chainLength === chain.length - position && (kind === 'base') === (position === chain.length - 1),
  );
  if (!whole) throw new FirnError('internal', 'The checkpoint cannot be rebuilt: its chain is broken.', { detail: `package ${id}` });
  return [...chain];
}
