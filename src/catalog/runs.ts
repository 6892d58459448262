import { and, asc, eq, getTableColumns, gt } from 'drizzle-orm';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { RunRecords } from './catalog.ts';
import type { Db } from './database.ts';
import { dropNulls } from './drop-nulls.ts';
import { pageLimit } from './page-limit.ts';
import { runs } from './schema.ts';

const { nextSequence: _nextSequence, layout: _layout, ...runColumns } = getTableColumns(runs);

/** See `RunRecords`. */
export function runRecords({ query }: Db): RunRecords {
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
        .where(and(eq(runs.repositoryId, repositoryId), eq(runs.name, name)));
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
        .where(and(eq(runs.repositoryId, repositoryId), later))
        .orderBy(asc(runs.name))
        .limit(pageLimit(page));
      return found.map(dropNulls);
    },
    async setBinding(id, binding) {
      const changed = await query.update(runs).set({ binding }).where(eq(runs.id, id)).returning({ id: runs.id });
      if (changed.length === 0) throw missing();
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
  };
}

function missing(): FirnError {
  return new FirnError('not-found', 'There is no such run.');
}
