import type { Context } from 'hono';
import { z } from 'zod';
import type { HubCommit, RefKind } from '../../catalog/contract/hub/revision-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { lastCommits } from '../../hub/tree/last-commits.ts';
import { MissingEntry, MissingRevision } from '../../hub/tree/missing.ts';
import { resolveRevision } from '../../hub/tree/resolve-revision.ts';
import { entriesOf, entryAt, type PlacedEntry, type Snapshot, walk } from '../../hub/tree/snapshot.ts';
import type { AppEnv } from '../app-env.ts';
import type { HubGateway } from './hub-gateway.ts';
import { entryFields, expandedFields } from './file-fields.ts';
import {
  locateRepository,
  locateRevision,
  locateWholeRevision,
  nextLink,
  readFormOrJson,
  readJson,
} from './hub-request.ts';
import type { HubRepositoryName } from './parse-hub-path.ts';

/** Entries in one page of a tree, and commits in one page of a history. */
const pageEntries = 1000;
const pageCommits = 50;
/** Paths of one `paths-info` request. */
const pathsMax = 1000;
/** Commits that can be paged through. */
const historyMax = 100_000;

export async function listTree(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  rest: readonly string[],
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'read');
  const { snapshot, path: folder } = await locateRevision(gateway, repository, rest);
  const entries = await entriesOf(snapshot, folder);
  if (entries === undefined) throw new MissingEntry(folder, snapshot.commit.id);
  const isRecursive = isTrue(c.req.query('recursive'));
  const cursor = c.req.query('cursor');
  const limit = limitOf(c, pageEntries);
  const page: PlacedEntry[] = [];
  let isAfter = cursor === undefined;
  let hasMore = false;
  const all = isRecursive
    ? walk(snapshot, entries, folder)
    : entries.map((entry) => ({ ...entry, path: folder === '' ? entry.name : `${folder}/${entry.name}` }));
  for await (const entry of all) {
    if (isAfter && page.length === limit) {
      hasMore = true;
      break;
    }
    if (isAfter) page.push(entry);
    else isAfter = entry.path === cursor;
  }
  const isExpanded = isTrue(c.req.query('expand'));
  return c.json(await fieldsOf(gateway, repository, { snapshot, entries: page, isExpanded }), 200, {
    'X-Repo-Commit': snapshot.commit.id,
    ...(hasMore && nextLink(c, gateway, { cursor: page.at(-1)!.path })),
  });
}

export async function pathsInfo(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  rest: readonly string[],
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'read');
  const { paths = [], expand: [expand] = [] } = await readFormOrJson(c, gateway);
  if (paths.length > pathsMax) throw new FirnError('payload-too-large', `At most ${pathsMax} paths in one request.`);
  const snapshot = await locateWholeRevision(gateway, repository, rest);
  const entries: PlacedEntry[] = [];
  for (const path of paths) {
    const entry = typeof path === 'string' ? await entryAt(snapshot, path) : undefined;
    if (entry !== undefined) entries.push({ ...entry, path: path as string });
  }
  const isExpanded = expand !== undefined && isTrue(String(expand));
  const fields = await fieldsOf(gateway, repository, { snapshot, entries, isExpanded });
  return c.json(fields, 200, { 'X-Repo-Commit': snapshot.commit.id });
}

async function fieldsOf(
  { catalog }: HubGateway,
  { id }: Repository,
  {
    snapshot,
    entries,
    isExpanded,
  }: { readonly snapshot: Snapshot; readonly entries: readonly PlacedEntry[]; readonly isExpanded: boolean },
): Promise<object[]> {
  if (!isExpanded) return entries.map(entryFields);
  const last = await lastCommits(catalog, id, snapshot, { paths: entries.map(({ path }) => path) });
  return entries.map((entry) => expandedFields(entry, last.get(entry.path)));
}

export async function listCommits(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  rest: readonly string[],
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'read');
  const snapshot = await locateWholeRevision(gateway, repository, rest);
  const page = Math.max(0, Number(c.req.query('p') ?? 0) || 0);
  const limit = limitOf(c, pageCommits);
  const { revisions } = gateway.catalog.hub;
  const end = Math.min((page + 1) * limit, historyMax);
  const { id: newest } = snapshot.commit;
  const [history, total]: readonly [readonly Omit<HubCommit, 'repositoryId'>[], number] =
    snapshot.checkpoint === undefined
      ? await Promise.all([
          revisions.history(repository.id, newest, end),
          revisions.historyLength(repository.id, newest, historyMax),
        ])
      : [[snapshot.commit], 1];
  const shown = history.slice(page * limit, (page + 1) * limit);
  return c.json(
    shown.map(({ id, title, message, author, createdAt }) => ({
      id,
      title,
      message,
      authors: [{ user: author, avatar: '' }],
      date: createdAt.toISOString(),
    })),
    200,
    {
      'X-Total-Count': String(total),
      ...(total > (page + 1) * limit && nextLink(c, gateway, { p: String(page + 1) })),
    },
  );
}

export async function showRefs(c: Context<AppEnv>, gateway: HubGateway, name: HubRepositoryName): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'read');
  const refs = await gateway.hub.listRefs(repository);
  const ofKind = (kind: RefKind): object[] =>
    refs
      .filter((ref) => ref.kind === kind)
      .map((ref) => ({
        name: ref.name,
        ref: `refs/${kind === 'branch' ? 'heads' : 'tags'}/${ref.name}`,
        targetCommit: ref.commitId,
      }));
  return c.json({ branches: ofKind('branch'), converts: [], tags: ofKind('tag'), pullRequests: [] });
}

const branchShape = z.object({
  startingPoint: z.string().nullish(),
  overwrite: z.boolean().nullish(),
  emptyBranch: z.boolean().nullish(),
});
const tagShape = z.object({ tag: z.string(), message: z.string().nullish() });
const squashShape = z.object({ message: z.string().nullish() });

/** Creates or deletes a branch. */
export async function changeBranch(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  rest: readonly string[],
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'write');
  const branch = rest.join('/');
  if (c.req.method === 'DELETE') {
    await gateway.hub.deleteRef(repository, 'branch', branch);
    return c.json({});
  }
  const { startingPoint, overwrite, emptyBranch } = await readJson(c, gateway, branchShape);
  await gateway.hub.createRef(repository, {
    kind: 'branch',
    name: branch,
    revision: emptyBranch === true ? undefined : (startingPoint ?? 'main'),
    overwrite: overwrite ?? false,
  });
  return c.json({});
}

/** Creates a tag at the revision of the path, or deletes the tag that the path names. */
export async function changeTag(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  rest: readonly string[],
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'write');
  if (c.req.method === 'DELETE') {
    await gateway.hub.deleteRef(repository, 'tag', rest.join('/'));
    return c.json({});
  }
  const { tag } = await readJson(c, gateway, tagShape);
  await gateway.hub.createRef(repository, { kind: 'tag', name: tag, revision: rest.join('/'), overwrite: false });
  return c.json({});
}

export async function squash(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  rest: readonly string[],
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'admin');
  const branch = rest.join('/');
  if ((await resolveRevision(gateway.catalog, repository, `refs/heads/${branch}`)) === undefined)
    throw new MissingRevision(branch);
  const { message } = await readJson(c, gateway, squashShape);
  const title = message ?? `Super-squash branch '${branch}'`;
  const commit = await gateway.hub.squashBranch(repository, branch, { title, author: c.var.principal.name });
  return c.json({ commitOid: commit.id });
}

/** How many of a page a client wants, at least one and at most `max`. */
function limitOf(c: Context<AppEnv>, max: number): number {
  const asked = Math.trunc(Number(c.req.query('limit') ?? max));
  return asked >= 1 ? Math.min(asked, max) : max;
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(?:1|true|)$/i.test(value);
}
