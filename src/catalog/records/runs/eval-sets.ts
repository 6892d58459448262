import { and, asc, eq, gt, inArray, isNull, or } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { EvalSetObject, EvalSetPart, EvalSetRecords } from '../../contract/eval-set-records.ts';
import { markPendingDeletion, refusePendingDeletion } from '../mark-pending-deletion.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { checkpoints, evalSets, runs, uploads } from '../../db/schema.ts';
import { endUploads } from '../uploads/uploads.ts';

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
    lock: async (id) => dropNulls(await locked(db, id)),
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
        if (before.state !== 'open')
          throw new FirnError('conflict', 'The eval set is closed; its parts cannot change.');
        await refusePendingDeletion(tx, [object.key]);
        await tx.query.update(evalSets).set(partColumns(part, object)).where(eq(evalSets.id, id));
        const replaced = partsOf(before).filter(({ part: which, key }) => which === part && key !== object.key);
        return (await markPendingDeletion(tx, replaced, 'replaced'))[0];
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
        const user = await userOf(tx, id);
        if (user !== undefined) throw new FirnError('conflict', `The eval set is in use: ${user}.`);
        const ended = await endUploads(tx, eq(uploads.evalSetId, id));
        await tx.query.delete(evalSets).where(eq(evalSets.id, id));
        return [...(await markPendingDeletion(tx, parts, 'deleted')), ...ended.keys];
      });
    },
  };
}

function partColumns(part: EvalSetPart, { key, sha256, sizeBytes, storedBytes }: EvalSetObject) {
  if (part === 'graph')
    return { graphKey: key, graphSha256: sha256, graphBytes: sizeBytes, graphStoredBytes: storedBytes };
  return { batchesKey: key, batchesSha256: sha256, batchesBytes: sizeBytes, batchesStoredBytes: storedBytes };
}

/** The objects of its parts, in the form that `markPendingDeletion` takes. */
function partsOf({
  repositoryId,
  graphKey,
  graphStoredBytes,
  batchesKey,
  batchesStoredBytes,
}: typeof evalSets.$inferSelect) {
  return [
    { part: 'graph', key: graphKey, storedBytes: graphStoredBytes, repositoryId },
    { part: 'batches', key: batchesKey, storedBytes: batchesStoredBytes, repositoryId },
  ];
}

/** The eval set's row, locked until the transaction ends. */
async function locked(tx: Db, id: string): Promise<typeof evalSets.$inferSelect> {
  const [found] = await tx.query.select().from(evalSets).where(eq(evalSets.id, id)).for('update');
  if (found === undefined) throw missing();
  return found;
}

/**
 * Names a run or checkpoint that may still be measured with the eval set. A new user of it waits for the lock and then
 * finds the eval set deleted.
 */
async function userOf({ query }: Db, id: string): Promise<string | undefined> {
  const [run] = await query.select({ name: runs.name }).from(runs).where(eq(runs.evalSetId, id)).limit(1);
  if (run !== undefined)
    return (
      `run "${run.name}" measures its checkpoints with it; give that another one (PATCH of the run, with ` +
      '{"evalSet": "<name>"}), or delete it'
    );
  const canBeRetried = and(eq(checkpoints.state, 'failed'), isNull(checkpoints.deletedAt));
  const [checkpoint] = await query
    .select({ step: checkpoints.step, state: checkpoints.state, run: runs.name })
    .from(checkpoints)
    .innerJoin(runs, eq(runs.id, checkpoints.runId))
    .where(
      and(eq(checkpoints.evalSetId, id), or(inArray(checkpoints.state, ['open', 'queued', 'working']), canBeRetried)),
    )
    .limit(1);
  if (checkpoint === undefined) return undefined;
  const { run: name, step, state } = checkpoint;
  const way =
    state === 'failed'
      ? 'retry it with another one (POST of its /retry, with {"evalSet": "<name>"}), or delete it'
      : 'wait for it, or cancel it';
  return `step ${step} of run "${name}", which is ${state}, is measured with it; ${way}`;
}

function missing(): FirnError {
  return new FirnError('not-found', 'There is no such eval set.');
}
