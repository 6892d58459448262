import { repositoryTypes, type RepositoryType } from '../../catalog/contract/repository-records.ts';
import { isName } from '../../checkpoint/names.ts';

/** Namespace, name and type of a repository, as a path names them. */
export interface HubRepositoryName {
  readonly type: RepositoryType;
  readonly namespace: string;
  readonly name: string;
}

/** The operation that the path of a hub client names. `rest` holds decoded segments, in which slashes may occur. */
export type HubPath =
  /** `/api/whoami-v2` and the like: what is not about one repository. */
  | { readonly at: 'api'; readonly operation: string }
  /** `/api/models`: a list. */
  | { readonly at: 'list'; readonly type: RepositoryType }
  /** `/api/models/{id}[/{operation}[/{rest}]]`; the operation is '' for the repository itself. */
  | {
      readonly at: 'repository';
      readonly repository: HubRepositoryName;
      readonly operation: string;
      readonly rest: readonly string[];
    }
  /** `/{id}/resolve/{revision}/{path}` */
  | { readonly at: 'resolve'; readonly repository: HubRepositoryName; readonly rest: readonly string[] }
  /** `/{id}/raw/{revision}/{path}`: as git has it, so that pointers stand for large files. */
  | { readonly at: 'raw'; readonly repository: HubRepositoryName; readonly rest: readonly string[] }
  /** `/{id}.git/info/lfs/objects/batch` */
  | { readonly at: 'lfs-batch'; readonly repository: HubRepositoryName }
  /** `/hub/lfs/{repository id}/{sha256}`: a signed address. */
  | { readonly at: 'lfs-object'; readonly repositoryId: string; readonly sha256: string }
  /** `/hub/xet/{repository id}/{rest}` */
  | { readonly at: 'xet'; readonly repositoryId: string; readonly rest: readonly string[] }
  /** A path of a hub that names no repository that can exist. */
  | { readonly at: 'nowhere' };

const plurals: Readonly<Record<string, RepositoryType>> = Object.fromEntries(
  repositoryTypes.map((type) => [`${type}s`, type]),
);
const idPattern = /^[0-9a-f]{32}$/;
const sha256Pattern = /^[0-9a-f]{64}$/;
/** First segments of paths that are not a namespace. */
const ownSegments: ReadonlySet<string> = new Set(['v1', 'problems', 'healthz', 'readyz', 'metrics', 'openapi.json']);

/**
 * Reads the path of a request as it was sent, with its escapes: clients send slashes in revisions and paths plain or as
 * `%2F`. Each segment is decoded once. Undefined if it is not a path of the hub; `nowhere` for one with an empty, `.`
 * or `..` segment, a backslash or a control character. The path of a file may have empty segments: clients join a
 * folder that ends in a slash to a name, and there is no such file. Pure; never throws.
 */
export function parseHubPath(pathname: string): HubPath | undefined {
  const raw = pathname.replace(/^\//, '').split('/');
  if (raw.at(-1) === '' && raw.length > 1) raw.pop();
  const segments = raw.map(decoded);
  const [first = ''] = segments;
  const isHub =
    first === 'api' || first === 'hub' || ['resolve', 'raw', 'info'].some((word) => segments.includes(word));
  if (!isHub || first === undefined || ownSegments.has(first)) return undefined;
  if (!segments.every((segment): segment is string => segment !== undefined && isPlain(segment)))
    return { at: 'nowhere' };
  const path =
    first === 'api' ? ofApi(segments.slice(1)) : first === 'hub' ? ofOwn(segments.slice(1)) : ofFiles(segments);
  const isOfFile = path?.at === 'resolve' || path?.at === 'raw';
  return isOfFile || !segments.some(hasEmptyPart) ? path : { at: 'nowhere' };
}

function ofApi(segments: readonly string[]): HubPath {
  const [kind = '', namespace, name, operation = '', ...rest] = segments;
  const type = plurals[kind];
  if (type === undefined) return { at: 'api', operation: segments.join('/') };
  if (namespace === undefined) return { at: 'list', type };
  // An id of one segment is valid on some hubs; here every repository has a namespace.
  const repository = repositoryOf(type, namespace, name);
  return repository === undefined ? { at: 'nowhere' } : { at: 'repository', repository, operation, rest };
}

function ofOwn([kind, repositoryId = '', ...rest]: readonly string[]): HubPath {
  if (!idPattern.test(repositoryId)) return { at: 'nowhere' };
  const [sha256 = ''] = rest;
  if (kind === 'lfs' && rest.length === 1 && sha256Pattern.test(sha256))
    return { at: 'lfs-object', repositoryId, sha256 };
  return kind === 'xet' ? { at: 'xet', repositoryId, rest } : { at: 'nowhere' };
}

function ofFiles(segments: readonly string[]): HubPath | undefined {
  const prefixed = plurals[segments[0]!];
  const [namespace = '', name = '', ...after] = prefixed === undefined ? segments : segments.slice(1);
  const type = prefixed ?? 'model';
  if (after[0] === 'resolve' || after[0] === 'raw') {
    const repository = repositoryOf(type, namespace, name);
    return repository === undefined ? { at: 'nowhere' } : { at: after[0], repository, rest: after.slice(1) };
  }
  // Names without a namespace are valid on some hubs; a client must hear that there is no such repository here.
  if (name === 'resolve') return { at: 'nowhere' };
  if (after.join('/') !== 'info/lfs/objects/batch' || !name.endsWith('.git')) return undefined;
  const repository = repositoryOf(type, namespace, name.slice(0, -'.git'.length));
  return repository === undefined ? { at: 'nowhere' } : { at: 'lfs-batch', repository };
}

function repositoryOf(type: RepositoryType, namespace: string, name?: string): HubRepositoryName | undefined {
  return name !== undefined && isName(namespace) && isName(name) ? { type, namespace, name } : undefined;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Whether a decoded segment is safe as part of a path: also where it holds slashes. */
function isPlain(segment: string): boolean {
  return !/[\\\u0000-\u001f\u007f]/.test(segment) && segment.split('/').every((part) => part !== '.' && part !== '..');
}

function hasEmptyPart(segment: string): boolean {
  return segment.split('/').includes('');
}
