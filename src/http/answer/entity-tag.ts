import { createHash } from 'node:crypto';
import type { Context, TypedResponse } from 'hono';
import type { AppEnv } from '../app-env.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { listHas } from './plan-response.ts';

/** Bytes of the digest that a tag has. */
const tagBytes = 16;

/** Strong, quotes included: from the sha256 of the answer's JSON, so it changes when anything that is shown does. */
export function entityTag(shown: object): string {
  return `"${createHash('sha256')
    .update(JSON.stringify(shown))
    .digest('hex')
    .slice(0, 2 * tagBytes)}"`;
}

/**
 * Sets the ETag of what a GET is about to answer. Returns the 304 instead if the client has it already (If-None-Match);
 * `precondition-failed` if it asks for another (If-Match). RFC 9110, section 13.2.2.
 */
export function unchanged(
  c: Context<AppEnv>,
  shown: object,
): (Response & TypedResponse<null, 304, 'body'>) | undefined {
  const etag = tagged(c, shown);
  const [ifMatch, ifNoneMatch] = [c.req.header('if-match'), c.req.header('if-none-match')];
  if (ifMatch !== undefined && !listHas(ifMatch, etag, 'strong')) throw otherTag(etag);
  if (ifNoneMatch === undefined || !listHas(ifNoneMatch, etag, 'weak')) return undefined;
  return c.body(null, 304) as Response & TypedResponse<null, 304, 'body'>;
}

/** Sets the ETag of what is about to be answered, and returns it. */
export function tagged(c: Context<AppEnv>, shown: object): string {
  const etag = entityTag(shown);
  c.header('ETag', etag);
  return etag;
}

/** `precondition-failed`, with the tag that the thing has now; undefined if there is no such thing. */
export function otherTag(etag: string | undefined): FirnError {
  return new FirnError(
    'precondition-failed',
    etag === undefined
      ? 'There is nothing yet that If-Match could name.'
      : `It has changed since: its ETag is ${etag} now. Read it anew.`,
  );
}
