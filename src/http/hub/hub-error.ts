import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { MissingEntry, MissingRevision } from '../../hub/tree/missing.ts';
import type { AppEnv } from '../app-env.ts';
import { jsonLine } from '../answer/json-lines.ts';
import { problemOf, publicSentence } from '../answer/render-problem.ts';

/** A repository that is missing, or that the principal may not see. */
export class MissingRepository extends FirnError {
  constructor() {
    super('not-found', 'Repository not found.');
  }
}

/**
 * An error as hub clients read it: a JSON object, and header fields by which they distinguish errors. On plain http
 * they know a missing repository by `X-Error-Code` alone.
 */
export function renderHubError(
  c: Context<AppEnv>,
  error: FirnError,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status, headers: ofProblem } = problemOf(error, c.var.requestId);
  const sentence = publicSentence(error);
  return c.body(jsonLine({ error: sentence }), status as ContentfulStatusCode, {
    ...ofProblem,
    'Content-Type': 'application/json; charset=utf-8',
    'X-Error-Message': headerText(
      error.code === 'unauthenticated' ? 'Invalid credentials in Authorization header' : sentence,
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
