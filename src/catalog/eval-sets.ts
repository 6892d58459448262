import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { EvalSetObject, EvalSetPart, EvalSetRecords } from './catalog.ts';
import { condemn, refuseCondemned } from './condemn.ts';
import type { Db } from './database.ts';
import { dropNulls } from './drop-nulls.ts';
import { pageLimit } from './page-limit.ts';
import { evalSets, runs, uploads } from './schema.ts';
import { endUploads } from './uploads.ts';

/** See `EvalSetRecords`. */
export function evalSetRecords(db: Db): EvalSetRecords {
  const { query } = db;
  return {
    async create(input) {
      const [created] = await query.insert(evalSets).values(input).onConflictDoNothing().returning();
      if (created === undefined) throw new FirnError('conflict', `The eval set ${input.name} exists already.`);
      return dropNulls(created);
    },
    async find(repositoryId, name) {
      const [found] = await query
        .select()
        .from(evalSets)
        .where(and(eq(evalSets.repositoryId, repositoryId), eq(evalSets.name, name)));
      return found && dropNulls(found);
    },
    async get(id) {
      const [found] = await query.select().from(evalSets).where(eq(evalSets.id, id));
      return found && dropNulls(found);
    },
    async list(repositoryId, page) {
      const later = page.after === undefined ? undefined : gt(evalSets.name, page.after);
      const found = await query
        .select()
        .from(evalSets)
        .where(and(eq(evalSets.repositoryId, repositoryId), later))
        .orderBy(asc(evalSets.name))
        .limit(pageLimit(page));
      return found.map(dropNulls);
    },
    async setPart(id, part, object) {
      return db.transaction(async (tx) => {
        const before = await locked(tx, id);
        if (before.state !== 'open') throw new FirnError('conflict', 'The eval set is closed; its parts cannot change.');
        await refuseCondemned(tx, [object.key]);
        await tx.query.update(evalSets).set(partColumns(part, object)).where(eq(evalSets.id, id));
        const replaced = partsOf(before).filter(({ part: which, key }) => which === part && key !== object.key);
        return (await condemn(tx, replaced, 'replaced'))[0];
      });
    },
    async setState(id, state, error) {
      const set = { state, errorCode: error?.code ?? null, errorMessage: error?.message ?? null };
      const changed = await query
        .update(evalSets)
        .set(set)
        .where(and(eq(evalSets.id, id), inArray(evalSets.state, ['open', state])))
        .returning({ id: evalSets.id });
      if (changed.length > 0) return;
      const [found] = await query.select({ state: evalSets.state }).from(evalSets).where(eq(evalSets.id, id));
      throw found === undefined ? missing() : new FirnError('conflict', `The eval set is ${found.state} already.`);
    },
    async delete(id) {
      return db.transaction(async (tx) => {
        const parts = partsOf(await locked(tx, id));
        const used = await tx.query.select({ id: runs.id }).from(runs).where(eq(runs.evalSetId, id)).limit(1);
        if (used.length > 0) throw new FirnError('conflict', 'A run uses the eval set.');
        const ended = await endUploads(tx, eq(uploads.evalSetId, id));
        await tx.query.delete(evalSets).where(eq(evalSets.id, id));
        return [...(await condemn(tx, parts, 'deleted')), ...ended.keys];
      });
    },
  };
}

function partColumns(part: EvalSetPart, { key, sha256, sizeBytes, storedBytes }: EvalSetObject) {
  if (part === 'graph') return { graphKey: key, graphSha256: sha256, graphBytes: sizeBytes, graphStoredBytes: storedBytes };
  return { batchesKey: key, batchesSha256: sha256, batchesBytes: sizeBytes, batchesStoredBytes: storedBytes };
}

/** The objects of its parts, as `condemn` takes them. */
function partsOf({ repositoryId, graphKey, graphStoredBytes, batchesKey, batchesStoredBytes }: typeof evalSets.$inferSelect) {
  return [
    { part: 'graph', key: graphKey, storedBytes: graphStoredBytes, repositoryId },
    { part: 'batches', key: batchesKey, storedBytes: batchesStoredBytes, repositoryId },
  ];
}

/** The eval set, held against other writers until the transaction ends. */
async function locked(tx: Db, id: string): Promise<typeof evalSets.$inferSelect> {
  const [found] = await tx.query.select().from(evalSets).where(eq(evalSets.id, id)).for('update');
  if (found === undefined) throw missing();
  return found;
}

function missing(): FirnError {
  return new FirnError('not-found', 'There is no such eval set.');
}
