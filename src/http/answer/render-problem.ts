import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { AppEnv } from '../app-env.ts';
import { jsonLine } from './json-lines.ts';
import { problemKinds, type ProblemStatus } from './problem-status.ts';

/** The sentence of every unexpected failure. */
const unknownSentence = 'The server failed to answer this request. The request id finds the reason in its log.';

/** Codes whose sentence is only logged, because it may not be meant for clients. */
const withheldCodes: ReadonlySet<string> = new Set(['internal', 'native-failure']);

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
}

/** The error that a client sees: the framework's errors by status, unexpected ones as `internal`. Pure. */
export function toFirnError(error: unknown): FirnError {
  if (error instanceof FirnError) return error;
  if (error instanceof HTTPException && error.status === 415) {
    return new FirnError('unsupported-media-type', 'The body must be application/json.', { cause: error });
  }
  if (error instanceof HTTPException && error.status < 500)
    return new FirnError('invalid-request', 'The body is not valid JSON.', { cause: error });
  return new FirnError('internal', unknownSentence, { cause: error });
}

/**
 * RFC 9457 problem details with a stable `code` and the request id, and Retry-After if waiting helps. `headers` are
 * added unchanged.
 */
export function renderProblem(
  c: Context<AppEnv>,
  error: FirnError,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const problem = problemOf(error, c.var.requestId);
  // The framework's type of statuses contains only those of HTTP.
  return c.body(problem.body, problem.status as ContentfulStatusCode, { ...problem.headers, ...headers });
}

/** What a client sees of an error. Pure. */
export function publicSentence({ code, message }: FirnError): string {
  return withheldCodes.has(code) ? unknownSentence : message;
}

/** The parts of a problem answer, for use without a routing context. Pure. */
export function problemOf(
  error: FirnError,
  requestId: string,
): { status: ProblemStatus; headers: Record<string, string>; body: string } {
  const kind = problemKinds[error.code];
  const problem: Problem = {
    type: `/problems/${error.code}`,
    title: kind.title,
    status: kind.status,
    code: error.code,
    detail: publicSentence(error),
    requestId,
  };
  const retry = kind.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(kind.retryAfterSeconds) };
  // RFC 9110 section 15.5.9: close the connection instead of waiting for the rest of the body.
  const closing = kind.status === 408 ? { Connection: 'close' } : {};
  const headers = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', ...retry, ...closing };
  return { status: kind.status, headers, body: jsonLine(problem) };
}
