import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { runClosed } from '../../../checkpoint/quality/final-quality.ts';
import { bodyReservationsOf } from '../live-body-reservations.ts';
import {
  checkpointStates,
  type Checkpoint,
  type CheckpointRecords,
  type CheckpointState,
} from '../../contract/checkpoint-records.ts';
import { blockingCheckpoint } from './blocking-checkpoint.ts';
import { countCheckpoints } from './count-checkpoints.ts';
import { isTerminal, legalSources } from './checkpoint-moves.ts';
import { buildsOn, reclaimableCheckpoints } from './checkpoint-dependents.ts';
import { markRawPendingDeletion } from '../mark-pending-deletion.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { encodeJson } from '../../db/tables/json-column.ts';
import { hideCheckpoints } from './hide-checkpoints.ts';
import { measuredBefore } from './measured-before.ts';
import { newestElsewhere } from './newest-elsewhere.ts';
import { nextStep } from './next-step.ts';
import { pageLimit, pageLimitMax } from '../../db/page-limit.ts';
import { purgeCheckpoint } from './purge-checkpoint.ts';
import { checkpointColumns } from '../../db/record-columns.ts';
import { announceCheckpoint } from '../webhooks/announce.ts';
import { retryCheckpoint } from './retry-checkpoint.ts';
import { checkpointFiles, checkpoints, runs, uploads } from '../../db/schema.ts';
import { endUploads } from '../uploads/uploads.ts';

/** See `CheckpointRecords`. */
export function checkpointRecords(db: Db): CheckpointRecords {
  const { query } = db;
  const one = async (...conditions: Parameters<typeof and>): Promise<Checkpoint | undefined> => {
    const [found] = await query
      .select(checkpointColumns)
      .from(checkpoints)
      .where(and(...conditions))
      .orderBy(desc(checkpoints.sequence))
      .limit(1);
    return found && dropNulls(found);
  };
  return {
    async reserve({ runId, step, fixedConfig, layerTypes, expects, final }) {
      return db.transaction(async (tx) => {
        // The update also locks the run, so that sequence numbers are given in the order in which reservations become
        // visible.
        const [run] = await tx.query
          .update(runs)
          .set({ nextSequence: sql`${runs.nextSequence} + 1` })
          .where(and(eq(runs.id, runId), isNull(runs.deletedAt), isNull(runs.closedAt)))
          .returning({ next: runs.nextSequence });
        if (run === undefined) throw await whyNotReserved(tx, runId, step);
        const [reserved] = await tx.query
          .insert(checkpoints)
          .values({ runId, step, sequence: run.next - 1, fixedConfig, layerTypes, expects, final })
          .onConflictDoNothing()
          .returning(checkpointColumns);
        if (reserved === undefined) throw stepExists(step);
        return dropNulls(reserved);
      });
    },
    find: (runId, step) => one(eq(checkpoints.runId, runId), eq(checkpoints.step, step), isNull(checkpoints.deletedAt)),
    newest: (runId) => one(eq(checkpoints.runId, runId), isNull(checkpoints.deletedAt)),
    async setFinal(id, final) {
      const tighter =
        final.thresholds &&
        sql`case when ${checkpoints.thresholds} is null then null else ${encodeJson(final.thresholds)}::jsonb end`;
      const [changed] = await query
        .update(checkpoints)
        .set({ final, ...(tighter && { thresholds: tighter }) })
        .where(and(eq(checkpoints.id, id), inArray(checkpoints.state, ['open', 'queued', 'failed'])))
        .returning(checkpointColumns);
      if (changed === undefined) throw new FirnError('conflict', 'The compression of the checkpoint has begun.');
      return dropNulls(changed);
    },
    get: (id) => one(eq(checkpoints.id, id)),
    counts: (runIds) => countCheckpoints(db, runIds),
    blocking: (checkpoint) => blockingCheckpoint(db, checkpoint),
    async signsOfLife(ids) {
      if (ids.length === 0) return new Map();
      const found = await query
        .select({ id: checkpoints.id, touchedAt: checkpoints.touchedAt })
        .from(checkpoints)
        .where(and(inArray(checkpoints.id, [...ids]), eq(checkpoints.state, 'open')));
      return new Map(found.map(({ id, touchedAt }) => [id, touchedAt]));
    },
    async list(runId, page, order = 'oldest') {
      const [beyond, sorted] = order === 'oldest' ? ([gt, asc] as const) : ([lt, desc] as const);
      const others = page.after === undefined ? undefined : beyond(checkpoints.sequence, sequenceOf(page.after));
      const found = await query
        .select(checkpointColumns)
        .from(checkpoints)
        .where(and(eq(checkpoints.runId, runId), isNull(checkpoints.deletedAt), others))
        .orderBy(sorted(checkpoints.sequence))
        .limit(pageLimit(page));
      return found.map(dropNulls);
    },
    previousReady: (runId, beforeSequence, { live = false } = {}) => {
      const isReady = and(
        eq(checkpoints.state, 'ready'),
        isNotNull(checkpoints.packageId),
        live ? isNull(checkpoints.deletedAt) : undefined,
      );
      return one(eq(checkpoints.runId, runId), lt(checkpoints.sequence, beforeSequence), isReady);
    },
    newestReady: (runId) =>
      one(eq(checkpoints.runId, runId), eq(checkpoints.state, 'ready'), isNull(checkpoints.deletedAt)),
    nextStep: (runId) => nextStep(db, runId),
    withRevision: (repositoryId, revision) =>
      one(
        eq(checkpoints.revision, revision),
        isNull(checkpoints.deletedAt),
        sql`${checkpoints.runId} in (select ${runs.id} from ${runs} where ${runs.repositoryId} = ${repositoryId})`,
      ),
    measuredBefore: (runId, beforeSequence, which) => measuredBefore(db, { runId, beforeSequence, ...which }),
    newestElsewhere: (run, limit) => newestElsewhere(db, run, limit),
    async transition(id, from, to, set = {}) {
      const at = {
        ...(to === 'queued' && { committedAt: sql`coalesce(${checkpoints.committedAt}, now())` }),
        ...(isTerminal(to) && { finishedAt: sql`now()` }),
      };
      const move = async (within: Db): Promise<Checkpoint> => {
        const [moved] = await within.query
          .update(checkpoints)
          .set({ ...at, ...set, state: to })
          .where(and(eq(checkpoints.id, id), inArray(checkpoints.state, legalSources(from, to))))
          .returning(checkpointColumns);
        if (moved === undefined) throw await refusal(within, id, to);
        return dropNulls(moved);
      };
      if (to !== 'ready' && to !== 'failed') return move(db);
      return db.transaction(async (tx) => {
        const moved = await move(tx);
        await announceCheckpoint(tx, moved, to);
        return moved;
      });
    },
    retry: (id, evaluation) => retryCheckpoint(db, id, evaluation),
    anyMeasuredWith: async (runId, evalSetId) => {
      const isCommitted = inArray(checkpoints.state, ['queued', 'working', 'ready']);
      return (await one(eq(checkpoints.runId, runId), eq(checkpoints.evalSetId, evalSetId), isCommitted)) !== undefined;
    },
    hasNewerReady: async (runId, sequence) => {
      const isReady = and(eq(checkpoints.state, 'ready'), isNull(checkpoints.deletedAt));
      return (await one(eq(checkpoints.runId, runId), gt(checkpoints.sequence, sequence), isReady)) !== undefined;
    },
    async requestCancel(id) {
      const marked = await query
        .update(checkpoints)
        .set({ cancelRequested: sql`${checkpoints.cancelRequested} or ${inArray(checkpoints.state, unfinished)}` })
        .where(eq(checkpoints.id, id))
        .returning({ id: checkpoints.id });
      if (marked.length === 0) throw missing();
    },
    async discard(id, condition) {
      return db.transaction(async (tx) => {
        const [found] = await tx.query
          .select({ state: checkpoints.state, touchedAt: checkpoints.touchedAt })
          .from(checkpoints)
          .where(eq(checkpoints.id, id))
          .for('update');
        if (found === undefined) throw missing();
        if (found.state !== 'open') throw new FirnError('conflict', 'The checkpoint is committed already.');
        if (
          condition !== undefined &&
          (found.touchedAt >= condition.untouchedSince || (await bodyReservationsOf(tx, id).limit(1)).length > 0)
        )
          throw new FirnError('conflict', 'The checkpoint is still being uploaded.');
        const keys = await markRawPendingDeletion(tx, eq(checkpointFiles.checkpointId, id), 'discarded');
        const ended = await endUploads(tx, eq(uploads.checkpointId, id));
        await tx.query.delete(checkpoints).where(eq(checkpoints.id, id));
        return [...keys, ...ended.keys];
      });
    },
    async hide(id) {
      const { ids, keys } = await hideCheckpoints(db, eq(checkpoints.id, id));
      if (ids.length === 0) throw missing();
      return keys;
    },
    purge: (id) => purgeCheckpoint(db, id),
    async staleOpen(before, limit) {
      const found = await query
        .select(checkpointColumns)
        .from(checkpoints)
        .where(
          and(
            eq(checkpoints.state, 'open'),
            lt(checkpoints.touchedAt, before),
            notExists(bodyReservationsOf({ query }, checkpoints.id)),
          ),
        )
        .orderBy(asc(checkpoints.touchedAt))
        .limit(Math.min(limit, pageLimitMax));
      return found.map(dropNulls);
    },
    hasDependents: (id) => buildsOn(db, id),
    async unfinished(runId, limit) {
      const found = await query
        .select(checkpointColumns)
        .from(checkpoints)
        .where(and(eq(checkpoints.runId, runId), inArray(checkpoints.state, ['open', 'queued', 'working'])))
        .orderBy(asc(checkpoints.sequence))
        .limit(pageLimit({ limit }));
      return found.map(dropNulls);
    },
    reclaimable: (limit) => reclaimableCheckpoints(db, pageLimit({ limit })),
    async count() {
      return countByState(
        checkpointStates,
        await query
          .select({ state: checkpoints.state, count: sql<number>`count(*)::int` })
          .from(checkpoints)
          .where(isNull(checkpoints.deletedAt))
          .groupBy(checkpoints.state),
      );
    },
  };
}

const unfinished: readonly CheckpointState[] = checkpointStates.filter((state) => !isTerminal(state));

function sequenceOf(token: string): number {
  const sequence = Number(token);
  // A number beyond the column's range would fail in the database.
  if (!/^\d{1,9}$/.test(token)) throw new FirnError('invalid-request', 'The page token is not a sequence number.');
  return sequence;
}

async function refusal({ query }: Db, id: string, to: CheckpointState): Promise<FirnError> {
  const [found] = await query.select({ state: checkpoints.state }).from(checkpoints).where(eq(checkpoints.id, id));
  return found === undefined
    ? missing()
    : new FirnError('conflict', `The checkpoint is ${found.state} and cannot become ${to}.`);
}

/** A closed run has its old steps. */
async function whyNotReserved({ query }: Db, runId: string, step: number): Promise<FirnError> {
  const [run] = await query
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.id, runId), isNull(runs.deletedAt)));
  if (run === undefined) return new FirnError('not-found', 'There is no such run.');
  const [existing] = await query
    .select({ id: checkpoints.id })
    .from(checkpoints)
    .where(and(eq(checkpoints.runId, runId), eq(checkpoints.step, step), isNull(checkpoints.deletedAt)));
  return existing === undefined ? runClosed() : stepExists(step);
}

function stepExists(step: number): FirnError {
  return new FirnError('step-exists', `The run has a checkpoint of step ${step} already.`);
}

function missing(): FirnError {
  return new FirnError('not-found', 'There is no such checkpoint.');
}

/** Counts of a grouped query with a zero for each state that has no rows. */
function countByState<State extends string>(
  states: readonly State[],
  counted: readonly { state: State; count: number }[],
): Record<State, number> {
  const counts = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  for (const { state, count } of counted) counts[state] = count;
  return counts;
}
