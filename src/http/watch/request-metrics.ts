import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { AppEnv } from '../app-env.ts';
import { onceClosed } from '../request/once-closed.ts';
import type { TransferMeter } from './transfer-meter.ts';

/** Upper bucket edges in seconds: from a metadata read to a large download. */
const durationBucketSeconds = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];

/**
 * Counts requests, durations and bytes by route pattern, and bytes by repository. A request ends when its connection
 * has the last byte or is closed.
 */
export function requestMetrics(registry: Registry, transfers?: Pick<TransferMeter, 'add'>): MiddlewareHandler<AppEnv> {
  const registers = [registry];
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({ name: 'firn_http_requests_total', help: 'Requests answered.', labelNames, registers });
  const seconds = new Histogram({
    name: 'firn_http_request_seconds',
    help: 'Time to the last byte.',
    labelNames: ['method', 'route'] as const,
    buckets: durationBucketSeconds,
    registers,
  });
  const received = new Counter({
    name: 'firn_http_received_bytes_total',
    help: 'Bytes read from connections, headers included.',
    labelNames: ['route'] as const,
    registers,
  });
  const sent = new Counter({
    name: 'firn_http_sent_bytes_total',
    help: 'Bytes written to connections, headers included.',
    labelNames: ['route'] as const,
    registers,
  });
  /** Bytes that earlier requests on a kept-alive connection have been charged with. */
  const accounted = new WeakMap<object, { read: number; written: number }>();

  return async function measureRequest(c, next) {
    const startedMs = performance.now();
    const socket = c.env?.incoming?.socket;
    await next();
    const route = routePath(c, -1);
    const { method } = c.req;
    const status = String(c.res.status);
    const done = (): void => {
      requests.inc({ method, route, status });
      seconds.observe({ method, route }, (performance.now() - startedMs) / 1000);
      if (socket === undefined) return;
      const before = accounted.get(socket) ?? { read: 0, written: 0 };
      const moved = { received: socket.bytesRead - before.read, sent: socket.bytesWritten - before.written };
      received.inc({ route }, moved.received);
      sent.inc({ route }, moved.sent);
      const { repositoryId } = c.var;
      if (repositoryId !== undefined) transfers?.add({ repositoryId, ...moved });
      accounted.set(socket, { read: socket.bytesRead, written: socket.bytesWritten });
    };
    if (!onceClosed(c, done)) done();
  };
}
