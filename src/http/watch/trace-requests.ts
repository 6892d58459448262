import { once } from 'node:events';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Span, Tracer } from '../../telemetry/tracer.ts';
import type { AppEnv } from '../app-env.ts';

/** Polled every few seconds by monitoring; of no interest in traces. */
const untracedPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Makes every request a server span, named by method and route. It belongs to the trace of the client's `traceparent`
 * and lasts until the connection has the last byte or is closed. The answer's `traceparent` names the span. Attributes
 * follow OpenTelemetry's HTTP conventions.
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
        // According to the conventions a client's mistake is no error of the server.
        if (status >= 500) throw new Error(`answered ${status}`);
      };
      tracer
        .span(`${c.req.method} ${route}`, { kind: 'server', parent: c.req.header('traceparent'), attributes }, answer)
        .catch(reject);
    });
  };
}
