import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './firn-api.ts';
import { FirnProblem } from './firn-problem.ts';
import { TryAgain, withRetries } from './retry.ts';
import { readText, sendBytes, type Sender } from './send-bytes.ts';
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
export function openHub({ url, token, allowInsecure = false, userAgent = 'firn-hub-client' }: HubOptions): Hub {
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
  const sender = { url: base, headers, agent };
  const api = createClient<paths>({ baseUrl: base, headers, fetch: (request) => ask(sender, request) });
  return { ...sender, api, close: () => agent.destroy() };
}

/** Sends a request of the generated client, which knows only the interface of fetch. */
async function ask(hub: Sender, request: Request): Promise<Response> {
  const mayRepeat = repeatable.has(request.method) || request.headers.has('idempotency-key');
  const body = request.body === null ? {} : { body: new Uint8Array(await request.arrayBuffer()) };
  const once = async (): Promise<Response> => {
    const answer = await sendBytes(hub, {
      method: request.method,
      path: pathOf(request, hub),
      headers: Object.fromEntries(request.headers),
      ...body,
      signal: AbortSignal.timeout(answerDeadlineMs),
    });
    const text = await readText(answer);
    const isEmpty = answer.statusCode === 204 || answer.statusCode === 205;
    return new Response(isEmpty ? null : text, { status: answer.statusCode!, headers: headersOf(answer) });
  };
  try {
    return await (mayRepeat ? withRetries(once) : once());
  } catch (error) {
    if (error instanceof TryAgain) throw error.problem;
    throw error instanceof FirnProblem ? error : new Unreachable(hub.url, error);
  }
}

/** What follows the hub's address, whose own spelling the request may have changed (`http://HUB:80`). */
function pathOf(request: Request, hub: Pick<Hub, 'url'>): string {
  const { pathname, search } = new URL(request.url);
  return (pathname + search).slice(new URL(hub.url).pathname.replace(/\/$/, '').length);
}

function headersOf({ headers }: IncomingMessage): Headers {
  const known = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  return new Headers(known);
}
