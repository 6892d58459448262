import type { Context } from 'hono';
import { z } from 'zod';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Scope } from '../../checkpoint/grant.ts';
import { MissingRevision } from '../../hub/tree/missing.ts';
import { mainBranch } from '../../hub/hub-context.ts';
import { resolveRevision } from '../../hub/tree/resolve-revision.ts';
import { entryAt, type Snapshot } from '../../hub/tree/snapshot.ts';
import type { AppEnv } from '../app-env.ts';
import type { HubGateway } from './hub-gateway.ts';
import { gatherBody } from '../request/body/gather-body.ts';
import { invalidRequest } from '../request/invalid-request.ts';
import { createLocate } from '../request/locate.ts';
import { MissingRepository } from './hub-error.ts';
import type { HubRepositoryName } from './parse-hub-path.ts';

/** Segments that a revision with plain slashes may have: `refs/heads/run/step-1`. */
const revisionSegmentsMax = 5;
/** Largest JSON or form body of a hub request, in bytes: a thousand paths of a kibibyte. */
const bodyBytesMax = 4 * 1024 * 1024;

/** The repository of a hub path, for a request that needs `scope` on it. */
export async function locateRepository(
  { catalog }: Pick<HubGateway, 'catalog'>,
  c: Context<AppEnv>,
  { type, ...names }: HubRepositoryName,
  scope: Scope,
): Promise<Repository> {
  try {
    const repository = await createLocate(catalog)(c, scope).repository(names);
    if (repository.type === type) return repository;
  } catch (error) {
    if (!(error instanceof FirnError) || error.code !== 'not-found') throw error;
  }
  throw new MissingRepository();
}

/** The repository with this id, which upload addresses name; absent and forbidden look the same. */
export async function locateById(
  gateway: Pick<HubGateway, 'catalog'>,
  c: Context<AppEnv>,
  id: string,
  scope: Scope,
): Promise<Repository> {
  const repository = await gateway.catalog.repositories.get(id);
  if (repository === undefined) throw new MissingRepository();
  return locateRepository(gateway, c, repository, scope);
}

/** The revision that these segments name together. `MissingRevision`. */
export async function locateWholeRevision(
  { catalog }: Pick<HubGateway, 'catalog'>,
  repository: Repository,
  rest: readonly string[],
): Promise<Snapshot> {
  const snapshot = await resolveRevision(catalog, repository, rest.join('/'));
  if (snapshot === undefined) throw new MissingRevision(rest.join('/'));
  return snapshot;
}

/**
 * Splits `revision/path` where the revision may itself have slashes. The shortest beginning that names a revision with
 * this path is one, or else the shortest that names a revision: `run/step-1/x` is a file of a tag, if the branch `run`
 * has no folder `step-1`. The main branch is never the beginning of a longer name. `MissingRevision`.
 */
export async function locateRevision(
  { catalog }: Pick<HubGateway, 'catalog'>,
  repository: Repository,
  rest: readonly string[],
): Promise<{ readonly snapshot: Snapshot; readonly path: string }> {
  let shortest: { readonly snapshot: Snapshot; readonly path: string } | undefined;
  for (let count = 1; count <= Math.min(rest.length, revisionSegmentsMax); count++) {
    const revision = rest.slice(0, count).join('/');
    const snapshot = await resolveRevision(catalog, repository, revision);
    if (snapshot === undefined) continue;
    const located = { snapshot, path: rest.slice(count).join('/') };
    const has = located.path === '' || (await entryAt(snapshot, located.path)) !== undefined;
    if (has || revision === mainBranch) return located;
    shortest ??= located;
  }
  if (shortest === undefined) throw new MissingRevision(rest[0] ?? '');
  return shortest;
}

/** A JSON body of this shape. Unknown keys are ignored: newer clients send more. `invalid-request`. */
export async function readJson<Shape extends z.ZodType>(
  c: Context<AppEnv>,
  gateway: Pick<HubGateway, 'bodies'>,
  shape: Shape,
): Promise<z.infer<Shape>> {
  const text = await readText(c, gateway);
  return parseAs(shape, text === '' ? {} : parseJson(text));
}

/** `paths` and the like of a body that Python sends as a form and JavaScript as JSON; each key with all its values. */
export async function readFormOrJson(
  c: Context<AppEnv>,
  gateway: Pick<HubGateway, 'bodies'>,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const text = await readText(c, gateway);
  if (c.req.header('content-type')?.startsWith('application/json') === true) {
    const body = parseAs(z.record(z.string(), z.unknown()), parseJson(text));
    return Object.fromEntries(
      Object.entries(body).map(([key, value]) => [key, Array.isArray(value) ? value : [value]]),
    );
  }
  const form = new URLSearchParams(text);
  return Object.fromEntries([...new Set(form.keys())].map((key) => [key, form.getAll(key)]));
}

async function readText(c: Context<AppEnv>, gateway: Pick<HubGateway, 'bodies'>): Promise<string> {
  return (await readBytes(c, gateway, bodyBytesMax)).toString('utf8');
}

/** A body of at most `bytesMax` bytes. `payload-too-large`. */
export async function readBytes(
  c: Context<AppEnv>,
  { bodies }: Pick<HubGateway, 'bodies'>,
  bytesMax: number,
): Promise<Buffer> {
  const tooLarge = `This body may have at most ${bytesMax} bytes.`;
  const { bytes, release } = await gatherBody(c, bodies, { bytesMax, tooLarge });
  release();
  return bytes;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FirnError('invalid-request', 'The body is not valid JSON.', { cause });
  }
}

export function parseAs<Shape extends z.ZodType>(shape: Shape, value: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw invalidRequest(parsed.error.issues);
  return parsed.data;
}

/** The address that the client used for this server, without a slash at the end. */
export function originOf(c: Context<AppEnv>, trustProxy: boolean): string {
  const url = new URL(c.req.url);
  const forwarded = trustProxy ? c.req.header('x-forwarded-proto')?.split(',').at(-1)?.trim() : undefined;
  const protocol = forwarded === 'https' || forwarded === 'http' ? forwarded : url.protocol.replace(':', '');
  const host = trustProxy ? c.req.header('x-forwarded-host')?.split(',').at(-1)?.trim() : undefined;
  return `${protocol}://${host ?? url.host}`;
}

/** The Link field of the next page: this request's address with other values in its query. */
export function nextLink(
  c: Context<AppEnv>,
  { admittance }: Pick<HubGateway, 'admittance'>,
  changed: Readonly<Record<string, string>>,
): Record<string, string> {
  const url = new URL(c.req.url);
  for (const [key, value] of Object.entries(changed)) url.searchParams.set(key, value);
  return { Link: `<${originOf(c, admittance.trustProxy)}${url.pathname}${url.search}>; rel="next"` };
}
