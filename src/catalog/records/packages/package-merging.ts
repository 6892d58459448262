import { and, asc, count, desc, eq, getTableColumns, inArray, isNull, lt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { PackageRecords } from '../../contract/storage/package-records.ts';
import { markPackagesPendingDeletion, refusePendingDeletion } from '../mark-pending-deletion.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { checkpoints, packages } from '../../db/schema.ts';

const { touchedAt: _, ...checkpointColumns } = getTableColumns(checkpoints);

type MergeVerbs = Pick<PackageRecords, 'mergeable' | 'merge' | 'setMergeTried'>;

/** The verbs of merging packages into one object. */
export function packageMerging(db: Db): MergeVerbs {
  const { query } = db;
  return {
    async mergeable(runId, { newest, ...options }) {
      const [oldestKept] = await query
        .select({ sequence: checkpoints.sequence })
        .from(checkpoints)
        .where(and(eq(checkpoints.runId, runId), eq(checkpoints.state, 'ready')))
        .orderBy(desc(checkpoints.sequence))
        .limit(1)
        .offset(newest - 1);
      return oldestKept === undefined ? [] : candidatesBefore(db, { runId, before: oldestKept.sequence, ...options });
    },
    merge: ({ parts, ...object }) =>
      db.transaction(async (tx) => {
        await refusePendingDeletion(tx, [object.key]);
        const merged = inArray(
          packages.id,
          parts.map(({ id }) => id),
        );
        await tx.query.select({ id: packages.id }).from(packages).where(merged).for('update');
        await markPackagesPendingDeletion(tx, merged, 'merged');
        for (const [position, part] of parts.entries())
          await movePart(tx, { ...object, ...part, position, from: part.key, key: object.key });
      }),
    async setMergeTried(id, reason) {
      await query
        .update(packages)
        .set(reason === 'room' ? { roomTried: true } : { mergeTried: true })
        .where(eq(packages.id, id));
    },
  };
}

async function candidatesBefore(
  { query }: Db,
  {
    runId,
    before,
    reason,
    limit,
    methods,
  }: Omit<Parameters<MergeVerbs['mergeable']>[1], 'newest'> & {
    readonly runId: string;
    readonly before: number;
  },
): ReturnType<MergeVerbs['mergeable']> {
  const descendant = alias(packages, 'descendant');
  const user = alias(checkpoints, 'user_of_descendant');
  const found = await query
    .select({
      record: getTableColumns(packages),
      checkpoint: checkpointColumns,
      descendants: count(descendant.id),
      grows: sql<boolean>`coalesce(bool_or(${user.runId} = ${runId} and ${user.sequence} >= ${before}), false)`,
    })
    .from(packages)
    .innerJoin(checkpoints, eq(checkpoints.packageId, packages.id))
    .leftJoin(descendant, eq(descendant.ancestorId, packages.id))
    .leftJoin(user, eq(user.packageId, descendant.id))
    .where(
      and(
        eq(checkpoints.runId, runId),
        lt(checkpoints.sequence, before),
        eq(packages.kind, 'delta'),
        isNull(packages.mergedPackageId),
        eq(reason === 'room' ? packages.roomTried : packages.mergeTried, false),
        inArray(sql<string>`${checkpoints.result} -> 'config' ->> 'method'`, [...methods]),
      ),
    )
    .groupBy(packages.id, checkpoints.id)
    .orderBy(asc(checkpoints.sequence))
    .limit(limit);
  return found.map(({ record, checkpoint, ...rest }) => ({
    ...rest,
    record: dropNulls(record),
    checkpoint: dropNulls(checkpoint),
  }));
}

interface PartMove {
  readonly id: string;
  /** Key of the object that the package had. */
  readonly from: string;
  readonly key: string;
  readonly mergedPackageId: string;
  readonly position: number;
  readonly sizeBytes: number;
  readonly storedBytes: number;
  readonly indexOffsetBytes: number;
  readonly indexLengthBytes: number;
}

async function movePart({ query }: Db, { id, from, storedBytes, ...object }: PartMove): Promise<void> {
  const [before] = await query
    .select({ storedBytes: packages.storedBytes })
    .from(packages)
    .where(and(eq(packages.id, id), eq(packages.key, from), isNull(packages.mergedPackageId)))
    .for('update');
  if (before === undefined) throw new FirnError('conflict', 'A package that was to be merged is no longer there.');
  await query
    .update(packages)
    .set({ ...object, storedBytes })
    .where(eq(packages.id, id));
  await addStoredBytes({ query }, id, storedBytes - before.storedBytes);
}

/** Counts anew the bytes stored for the checkpoint of a package. */
export async function addStoredBytes({ query }: Pick<Db, 'query'>, packageId: string, bytes: number): Promise<void> {
  const [using] = await query
    .select({ id: checkpoints.id, result: checkpoints.result })
    .from(checkpoints)
    .where(eq(checkpoints.packageId, packageId))
    .for('update');
  if (using === undefined || using.result === null) return;
  await query
    .update(checkpoints)
    .set({ result: { ...using.result, storedBytes: using.result.storedBytes + bytes } })
    .where(eq(checkpoints.id, using.id));
}
