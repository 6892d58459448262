import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { MissingEntry, MissingRevision } from '../../hub/missing.ts';
import type { AppEnv } from '../app-env.ts';
import { problemOf } from '../answer/render-problem.ts';

/** A repository that is missing, or that the principal may not see. */
export class MissingRepository extends FirnError {
  constructor() {
    super('not-found', 'Repository not found.');
  }
}

/**
 * An error as hub clients read it: a JSON object, and header fields that they tell errors apart by. On plain http they
 * know a missing repository by `X-Error-Code` alone.
 */
export function renderHubError(
  c: Context<AppEnv>,
  error: FirnError,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const problem = problemOf(error, c.var.requestId);
  const { detail } = JSON.parse(problem.body) as { detail: string };
  const { 'Retry-After': retryAfter } = problem.headers;
  return c.body(JSON.stringify({ error: detail }), problem.status as ContentfulStatusCode, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
    'X-Error-Message': headerText(
      error.code === 'unauthenticated' ? 'Invalid credentials in Authorization header' : detail,
    ),
    ...codeOf(error),
    ...headers,
  });
}

function codeOf(error: FirnError): Record<string, string> {
  if (error instanceof MissingRevision) return { 'X-Error-Code': 'RevisionNotFound' };
  if (error instanceof MissingEntry) return { 'X-Error-Code': 'EntryNotFound', 'X-Repo-Commit': error.commitId };
  if (error instanceof MissingRepository) return { 'X-Error-Code': 'RepoNotFound' };
  if (error.code === 'not-found') return { 'X-Error-Code': 'EntryNotFound' };
  return { 'X-Error-Code': error.code };
}

/** What a header field can hold. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 1000);
}
