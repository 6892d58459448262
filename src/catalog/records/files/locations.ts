import { and, asc, desc, eq, getTableColumns, isNull, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import type { LocationRecords } from '../../contract/location-records.ts';
import { checkpointColumns, repositoryColumns, runColumns } from '../../db/record-columns.ts';
import {
  checkpointFiles as files,
  checkpoints,
  hubCheckpoints,
  hubCommits,
  hubRefs,
  repositories,
  runs,
} from '../../db/schema.ts';

/** For the statement inside a statement. */
const newest = alias(checkpoints, 'newest');
const candidates = alias(runs, 'candidates');

/** See `LocationRecords`. Statements whose text is made once, because most requests begin with one. */
export function locationRecords(db: Db): LocationRecords {
  let ofStep: ReturnType<typeof findByNames> | undefined;
  let ofLatest: ReturnType<typeof findByNames> | undefined;
  let ofBranch: ReturnType<typeof findBranch> | undefined;
  return {
    async find({ namespace, name, run, step, path }) {
      // No value equals null, so absent names join no rows.
      const names = { namespace, name, run, path: path ?? null };
      const [found] =
        step === 'latest'
          ? await (ofLatest ??= findByNames(db, 'latest')).execute(names)
          : await (ofStep ??= findByNames(db, 'step')).execute({ ...names, step: step ?? null });
      if (found === undefined) return {};
      return {
        repository: dropNulls(found.repository),
        ...(found.run !== null && { run: dropNulls(found.run) }),
        ...(found.checkpoint !== null && { checkpoint: dropNulls(found.checkpoint) }),
        ...(found.file !== null && { file: dropNulls(found.file) }),
      };
    },
    async branch(names) {
      const [found] = await (ofBranch ??= findBranch(db)).execute(names);
      if (found === undefined) return { isOfCommit: false };
      return {
        ...(found.commit !== null && { commit: dropNulls(found.commit) }),
        ...(found.run !== null && { run: dropNulls(found.run) }),
        ...(found.newest !== null && { newest: dropNulls(found.newest) }),
        isOfCommit: found.ofCommit !== null,
      };
    },
  };
}

/**
 * Id of the newest ready checkpoint of the run of the surrounding statement: one row of an index, in a run of any
 * length.
 */
function newestOfRun({ query }: Db) {
  return query
    .select({ id: newest.id })
    .from(newest)
    .where(and(eq(newest.runId, runs.id), eq(newest.state, 'ready'), isNull(newest.deletedAt)))
    .orderBy(desc(newest.sequence))
    .limit(1);
}

function findByNames(db: Db, which: 'step' | 'latest') {
  const { query } = db;
  const named = sql.placeholder;
  const isMeant = which === 'latest' ? eq(checkpoints.id, newestOfRun(db)) : eq(checkpoints.step, named('step'));
  return query
    .select({
      repository: repositoryColumns,
      run: runColumns,
      checkpoint: checkpointColumns,
      file: getTableColumns(files),
    })
    .from(repositories)
    .leftJoin(runs, and(eq(runs.repositoryId, repositories.id), eq(runs.name, named('run')), isNull(runs.deletedAt)))
    .leftJoin(checkpoints, and(eq(checkpoints.runId, runs.id), isMeant, isNull(checkpoints.deletedAt)))
    .leftJoin(files, and(eq(files.checkpointId, checkpoints.id), eq(files.path, named('path'))))
    .where(
      and(
        eq(repositories.namespace, named('namespace')),
        eq(repositories.name, named('name')),
        isNull(repositories.deletedAt),
      ),
    )
    .limit(1)
    .prepare(which === 'latest' ? 'find_latest_by_names' : 'find_by_names');
}

function findBranch(db: Db) {
  const { query } = db;
  const named = sql.placeholder;
  const isNamed = eq(candidates.name, named('run'));
  const runOfBranch = query
    .select({ id: candidates.id })
    .from(candidates)
    .where(
      and(
        eq(candidates.repositoryId, named('repositoryId')),
        isNull(candidates.deletedAt),
        or(isNamed, sql`${named('orOldest')}::boolean`),
      ),
    )
    .orderBy(desc(isNamed), asc(candidates.createdAt), asc(candidates.name))
    .limit(1);
  return query
    .select({
      commit: getTableColumns(hubCommits),
      run: runColumns,
      newest: checkpointColumns,
      ofCommit: getTableColumns(hubCheckpoints),
    })
    .from(repositories)
    .leftJoin(
      hubRefs,
      and(eq(hubRefs.repositoryId, repositories.id), eq(hubRefs.kind, 'branch'), eq(hubRefs.name, named('branch'))),
    )
    .leftJoin(hubCommits, and(eq(hubCommits.repositoryId, repositories.id), eq(hubCommits.id, hubRefs.commitId)))
    .leftJoin(runs, eq(runs.id, runOfBranch))
    .leftJoin(checkpoints, eq(checkpoints.id, newestOfRun(db)))
    .leftJoin(hubCheckpoints, eq(hubCheckpoints.checkpointId, checkpoints.id))
    .where(eq(repositories.id, named('repositoryId')))
    .limit(1)
    .prepare('find_branch');
}
