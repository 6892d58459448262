import { and, asc, eq, inArray, isNull, or, sql, type SQL } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { RepositoryFilter, RepositoryRecords, VisibleRepositories } from '../../contract/repository-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { repositoryColumns } from '../../db/record-columns.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { bytesOfRepository, roomUnderQuota } from '../uploads/namespace-room.ts';
import { markPendingDeletion } from '../mark-pending-deletion.ts';
import {
  evalSets,
  hubBlobs,
  hubCommits,
  hubParts,
  hubRefs,
  hubTrees,
  hubXorbs,
  repositories,
  runs,
  webhooks,
} from '../../db/schema.ts';

const isLive = isNull(repositories.deletedAt);

/** See `RepositoryRecords`. */
export function repositoryRecords(db: Db): RepositoryRecords {
  const { query } = db;
  // Its text is made once: most requests begin with it.
  let byName: ReturnType<typeof findByName> | undefined;
  return {
    async create(input) {
      const [created] = await query
        .insert(repositories)
        .values(input)
        .onConflictDoNothing()
        .returning(repositoryColumns);
      if (created === undefined)
        throw new FirnError('conflict', `The repository ${input.namespace}/${input.name} exists already.`);
      return dropNulls(created);
    },
    async find(namespace, name) {
      const [found] = await (byName ??= findByName(db)).execute({ namespace, name });
      return found && dropNulls(found);
    },
    async get(id) {
      const [found] = await query
        .select(repositoryColumns)
        .from(repositories)
        .where(and(eq(repositories.id, id), isLive));
      return found && dropNulls(found);
    },
    async lock(id) {
      const [locked] = await query
        .select(repositoryColumns)
        .from(repositories)
        .where(and(eq(repositories.id, id), isLive))
        .for('update');
      if (locked === undefined) throw missing();
      return dropNulls(locked);
    },
    async list(page, visible = 'all', filter = {}) {
      const found = await query
        .select(repositoryColumns)
        .from(repositories)
        .where(and(after(page.after), among(visible), ...meeting(filter), isLive))
        .orderBy(asc(repositories.namespace), asc(repositories.name))
        .limit(pageLimit(page));
      return found.map(dropNulls);
    },
    async setVisibility(id, visibility) {
      const [changed] = await query
        .update(repositories)
        .set({ visibility })
        .where(and(eq(repositories.id, id), isLive))
        .returning(repositoryColumns);
      if (changed === undefined) throw missing();
      return dropNulls(changed);
    },
    async setHubSettings(id, hubSettings) {
      const [changed] = await query
        .update(repositories)
        .set({ hubSettings })
        .where(and(eq(repositories.id, id), isLive))
        .returning(repositoryColumns);
      if (changed === undefined) throw missing();
      return dropNulls(changed);
    },
    async move(id, to) {
      return db.transaction(async (tx) => {
        const [taken] = await tx.query
          .select({ id: repositories.id })
          .from(repositories)
          .where(and(eq(repositories.namespace, to.namespace), eq(repositories.name, to.name)));
        if (taken !== undefined && taken.id !== id)
          throw new FirnError('conflict', `The repository ${to.namespace}/${to.name} exists already.`);
        await refuseOverQuota(tx, id, to.namespace);
        const [moved] = await tx.query
          .update(repositories)
          .set(to)
          .where(and(eq(repositories.id, id), isLive))
          .returning(repositoryColumns);
        if (moved === undefined) throw missing();
        await tx.query.update(webhooks).set({ namespace: to.namespace }).where(eq(webhooks.repositoryId, id));
        return dropNulls(moved);
      });
    },
    async delete(id) {
      await db.transaction(async (tx) => {
        const [gone] = await tx.query
          .update(repositories)
          .set({ deletedAt: sql`now()`, name: sql`'~' || ${repositories.id}`, visibility: 'private' })
          .where(and(eq(repositories.id, id), isLive))
          .returning({ id: repositories.id });
        if (gone === undefined) throw missing();
        const [run] = await tx.query
          .select({ id: runs.id })
          .from(runs)
          .where(and(eq(runs.repositoryId, id), isNull(runs.deletedAt)))
          .limit(1);
        const [evalSet] = await tx.query
          .select({ id: evalSets.id })
          .from(evalSets)
          .where(eq(evalSets.repositoryId, id))
          .limit(1);
        if (run !== undefined || evalSet !== undefined)
          throw new FirnError('conflict', 'The repository still has runs or eval sets.');
        for (const table of [hubRefs, hubCommits, hubTrees, webhooks])
          await tx.query.delete(table).where(eq(table.repositoryId, id));
        const blobs = await tx.query.delete(hubBlobs).where(eq(hubBlobs.repositoryId, id)).returning({
          key: hubBlobs.rawKey,
          storedBytes: hubBlobs.rawStoredBytes,
          repositoryId: hubBlobs.repositoryId,
        });
        const xorbs = await tx.query
          .delete(hubXorbs)
          .where(eq(hubXorbs.repositoryId, id))
          .returning({ key: hubXorbs.key, storedBytes: hubXorbs.storedBytes, repositoryId: hubXorbs.repositoryId });
        const parts = await tx.query
          .delete(hubParts)
          .where(eq(hubParts.repositoryId, id))
          .returning({ key: hubParts.key, storedBytes: hubParts.storedBytes, repositoryId: hubParts.repositoryId });
        await markPendingDeletion(tx, [...blobs, ...xorbs, ...parts], 'deleted');
      });
    },
  };
}

function findByName({ query }: Db) {
  const { namespace, name } = repositories;
  return query
    .select(repositoryColumns)
    .from(repositories)
    .where(and(eq(namespace, sql.placeholder('namespace')), eq(name, sql.placeholder('name')), isLive))
    .prepare('find_repository');
}

/** Refuses to move a repository to a namespace that has no room for it. `quota-exceeded`. */
async function refuseOverQuota(tx: Db, id: string, namespace: string): Promise<void> {
  const [current] = await tx.query
    .select({ namespace: repositories.namespace })
    .from(repositories)
    .where(and(eq(repositories.id, id), isLive))
    .for('update');
  if (current === undefined || current.namespace === namespace) return;
  const roomBytes = await roomUnderQuota(tx, namespace);
  if (roomBytes === Number.POSITIVE_INFINITY || (await bytesOfRepository(tx, id)) <= roomBytes) return;
  throw new FirnError(
    'quota-exceeded',
    `The namespace ${namespace} has no room left for this repository under its quota; ` +
      'delete checkpoints there, or ask for a larger quota.',
  );
}

function missing(): FirnError {
  return new FirnError('not-found', 'There is no such repository.');
}

function after(token: string | undefined) {
  if (token === undefined) return undefined;
  const [namespace = '', name = ''] = token.split('/');
  return sql`(${repositories.namespace}, ${repositories.name}) > (${namespace}, ${name})`;
}

function meeting({ search, namespace, visibility }: RepositoryFilter): (SQL | undefined)[] {
  return [
    containing(search),
    namespace === undefined ? undefined : eq(repositories.namespace, namespace),
    visibility === undefined ? undefined : eq(repositories.visibility, visibility),
  ];
}

function containing(search: string | undefined): SQL | undefined {
  if (search === undefined) return undefined;
  return sql`strpos(lower(${repositories.namespace} || '/' || ${repositories.name}), lower(${search}::text)) > 0`;
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
