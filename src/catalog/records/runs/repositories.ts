import { and, asc, eq, inArray, or, sql, type SQL } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { RepositoryRecords, VisibleRepositories } from '../../contract/repository-records.ts';
import type { Db } from '../../db/database.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { repositories } from '../../db/schema.ts';

/** See `RepositoryRecords`. */
export function repositoryRecords({ query }: Db): RepositoryRecords {
  return {
    async create(input) {
      const [created] = await query.insert(repositories).values(input).onConflictDoNothing().returning();
      if (created === undefined)
        throw new FirnError('conflict', `The repository ${input.namespace}/${input.name} exists already.`);
      return created;
    },
    async find(namespace, name) {
      const [found] = await query
        .select()
        .from(repositories)
        .where(and(eq(repositories.namespace, namespace), eq(repositories.name, name)));
      return found;
    },
    async get(id) {
      const [found] = await query.select().from(repositories).where(eq(repositories.id, id));
      return found;
    },
    async list(page, visible = 'all') {
      return query
        .select()
        .from(repositories)
        .where(and(after(page.after), among(visible)))
        .orderBy(asc(repositories.namespace), asc(repositories.name))
        .limit(pageLimit(page));
    },
    async setVisibility(id, visibility) {
      const [changed] = await query.update(repositories).set({ visibility }).where(eq(repositories.id, id)).returning();
      if (changed === undefined) throw new FirnError('not-found', 'There is no such repository.');
      return changed;
    },
  };
}

function after(token: string | undefined) {
  if (token === undefined) return undefined;
  const [namespace = '', name = ''] = token.split('/');
  return sql`(${repositories.namespace}, ${repositories.name}) > (${namespace}, ${name})`;
}

function among(visible: VisibleRepositories): SQL | undefined {
  if (visible === 'all') return undefined;
  return or(
    eq(repositories.visibility, 'public'),
    inArray(repositories.namespace, [...visible.namespaces]),
    ...visible.repositories.map(({ namespace, name }) =>
      and(eq(repositories.namespace, namespace), eq(repositories.name, name)),
    ),
  );
}
