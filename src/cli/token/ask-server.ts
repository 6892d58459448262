import type { TokenCommand } from './read-token-command.ts';
import { formatGrant } from '../../checkpoint/grant.ts';
import type { ShownToken, TokenAdministration } from './token-administration.ts';

/** Longest wait for an answer, in ms. */
const answerDeadlineMs = 30_000;
/** Most pages of tokens that are requested, of a thousand tokens each. */
const pagesMax = 100;

/**
 * Administers the tokens of a running server through its API. Verbs reject with an Error that contains the server's
 * answer.
 */
export function administerOnServer(url: string, token: string | undefined): TokenAdministration {
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const res = await fetch(new URL(path, url), {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerDeadlineMs),
    });
    const answer = (await res.json()) as { detail?: string };
    if (!res.ok) throw new Error(`${url} answered ${res.status}: ${answer.detail ?? ''}`);
    return answer;
  };
  return {
    create: async ({ name, grants, expiresAt }: Extract<TokenCommand, { verb: 'create' }>) => {
      const made = await ask('POST', '/v1/tokens', {
        name,
        grants: grants.map(formatGrant),
        ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }),
      });
      return (made as { token: string }).token;
    },
    list: async () => {
      const listed: ShownToken[] = [];
      let after = '';
      for (let page = 0; page < pagesMax; page++) {
        const { items, next } = (await ask('GET', `/v1/tokens?limit=1000${after}`)) as {
          items: ShownToken[];
          next?: string;
        };
        listed.push(...items);
        if (next === undefined) break;
        after = `&after=${encodeURIComponent(next)}`;
      }
      return listed;
    },
    revoke: async (id) => void (await ask('DELETE', `/v1/tokens/${encodeURIComponent(id)}`)),
    close: async () => undefined,
  };
}
