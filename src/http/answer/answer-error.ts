import type { Context } from 'hono';
import type { AppEnv, HttpLog } from '../app-env.ts';
import { renderHubError } from '../hub/hub-error.ts';
import { isHubRequest } from '../hub/hub-path-of.ts';
import { problemKinds } from './problem-status.ts';
import { renderProblem, toFirnError } from './render-problem.ts';

/** The answer to a failed request; errors of the server are logged. */
export function answerError(c: Context<AppEnv>, error: Error, log: HttpLog): Response {
  const known = toFirnError(error);
  if (problemKinds[known.code].status >= 500) {
    log.error(
      { requestId: c.var.requestId, traceId: c.var.traceId, code: known.code, detail: known.detail, err: error },
      'a request failed',
    );
  }
  const headers = known.code === 'unauthenticated' ? challenge(c) : {};
  if (isHubRequest(c)) return renderHubError(c, known, headers);
  return renderProblem(c, known, headers);
}

/** RFC 6750 section 3: an error is named only if a token was sent. */
function challenge(c: Context<AppEnv>): Record<string, string> {
  const error = c.req.header('authorization') === undefined ? '' : ', error="invalid_token"';
  return { 'WWW-Authenticate': `Bearer realm="firn"${error}` };
}
