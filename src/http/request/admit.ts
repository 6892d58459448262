import type { Context, MiddlewareHandler } from 'hono';
import type { Access } from '../../access/access.ts';
import { anonymous, type Principal } from '../../access/principal.ts';
import type { RateStanding, RequestLimits } from '../../access/request-limits.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { AppEnv } from '../app-env.ts';
import { clientAddress } from './client-address.ts';
import { onceClosed } from './once-closed.ts';
import { renderHubError } from '../hub/hub-error.ts';
import { isHubRequest } from '../hub/hub-path-of.ts';
import { renderProblem } from '../answer/render-problem.ts';

/** Access control and request limits. */
export interface Admittance {
  readonly access: Access;
  /** Absent if only this machine can connect. */
  readonly limits?: RequestLimits;
  readonly trustProxy: boolean;
  /**
   * The id of the token that asked for a signed address, or undefined for any other address. Its bearer sends no token,
   * and is limited like the one who asked.
   */
  readonly signerOf?: (url: string) => Promise<string | undefined>;
}

const tooManyRequests =
  'This client sends too many requests. RateLimit-Policy says how many it may send a minute, ' +
  'Retry-After when to go on.';
const wrongTokens =
  'Too many requests with a wrong token came from this address. Until Retry-After is over, every request with a ' +
  'token from this address is refused, also one with a valid token. Look for a client there that still uses an old ' +
  'token.';

/** Probes: polled often, for everybody alike. A token is not looked at, so that a wrong one fails no probe. */
const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * Identifies the principal of a request and admits it within the limits of its client; otherwise `rate-limited` with
 * Retry-After. Every answer has the RateLimit fields of draft-ietf-httpapi-ratelimit-headers. `Locate` checks the
 * principal's scopes. `unauthenticated` for an invalid token.
 */
export function admit({ access, limits, trustProxy, signerOf }: Admittance): MiddlewareHandler<AppEnv> {
  return async function admitClient(c, next) {
    if (limits === undefined && !namesThisMachine(c.req.url))
      throw new FirnError(
        'forbidden',
        'Without tokens requests are answered that name this machine: localhost, or a loopback address.',
      );
    if (probePaths.has(c.req.path)) {
      c.set('principal', anonymous);
      return next();
    }
    const address = clientAddress(c, trustProxy);
    const authorization = c.req.header('authorization');
    const blocked = authorization === undefined ? undefined : await limits?.blockedSeconds(address);
    if (blocked !== undefined) return tooMany(c, blocked, wrongTokens);
    c.set('principal', await principalOf(access, authorization, () => limits?.countRefused(address)));
    if (limits === undefined) return next();
    const signer = authorization === undefined ? await signerOf?.(c.req.url) : undefined;
    const admission = await limits.admit(signer === undefined ? c.var.principal : { id: signer }, address);
    setRateHeaders(c, admission.standing);
    if (!admission.admitted) return tooMany(c, admission.retryAfterSeconds, tooManyRequests);
    // A request counts as concurrent until its answer's last byte is sent.
    const leavesItself = onceClosed(c, admission.leave);
    try {
      return await next();
    } finally {
      if (!leavesItself) admission.leave();
    }
  };
}

async function principalOf(
  access: Access,
  authorization: string | undefined,
  onRefused: () => Promise<void> | undefined,
): Promise<Principal> {
  try {
    return await access.principal(authorization);
  } catch (error) {
    if (error instanceof FirnError && error.code === 'unauthenticated') await onRefused();
    throw error;
  }
}

function setRateHeaders(c: Context<AppEnv>, { limit, remaining, resetSeconds }: RateStanding): void {
  c.header('RateLimit-Policy', `"requests";q=${limit};w=60`);
  c.header('RateLimit', `"requests";r=${remaining};t=${resetSeconds}`);
}

function tooMany(c: Context<AppEnv>, retryAfterSeconds: number, sentence: string): Response {
  const error = new FirnError('rate-limited', sentence);
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  return isHubRequest(c) ? renderHubError(c, error, headers) : renderProblem(c, error, headers);
}

/**
 * Protects against DNS rebinding: a foreign page can make its own host name resolve to this machine, but the browser
 * still sends that name.
 */
function namesThisMachine(url: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
