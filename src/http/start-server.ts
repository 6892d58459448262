import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { AppEnv, ServerBindings } from './app-env.ts';
import { problemOf } from './answer/render-problem.ts';
import { refuseUnreadableRequests } from './request/unreadable-request.ts';

/** Longest time for the request line and headers, in ms. */
const headersTimeoutMs = 20_000;
/** Longest idle time of a kept-alive connection, in ms; longer than the 60 s of common proxies. */
const keepAliveTimeoutMs = 65_000;
/** Largest request line and headers together, in bytes. */
const headerBytesMax = 16 * 1024;
/** Interval at which a draining server closes idle connections, in ms. */
const idleCheckMs = 50;

export interface RunningServer {
  /** Origin with the bound port, without a trailing slash. */
  readonly url: string;
  /** Stops accepting, ends event streams, lets requests finish for at most `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>;
}

/** Serves the app. Rejects if the port cannot be bound. Port 0 takes a free one. */
export async function startServer({
  app,
  host,
  port,
}: {
  app: Hono<AppEnv>;
  host: string;
  port: number;
}): Promise<RunningServer> {
  const stopping = new AbortController();
  const server = createServer(
    // No deadline for a whole request, because uploads may take hours; bodies have an idle limit of their own
    // (incoming-body.ts).
    {
      requestTimeout: 0,
      headersTimeout: headersTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      maxHeaderSize: headerBytesMax,
    },
  );
  const unreadable = refuseUnreadableRequests(server);
  const bindings = (env: HttpBindings): ServerBindings => ({
    ...env,
    stopping: stopping.signal,
    hasSurplus: () => unreadable.hasSurplus(env.incoming),
  });
  const listener = getRequestListener((request, env) => app.fetch(request, bindings(env as HttpBindings)), {
    errorHandler: unroutable,
  });
  server.on('request', (req, res) => void listener(req, res));
  // With a listener Node does not send `100 Continue` by itself; the first read of the body sends it
  // (incoming-body.ts).
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => server.emit('request', req, res));
  await listen(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: (graceMs) => drain(server, stopping, graceMs),
  };
}

/** The answer to a request that does not reach the app, for example because its target is no URL. */
function unroutable(error: unknown): Response {
  const known =
    error instanceof RequestError
      ? new FirnError('invalid-request', 'The request target or the Host field is not valid.', { cause: error })
      : new FirnError('internal', 'The request could not be handled.', { cause: error });
  const requestId = randomUUID();
  const { status, headers, body } = problemOf(known, requestId);
  return new Response(body, { status, headers: { ...headers, 'X-Request-Id': requestId } });
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function drain(server: Server, stopping: AbortController, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  stopping.abort();
  server.closeIdleConnections();
  // A kept-alive connection becomes idle only after its last answer is sent.
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
