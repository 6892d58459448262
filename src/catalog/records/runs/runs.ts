import { and, asc, eq, gt, inArray, isNotNull, isNull, notExists, sql } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { RunRecords } from '../../contract/run-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { hideCheckpoints } from '../checkpoints/hide-checkpoints.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { runColumns } from '../../db/record-columns.ts';
import { checkpoints, runs } from '../../db/schema.ts';

/** See `RunRecords`. */
export function runRecords(db: Db): RunRecords {
  const { query } = db;
  return {
    async create(input) {
      const [created] = await query.insert(runs).values(input).onConflictDoNothing().returning(runColumns);
      if (created === undefined) throw new FirnError('conflict', `The run ${input.name} exists already.`);
      return dropNulls(created);
    },
    async find(repositoryId, name) {
      const [found] = await query
        .select(runColumns)
        .from(runs)
        .where(and(eq(runs.repositoryId, repositoryId), eq(runs.name, name), isNull(runs.deletedAt)));
      return found && dropNulls(found);
    },
    async get(id) {
      const [found] = await query.select(runColumns).from(runs).where(eq(runs.id, id));
      return found && dropNulls(found);
    },
    async list(repositoryId, page) {
      const later = page.after === undefined ? undefined : gt(runs.name, page.after);
      const found = await query
        .select(runColumns)
        .from(runs)
        .where(and(eq(runs.repositoryId, repositoryId), isNull(runs.deletedAt), later))
        .orderBy(asc(runs.name))
        .limit(pageLimit(page));
      return found.map(dropNulls);
    },
    async setBinding(id, evalSetId, binding) {
      const keepsOwn = sql`(${runs.binding} is not null and ${runs.bindingEvalSetId} = ${runs.evalSetId}
        and ${runs.evalSetId} <> ${evalSetId})`;
      const changed = await query
        .update(runs)
        .set({ binding, bindingEvalSetId: evalSetId })
        .where(and(eq(runs.id, id), sql`${keepsOwn} is not true`))
        .returning({ id: runs.id });
      if (changed.length > 0) return;
      const [found] = await query.select({ id: runs.id }).from(runs).where(eq(runs.id, id));
      if (found === undefined) throw missing();
    },
    async setEvaluation(id, { evalSetId, thresholds }) {
      const [changed] = await query
        .update(runs)
        .set({ evalSetId: evalSetId ?? null, thresholds })
        .where(and(eq(runs.id, id), isNull(runs.deletedAt)))
        .returning(runColumns);
      if (changed === undefined) throw missing();
      return dropNulls(changed);
    },
    async setClosed(id, closed) {
      const [changed] = await query
        .update(runs)
        .set({ closedAt: closed ? sql`coalesce(${runs.closedAt}, now())` : null })
        .where(and(eq(runs.id, id), isNull(runs.deletedAt)))
        .returning(runColumns);
      if (changed === undefined) throw missing();
      return dropNulls(changed);
    },
    async setDevice(id, device) {
      const [changed] = await query
        .update(runs)
        .set({ device })
        .where(and(eq(runs.id, id), isNull(runs.deletedAt)))
        .returning(runColumns);
      if (changed === undefined) throw missing();
      return dropNulls(changed);
    },
    async layoutOf(id) {
      const [run] = await query.select({ layout: runs.layout }).from(runs).where(eq(runs.id, id));
      return run?.layout ?? undefined;
    },
    async lock(id) {
      const [run] = await query
        .select({ id: runs.id })
        .from(runs)
        .where(and(eq(runs.id, id), isNull(runs.deletedAt)))
        .for('update');
      if (run === undefined) throw missing();
    },
    async lockLayout(id) {
      const [run] = await query.select({ layout: runs.layout }).from(runs).where(eq(runs.id, id)).for('update');
      if (run === undefined) throw missing();
      return run.layout ?? undefined;
    },
    async setLayout(id, layout) {
      const changed = await query.update(runs).set({ layout }).where(eq(runs.id, id)).returning({ id: runs.id });
      if (changed.length === 0) throw missing();
    },
    async hide(id) {
      return db.transaction(async (tx) => {
        const hidden = await tx.query
          .update(runs)
          .set({ deletedAt: sql`now()`, evalSetId: null })
          .where(and(eq(runs.id, id), isNull(runs.deletedAt)))
          .returning({ id: runs.id });
        if (hidden.length === 0) throw missing();
        const [busy] = await tx.query
          .select({ step: checkpoints.step })
          .from(checkpoints)
          .where(and(eq(checkpoints.runId, id), inArray(checkpoints.state, ['open', 'queued', 'working'])))
          .limit(1);
        if (busy !== undefined)
          throw new FirnError('conflict', `Step ${busy.step} of the run is still being worked on.`);
        return (await hideCheckpoints(tx, eq(checkpoints.runId, id))).keys;
      });
    },
    async purgeHidden() {
      const left = query.select({ id: checkpoints.id }).from(checkpoints).where(eq(checkpoints.runId, runs.id));
      const purged = await query
        .delete(runs)
        .where(and(isNotNull(runs.deletedAt), notExists(left)))
        .returning({ id: runs.id });
      return purged.length;
    },
  };
}

function missing(): FirnError {
  return new FirnError('not-found', 'There is no such run.');
}
