import { and, desc, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import type { LocationRecords } from '../../contract/location-records.ts';
import { checkpointColumns, repositoryColumns, runColumns } from '../../db/record-columns.ts';
import { checkpointFiles as files, checkpoints, repositories, runs } from '../../db/schema.ts';

/** See `LocationRecords`. Statements whose text is made once, because most requests begin with one. */
export function locationRecords(db: Db): LocationRecords {
  let ofStep: ReturnType<typeof findByNames> | undefined;
  let ofLatest: ReturnType<typeof findByNames> | undefined;
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
  };
}

function findByNames({ query }: Db, which: 'step' | 'latest') {
  const named = sql.placeholder;
  const isMeant = which === 'latest' ? eq(checkpoints.state, 'ready') : eq(checkpoints.step, named('step'));
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
    .orderBy(desc(checkpoints.sequence))
    .limit(1)
    .prepare(which === 'latest' ? 'find_latest_by_names' : 'find_by_names');
}
