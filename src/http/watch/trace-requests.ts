import { once } from 'node:events';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Span, Tracer } from '../../telemetry/tracer.ts';
import type { AppEnv } from '../app-env.ts';

/** Asked every few seconds by those who watch: nobody looks for them in traces. */
const untracedPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Every request is a server span, named by method and route and part of the trace that the client's `traceparent`
 * names, until its connection has the last byte or is gone. The answer says in `traceparent` which span that was.
 * Attributes are those of OpenTelemetry's HTTP conventions.
 */
export function traceRequests(tracer: Tracer): MiddlewareHandler<AppEnv> {
  return function traceRequest(c, next) {
    if (untracedPaths.has(c.req.path)) return next();
    const route = routePath(c, -1);
    const attributes = {
      'http.request.method': c.req.method,
      'http.route': route,
      'url.path': c.req.path,
      'url.scheme': 'http',
      'firn.request_id': c.var.requestId,
    };
    return new Promise((resolve, reject) => {
      const answer = async (span: Span): Promise<void> => {
        c.set('traceId', span.traceparent?.split('-')[1]);
        if (span.traceparent !== undefined) c.header('traceparent', span.traceparent);
        await next();
        const { status } = c.res;
        span.set({ 'http.response.status_code': status });
        const outgoing = c.env?.outgoing;
        const closed = outgoing === undefined || outgoing.closed ? undefined : once(outgoing, 'close');
        resolve();
        await closed;
        // As the conventions say, what the client did wrong is no error of the server.
        if (status >= 500) throw new Error(`answered ${status}`);
      };
      tracer
        .span(`${c.req.method} ${route}`, { kind: 'server', parent: c.req.header('traceparent'), attributes }, answer)
        .catch(reject);
    });
  };
}
