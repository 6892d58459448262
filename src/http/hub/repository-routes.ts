import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { z } from 'zod';
import { repositoryTypes, type Repository, type RepositoryType } from '../../catalog/contract/repository-records.ts';
import { scopeOn, visibleTo, type Principal } from '../../access/principal.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { checkName, checkNewNamespace, isName } from '../../checkpoint/names.ts';
import { cardMetadata, fieldsOfCard } from '../../hub/checkpoints/card-metadata.ts';
import { cardPath } from '../../hub/checkpoints/read-card.ts';
import type { PathChange } from '../../hub/tree/folder.ts';
import { resolveRevision } from '../../hub/tree/resolve-revision.ts';
import { type Snapshot, walk } from '../../hub/tree/snapshot.ts';
import type { AppEnv } from '../app-env.ts';
import type { HubGateway } from './hub-gateway.ts';
import { checkScope, checkToken } from '../request/locate.ts';
import { largeFileOf } from './file-fields.ts';
import { locateRepository, locateWholeRevision, nextLink, originOf, readJson } from './hub-request.ts';
import type { HubRepositoryName } from './parse-hub-path.ts';
import { checkCommittedPath, fileShape, readOperation } from './read-operation.ts';

/** Where repositories of a principal go that names no namespace, on a server where everybody may do everything. */
const openNamespace = 'local';
/** Repositories of one page of a list. */
const pageRepositories = 100;

/** Files that a repository can be created with. */
const createdFilesMax = 1000;

const typeSchema = z.enum(repositoryTypes).nullish();
const nameShape = z.object({ name: z.string(), organization: z.string().nullish(), type: typeSchema });
const createShape = nameShape.extend({
  private: z.boolean().nullish(),
  visibility: z.string().nullish(),
  /** What JavaScript clients may give a new repository. */
  files: z.array(fileShape).max(createdFilesMax).nullish(),
  license: z
    .string()
    .regex(/^[\w.-]{1,60}$/)
    .nullish(),
});
const moveShape = z.object({ fromRepo: z.string(), toRepo: z.string(), type: typeSchema });
const settingsShape = z.object({
  private: z.boolean().nullish(),
  visibility: z.string().nullish(),
  gated: z.unknown().optional(),
});
/** Filters of a list that would have to read all cards. */
const filtersOfCards = ['filter', 'pipeline_tag', 'library', 'language', 'license', 'tags', 'dataset'] as const;
/** What clients send for a repository that is not gated. */
const notGated: readonly unknown[] = [undefined, null, false, 'false'];

/** The namespace of repositories that a principal creates without naming one. Pure. */
export function homeOf({ name, grants }: Pick<Principal, 'name' | 'grants'>): string {
  const own = grants.find(({ namespace }) => namespace !== undefined)?.namespace;
  return own ?? (isName(name) && name !== 'operator' ? name : openNamespace);
}

export async function whoAmI(c: Context<AppEnv>, { catalog }: HubGateway): Promise<Response> {
  const { principal } = c.var;
  checkToken(principal);
  const home = homeOf(principal);
  const record = await catalog.tokens.get(principal.id);
  const namespaces = new Set(principal.grants.flatMap(({ namespace }) => namespace ?? []));
  namespaces.delete(home);
  const role = principal.grants.some(({ scope }) => scope !== 'read') ? 'write' : 'read';
  return c.json({
    type: 'user',
    id: principal.id,
    name: home,
    fullname: home,
    isPro: false,
    orgs: [...namespaces].map((name) => ({ type: 'org', id: name, name, fullname: name, roleInOrg: role })),
    auth: {
      type: 'access_token',
      accessToken: {
        displayName: principal.name,
        role,
        createdAt: (record?.createdAt ?? new Date(0)).toISOString(),
      },
    },
  });
}

export async function createRepository(c: Context<AppEnv>, gateway: HubGateway): Promise<Response> {
  const { name: given, organization, type, visibility, ...body } = await readJson(c, gateway, createShape);
  const [ofName, rest] = splitName(given);
  const named = {
    type: type ?? 'model',
    namespace: checkNewNamespace(organization ?? ofName ?? homeOf(c.var.principal)),
    name: checkName(rest, 'repository'),
  };
  checkScope(c.var.principal, scopeOn(c.var.principal, named), 'write');
  const url = `${originOf(c, gateway.admittance.trustProxy)}${webPath(named)}`;
  const existing = await gateway.catalog.repositories.find(named.namespace, named.name);
  // 400, because clients that accept an existing repository take each 409 for one that they can use.
  if (existing !== undefined && existing.type !== named.type)
    throw new FirnError(
      'invalid-request',
      `The name ${idOf(named)} is taken by a repository of another type, a ${existing.type}.`,
    );
  // Clients that accept an existing repository read its address from this answer.
  if (existing !== undefined)
    return c.json({ error: 'You already created this repository.', url, id: `${named.namespace}/${named.name}` }, 409, {
      'X-Error-Code': 'conflict',
    });
  const isPublic = body.private === false || visibility === 'public';
  const files = [...(body.files ?? []), ...cardOf(body)];
  for (const { path } of files) checkCommittedPath(path);
  const repository = await gateway.hub.createRepository({ ...named, visibility: isPublic ? 'public' : 'private' });
  if (files.length > 0) await commitFiles(c, gateway, repository, files);
  return c.json({ url, id: `${named.namespace}/${named.name}`, name: `${named.namespace}/${named.name}` });
}

type CreatedFile = z.infer<typeof fileShape>;

/** A card that says the license, unless the files bring a card. */
function cardOf({ files, license }: Pick<z.infer<typeof createShape>, 'files' | 'license'>): CreatedFile[] {
  if (license == null || files?.some(({ path }) => path === cardPath) === true) return [];
  return [{ path: cardPath, content: `---\nlicense: ${license}\n---\n`, encoding: 'utf-8' }];
}

async function commitFiles(
  c: Context<AppEnv>,
  gateway: HubGateway,
  repository: Repository,
  files: readonly CreatedFile[],
): Promise<void> {
  const inline = await gateway.hub.openBlobBatch(repository);
  const notes = { inline, steps: new Map<string, number>(), onCard: () => undefined };
  const changes: PathChange[] = [];
  for (const each of files) changes.push(await readOperation(gateway, repository, 'file', each, notes));
  await inline.flush();
  const requestSha256 = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  const text = { title: 'initial files', message: '', author: c.var.principal.name };
  await gateway.hub.commitChanges(repository, { branch: 'main', changes, steps: notes.steps, requestSha256, ...text });
}

export async function deleteRepository(c: Context<AppEnv>, gateway: HubGateway): Promise<Response> {
  const { name: given, organization, type } = await readJson(c, gateway, nameShape);
  const [ofName, rest] = splitName(given);
  const named = { type: type ?? 'model', namespace: organization ?? ofName ?? homeOf(c.var.principal), name: rest };
  await gateway.hub.deleteRepository(await locateRepository(gateway, c, named, 'admin'));
  return c.json({});
}

export async function moveRepository(c: Context<AppEnv>, gateway: HubGateway): Promise<Response> {
  const { fromRepo, toRepo, type } = await readJson(c, gateway, moveShape);
  const place = (text: string): { namespace: string; name: string } => {
    const [namespace = '', name] = splitName(text);
    return { namespace: checkName(namespace, 'namespace'), name: checkName(name, 'repository') };
  };
  const to = place(toRepo);
  checkNewNamespace(to.namespace);
  const repository = await locateRepository(gateway, c, { type: type ?? 'model', ...place(fromRepo) }, 'admin');
  checkScope(c.var.principal, scopeOn(c.var.principal, to), 'write');
  const moved = await gateway.catalog.repositories.move(repository.id, to);
  return c.json({ url: `${originOf(c, gateway.admittance.trustProxy)}${webPath(moved)}` });
}

export async function changeSettings(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'admin');
  const { private: isPrivate, visibility, gated } = await readJson(c, gateway, settingsShape);
  if (!notGated.includes(gated))
    throw new FirnError(
      'invalid-request',
      'Gated repositories are not supported; make the repository private and give tokens for it.',
    );
  const asked =
    visibility ?? (isPrivate === undefined || isPrivate === null ? undefined : isPrivate ? 'private' : 'public');
  if (asked !== undefined && asked !== 'public' && asked !== 'private')
    throw new FirnError('invalid-request', 'The visibility of a repository is public or private.');
  if (asked !== undefined) await gateway.catalog.repositories.setVisibility(repository.id, asked);
  return c.json({ private: (asked ?? repository.visibility) === 'private' });
}

/** One page of the repositories of a type, and in the Link field where the next begins. */
export async function listRepositories(
  c: Context<AppEnv>,
  gateway: HubGateway,
  type: RepositoryType,
): Promise<Response> {
  for (const filter of filtersOfCards)
    if (c.req.query(filter) !== undefined)
      throw new FirnError('invalid-request', `This hub does not search its cards: ${filter} cannot be asked for.`);
  const author = c.req.query('author');
  const search = c.req.query('search')?.toLowerCase();
  const asked = Math.trunc(Number(c.req.query('limit') ?? pageRepositories)) || pageRepositories;
  const limit = Math.max(1, Math.min(asked, pageRepositories));
  const found: Repository[] = [];
  for (let after = c.req.query('cursor'); found.length <= limit;) {
    const page = await gateway.catalog.repositories.list(
      { limit: pageRepositories, ...(after !== undefined && { after }) },
      visibleTo(c.var.principal),
    );
    for (const each of page)
      if (each.type === type && (author ?? each.namespace) === each.namespace && isMatch(each, search))
        found.push(each);
    if (page.length < pageRepositories) break;
    after = idOf(page.at(-1)!);
  }
  const shown = found.slice(0, limit);
  const hasMore = found.length > limit;
  return c.json(
    shown.map((repository) => fieldsOf(repository)),
    200,
    hasMore ? nextLink(c, gateway, { cursor: idOf(shown.at(-1)!) }) : {},
  );
}

/** A repository with its files at a revision, `main` by default. */
export async function repositoryInfo(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  revision: readonly string[],
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'read');
  const snapshot =
    revision.length === 0
      ? await resolveRevision(gateway.catalog, repository, 'main')
      : await locateWholeRevision(gateway, repository, revision);
  const withBlobs = c.req.query('blobs') !== undefined;
  const card = snapshot && (await gateway.hub.readCard(repository, snapshot));
  return c.json({
    ...fieldsOf(repository),
    ...(card !== undefined && fieldsOfCard(cardMetadata(card))),
    sha: snapshot?.commit.id,
    lastModified: (snapshot?.commit.createdAt ?? repository.createdAt).toISOString(),
    siblings: snapshot === undefined ? [] : await siblingsOf(snapshot, withBlobs),
  });
}

async function siblingsOf(snapshot: Snapshot, withBlobs: boolean): Promise<object[]> {
  const files: object[] = [];
  for await (const entry of walk(snapshot, await snapshot.load(snapshot.commit.treeId))) {
    if (entry.kind === 'folder') continue;
    const details = withBlobs && { size: entry.sizeBytes, blobId: entry.oid, ...largeFileOf(entry) };
    files.push({ rfilename: entry.path, ...details });
  }
  return files;
}

function fieldsOf(repository: Repository): object {
  const { id, namespace, type, visibility, createdAt } = repository;
  return {
    _id: id.slice(0, 24),
    id: idOf(repository),
    ...(type === 'model' && { modelId: idOf(repository) }),
    author: namespace,
    private: visibility === 'private',
    gated: false,
    disabled: false,
    downloads: 0,
    likes: 0,
    tags: [],
    createdAt: createdAt.toISOString(),
    lastModified: createdAt.toISOString(),
  };
}

function isMatch(repository: Repository, search: string | undefined): boolean {
  return search === undefined || idOf(repository).toLowerCase().includes(search);
}

function idOf({ namespace, name }: Pick<Repository, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

/** Namespace and name of `namespace/name`. More slashes stay in the name, which no repository has. Pure. */
function splitName(given: string): readonly [namespace: string | undefined, name: string] {
  const at = given.indexOf('/');
  return at === -1 ? [undefined, given] : [given.slice(0, at), given.slice(at + 1)];
}

/** The path of a repository's page; clients read the id from it. */
export function webPath({ type, ...names }: HubRepositoryName): string {
  return `/${type === 'model' ? '' : `${type}s/`}${idOf(names)}`;
}
