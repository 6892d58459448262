import http from 'node:http';
import https from 'node:https';
import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './firn-api.ts';
import { problemOf } from './firn-problem.ts';
import { refusalOf, TryAgain, withRetries } from './retry.ts';
import { mayCarryToken } from './token-rule.ts';
import { Unreachable } from './unreachable.ts';

/** Connections for bodies at once. */
const socketsMax = 16;
/** Longest wait for the answer to a request without bytes, in ms; a check of an eval set takes minutes. */
const answerDeadlineMs = 15 * 60_000;
/** Requests that may be sent twice without harm, besides those with an Idempotency-Key. */
const repeatable: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

export interface HubOptions {
  /** Origin of the hub, such as `https://hub.example`. */
  readonly url: string;
  readonly token?: string | undefined;
  /** Sends the token over plain HTTP to another machine, too, where anyone on the way can read it. */
  readonly allowInsecure?: boolean;
  readonly userAgent?: string;
}

/** A hub, and what requests to it need. */
export interface Hub {
  /** Without a trailing slash. */
  readonly url: string;
  /** Every operation of openapi/firn.json, typed. Throws `FirnProblem` or `Unreachable`; repeats what may pass. */
  readonly api: Client<paths>;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: http.Agent | https.Agent;
  close(): void;
}

/** Opens a hub; nothing is sent yet. Throws if the token would travel in the clear. */
export function openHub({ url, token, allowInsecure = false, userAgent = 'firn-client' }: HubOptions): Hub {
  const origin = new URL(url);
  if (token !== undefined && !allowInsecure && !mayCarryToken(origin))
    throw new Error(
      `The token is not sent to ${origin.origin}, because anyone on the way could read it: use https, or allow it.`,
    );
  const base = url.replace(/\/+$/, '');
  const headers = {
    'user-agent': userAgent,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const options = { keepAlive: true, maxSockets: socketsMax };
  const agent = origin.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
  const api = createClient<paths>({ baseUrl: base, headers, fetch: (request) => ask(base, request) });
  return { url: base, api, headers, agent, close: () => agent.destroy() };
}

async function ask(url: string, request: Request): Promise<Response> {
  const mayRepeat = repeatable.has(request.method) || request.headers.has('idempotency-key');
  const once = async (): Promise<Response> => {
    const answer = await fetch(request.clone(), { signal: AbortSignal.timeout(answerDeadlineMs) });
    if (answer.ok) return answer;
    throw refusalOf(problemOf(answer.status, await answer.text()), answer.headers.get('retry-after'));
  };
  try {
    return await (mayRepeat ? withRetries(once) : once());
  } catch (error) {
    if (error instanceof TryAgain) throw error.problem;
    throw error instanceof TypeError ? new Unreachable(url, error) : error;
  }
}
