import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { anonymous } from '../../../access/principal.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { AppEnv } from '../../app-env.ts';
import type { Gateway } from '../../gateway.ts';
import { clientAddress } from '../../request/client-address.ts';
import type { Viewer } from '../viewer.ts';
import { createSeal, type Seal } from './seal.ts';

/** How long a browser stays signed in, in seconds: a working week. The token may end sooner, and then so does this. */
const sessionSeconds = 7 * 24 * 3600;
/** A host's own cookie, which no other host can set (RFC 6265bis); it needs https. */
const cookieNames = { https: '__Host-firn-session', http: 'firn-session' } as const;

/** Who looks at pages. Only pages read the cookie: a request to the API is never let in by it. */
export interface Sessions {
  viewer(c: Context<AppEnv>): Promise<Viewer>;
  /** The Authorization field of the token in the cookie; undefined without one. */
  authorization(c: Context<AppEnv>): Promise<string | undefined>;
  /** Signs a browser in. `unauthenticated` for a token that is not valid, `rate-limited` after too many of them. */
  signIn(c: Context<AppEnv>, token: string): Promise<void>;
  signOut(c: Context<AppEnv>): void;
}

/** Sessions that need no record: the browser keeps its token, sealed with the hub's secret. */
export function createSessions({ admittance, catalog }: Pick<Gateway, 'admittance' | 'catalog'>): Sessions {
  const { access, limits, trustProxy } = admittance;
  let made: Promise<Seal> | undefined;
  const seal = (): Promise<Seal> => {
    made ??= catalog.hub.revisions.secret().then(createSeal);
    // A failure must not last: the next request asks again.
    made.catch(() => (made = undefined));
    return made;
  };
  const nameFor = (c: Context<AppEnv>) => cookieNames[isSecure(c, trustProxy) ? 'https' : 'http'];
  const tokenOf = async (c: Context<AppEnv>): Promise<string | undefined> => {
    const cookie = getCookie(c, nameFor(c));
    const opened = cookie === undefined ? undefined : (await seal()).unseal(cookie);
    const [, until, token] = /^(\d{1,15}) (\S{1,200})$/.exec(opened ?? '') ?? [];
    return token !== undefined && Number(until) > Date.now() ? token : undefined;
  };
  const authorization = async (c: Context<AppEnv>): Promise<string | undefined> => {
    const token = await tokenOf(c);
    return token === undefined ? undefined : `Bearer ${token}`;
  };
  return {
    authorization,
    async viewer(c) {
      const principal = limits === undefined ? c.var.principal : await principalOf(authorization(c), access);
      return { principal, isOpenHub: limits === undefined, formToken: (await seal()).prove(principal.id) };
    },
    async signIn(c, token) {
      const address = clientAddress(c, trustProxy);
      if ((await limits?.blockedSeconds(address)) !== undefined)
        throw new FirnError('rate-limited', 'Too many wrong tokens came from this address. Wait a minute.');
      try {
        await access.principal(`Bearer ${token}`);
      } catch (error) {
        if (!(error instanceof FirnError && error.code === 'unauthenticated')) throw error;
        await limits?.countRefused(address);
        throw new FirnError('unauthenticated', 'This is no token that is valid here. Check that you copied all of it.');
      }
      const secure = isSecure(c, trustProxy);
      setCookie(c, nameFor(c), (await seal()).seal(`${Date.now() + sessionSeconds * 1000} ${token}`), {
        path: '/',
        httpOnly: true,
        sameSite: 'Lax',
        secure,
        maxAge: sessionSeconds,
      });
    },
    signOut: (c) => void deleteCookie(c, nameFor(c), { path: '/', secure: isSecure(c, trustProxy) }),
  };
}

/** A token that was revoked or is over signs out; other failures remain failures. */
async function principalOf(authorization: Promise<string | undefined>, access: Gateway['admittance']['access']) {
  try {
    return await access.principal(await authorization);
  } catch (error) {
    if (error instanceof FirnError && error.code === 'unauthenticated') return anonymous;
    throw error;
  }
}

/** Whether the browser speaks https to the hub, or to the proxy in front of it. */
export function isSecure(c: Context<AppEnv>, trustProxy: boolean): boolean {
  const forwarded = trustProxy ? c.req.header('x-forwarded-proto')?.split(',').at(-1)?.trim() : undefined;
  return (forwarded ?? new URL(c.req.url).protocol.slice(0, -1)) === 'https';
}
