import { and, asc, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { HubCommit, RevisionRecords, Tree } from '../../contract/hub/revision-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { hubCommits, hubKeys, hubRefs, hubTrees, repositories } from '../../db/schema.ts';

/** Trees in one insert. */
const pageTrees = 200;

/** See `RevisionRecords`. */
export function revisionRecords(db: Db): RevisionRecords {
  const { query } = db;
  const treesOf = async (repositoryId: string, ids: readonly string[]): Promise<Tree[]> => {
    if (ids.length === 0) return [];
    return query
      .select({ id: hubTrees.id, entries: hubTrees.entries })
      .from(hubTrees)
      .where(and(eq(hubTrees.repositoryId, repositoryId), inArray(hubTrees.id, [...ids])));
  };
  return {
    async lock(repositoryId) {
      const [locked] = await query
        .select({ id: repositories.id })
        .from(repositories)
        .where(and(eq(repositories.id, repositoryId), isNull(repositories.deletedAt)))
        .for('no key update');
      if (locked === undefined) throw new FirnError('not-found', 'There is no such repository.');
    },
    trees: treesOf,
    async putTrees(repositoryId, trees) {
      for (let start = 0; start < trees.length; start += pageTrees) {
        const rows = trees.slice(start, start + pageTrees).map(({ id, entries }) => ({ repositoryId, id, entries }));
        await query.insert(hubTrees).values(rows).onConflictDoNothing();
      }
    },
    async commit(repositoryId, id) {
      const [found] = await query
        .select()
        .from(hubCommits)
        .where(and(eq(hubCommits.repositoryId, repositoryId), eq(hubCommits.id, id)));
      return found && dropNulls(found);
    },
    async putCommit(commit) {
      await query.insert(hubCommits).values(commit).onConflictDoNothing();
    },
    async history(repositoryId, id, limit) {
      const line = await db.rows(sql`${lineOf(repositoryId, id, limit)} select id from line order by depth`);
      const ids = line.map((row) => row['id'] as string);
      const found = await query
        .select()
        .from(hubCommits)
        .where(and(eq(hubCommits.repositoryId, repositoryId), inArray(hubCommits.id, ids)));
      const byId = new Map<string, HubCommit>(found.map((commit) => [commit.id, dropNulls(commit)]));
      return ids.flatMap((each) => byId.get(each) ?? []);
    },
    async historyLength(repositoryId, id, max) {
      const [row] = await db.rows(sql`${lineOf(repositoryId, id, max)} select max(depth) as length from line`);
      return Number(row!['length']);
    },
    async ref(repositoryId, kind, name) {
      const [found] = await query
        .select({ kind: hubRefs.kind, name: hubRefs.name, commitId: hubRefs.commitId })
        .from(hubRefs)
        .where(and(eq(hubRefs.repositoryId, repositoryId), eq(hubRefs.kind, kind), eq(hubRefs.name, name)));
      return found;
    },
    async refs(repositoryId) {
      return query
        .select({ kind: hubRefs.kind, name: hubRefs.name, commitId: hubRefs.commitId })
        .from(hubRefs)
        .where(eq(hubRefs.repositoryId, repositoryId))
        .orderBy(asc(hubRefs.kind), asc(hubRefs.name));
    },
    async setRef(repositoryId, ref) {
      await query
        .insert(hubRefs)
        .values({ repositoryId, ...ref })
        .onConflictDoUpdate({
          target: [hubRefs.repositoryId, hubRefs.kind, hubRefs.name],
          set: { commitId: ref.commitId },
        });
    },
    async deleteRef(repositoryId, kind, name) {
      const gone = await query
        .delete(hubRefs)
        .where(and(eq(hubRefs.repositoryId, repositoryId), eq(hubRefs.kind, kind), eq(hubRefs.name, name)))
        .returning({ name: hubRefs.name });
      return gone.length > 0;
    },
    async dropUnreachable(repositoryId) {
      const commits = await db.rows(sql`
        with recursive reached (id) as (
          select ${hubRefs.commitId} from ${hubRefs} where ${hubRefs.repositoryId} = ${repositoryId}
          union
          select ${hubCommits.parentId} from reached
          join ${hubCommits} on ${hubCommits.repositoryId} = ${repositoryId} and ${hubCommits.id} = reached.id
          where ${hubCommits.parentId} is not null
        ), gone as (
          delete from ${hubCommits} where ${hubCommits.repositoryId} = ${repositoryId}
          and ${hubCommits.id} not in (select id from reached)
        ) select distinct ${hubCommits.treeId} as tree from ${hubCommits}
          where ${hubCommits.repositoryId} = ${repositoryId} and ${hubCommits.id} in (select id from reached)`);
      const reached = new Set<string>();
      const digests = new Set<string>();
      for (let next = commits.map((row) => row['tree'] as string); next.length > 0;) {
        next.forEach((id) => reached.add(id));
        const entries = (await treesOf(repositoryId, next)).flatMap((tree) => tree.entries);
        for (const entry of entries) if (entry.kind === 'file') digests.add(entry.sha256);
        const folders = new Set(entries.flatMap((entry) => (entry.kind === 'folder' ? [entry.oid] : [])));
        next = [...folders].filter((id) => !reached.has(id));
      }
      await db.rows(sql`
        delete from ${hubTrees} where ${hubTrees.repositoryId} = ${repositoryId}
        and ${hubTrees.id} <> all(string_to_array(${[...reached].join(',')}, ','))`);
      return [...digests];
    },
    async secret() {
      const [found] = await query.select({ secret: hubKeys.secret }).from(hubKeys);
      if (found === undefined) throw new FirnError('internal', 'The key of upload addresses is gone.');
      return found.secret;
    },
  };
}

/** A commit and its ancestors with their distance, from 1 to `max`, as a table `line` of a statement. */
function lineOf(repositoryId: string, id: string, max: number): SQL {
  return sql`
    with recursive line (id, depth) as (
      select ${id}::text, 1
      union all
      select ${hubCommits.parentId}, line.depth + 1 from line
      join ${hubCommits} on ${hubCommits.repositoryId} = ${repositoryId} and ${hubCommits.id} = line.id
      where ${hubCommits.parentId} is not null and line.depth < ${max}
    )`;
}
