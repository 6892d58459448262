import { and, desc, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { dropNulls } from './drop-nulls.ts';
import type { LocationRecords } from './location-records.ts';
import { checkpointColumns, runColumns } from './record-columns.ts';
import { checkpointFiles as files, checkpoints, repositories, runs } from './schema.ts';

/** See `LocationRecords`. One statement: most requests begin with it. */
export function locationRecords({ query }: Db): LocationRecords {
  return {
    async find({ namespace, name, run, step, path }) {
      const [found] = await query
        .select({ repository: getTableColumns(repositories), run: runColumns, checkpoint: checkpointColumns, file: getTableColumns(files) })
        .from(repositories)
        .leftJoin(runs, and(eq(runs.repositoryId, repositories.id), eq(runs.name, run), isNull(runs.deletedAt)))
        .leftJoin(checkpoints, step === undefined ? nothing : and(eq(checkpoints.runId, runs.id), eq(checkpoints.step, step), isNull(checkpoints.deletedAt)))
        .leftJoin(files, path === undefined ? nothing : and(eq(files.checkpointId, checkpoints.id), eq(files.path, path)))
        .where(and(eq(repositories.namespace, namespace), eq(repositories.name, name)))
        .orderBy(desc(checkpoints.sequence))
        .limit(1);
      if (found === undefined) return {};
      return {
        repository: found.repository,
        ...(found.run !== null && { run: dropNulls(found.run) }),
        ...(found.checkpoint !== null && { checkpoint: dropNulls(found.checkpoint) }),
        ...(found.file !== null && { file: dropNulls(found.file) }),
      };
    },
  };
}

const nothing = sql`false`;
