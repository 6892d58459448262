import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { firnErrorCodes, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import { errorHelp } from '../../checkpoint/error-help.ts';
import { scopeOn } from '../../access/principal.ts';
import type { AppEnv } from '../app-env.ts';
import type { Gateway } from '../gateway.ts';
import { indexPage } from '../index-page.ts';
import { knownQuery } from '../request/known-query.ts';
import { checkScope, found } from '../request/locate.ts';
import { openApiDocument } from '../openapi-document.ts';
import { problemKinds } from '../answer/problem-status.ts';
import { createReadiness } from '../watch/readiness.ts';
import { problems } from '../schemas/problem.ts';

const tags = ['Operations'];

const getHealth = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the process answers',
  description:
    'For a liveness probe. It asks neither the catalog nor the store, and looks at no token and no query parameter.',
  tags,
  responses: {
    200: {
      description: 'It does.',
      content: { 'application/json': { schema: z.object({ status: z.literal('ok') }), example: { status: 'ok' } } },
    },
  },
});
const readinessSchema = z
  .object({
    status: z
      .enum(['ready', 'degraded', 'not-ready'])
      .openapi({ description: '`degraded`: requests are answered, but not everything behind them is done.' }),
    checks: z.record(z.string(), z.enum(['ok', 'failed'])),
    workers: z
      .object({
        living: z
          .number()
          .int()
          .openapi({ description: 'Workers of the hub that gave a sign of life within 35 seconds.' }),
        oldestSignSeconds: z.number().optional().openapi({ description: 'Age of the oldest of their latest signs.' }),
        newestSignSeconds: z.number().optional().openapi({ description: 'Age of the newest.' }),
      })
      .optional(),
    device: z
      .object({
        name: z.string(),
        memoryBytes: z.number().int().openapi({ description: 'Of its memory, what the process may use.' }),
        memoryUsedBytes: z.number().int(),
        busySeconds: z
          .number()
          .openapi({ description: 'Seconds since the start in which it had work; their rate is the utilisation.' }),
      })
      .optional()
      .openapi({ description: 'The device that this process compresses with, if it has one.' }),
  })
  .openapi('Readiness', {
    example: {
      status: 'ready',
      checks: { process: 'ok', catalog: 'ok', store: 'ok', workers: 'ok', claims: 'ok', evaluation: 'ok' },
      workers: { living: 1, oldestSignSeconds: 6.3, newestSignSeconds: 6.3 },
    },
  });
const readinessContent = { 'application/json': { schema: readinessSchema } };
const getReadiness = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the process can do its work: catalog, store, workers',
  description: 'Looked at anew at most once a second. No token and no query parameter is looked at.',
  tags,
  responses: {
    200: { description: 'It can.', content: readinessContent },
    503: { description: 'It cannot.', content: readinessContent },
  },
});
const metricsExample =
  '# HELP firn_store_seconds Calls of the object store.\n# TYPE firn_store_seconds histogram\n' +
  'firn_store_seconds_bucket{le="0.001",operation="put"} 12\n';
const getMetrics = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  summary: 'Prometheus metrics',
  description: 'For a token that may read everything. No query parameter is looked at.',
  tags,
  responses: {
    200: {
      description: 'Text exposition format.',
      content: { 'text/plain': { schema: z.string(), example: metricsExample } },
    },
    ...problems(401, 403, 429),
  },
});
const getDocument = createRoute({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getOpenApi',
  summary: 'This document',
  description: 'OpenAPI 3.1, of the version that runs.',
  tags,
  responses: {
    200: {
      description: 'OpenAPI 3.1.',
      content: { 'application/json': { schema: z.looseObject({}), example: { openapi: '3.1.0' } } },
    },
    ...problems(400, 401, 429),
  },
});
const problemKindSchema = z
  .object({
    code: z.string(),
    status: z.number().int(),
    title: z.string(),
    cause: z.string().openapi({ description: 'What leads to it.' }),
    remedy: z.string().openapi({ description: 'What to do about it.' }),
    example: z.string().openapi({ description: 'A case of it.' }),
  })
  .openapi('ProblemKind', {
    example: { code: 'not-found', status: 404, title: problemKinds['not-found'].title, ...errorHelp['not-found'] },
  });
const getProblemKind = createRoute({
  method: 'get',
  path: '/problems/{code}',
  operationId: 'getProblemKind',
  summary: 'Explain a problem code',
  description: 'Its cause, what to do about it, and a case of it. `type` of a problem leads here.',
  tags,
  request: {
    params: z.object({
      code: z
        .string()
        .openapi({ param: { name: 'code', in: 'path', description: 'A problem code.' }, example: 'not-found' }),
    }),
  },
  responses: {
    200: {
      description: 'What the code means.',
      content: { 'application/json': { schema: problemKindSchema } },
    },
    ...problems(400, 401, 404, 429),
  },
});

/** Routes for operators and for discovering the API. */
export function registerOperations(
  app: OpenAPIHono<AppEnv>,
  { probes, metrics, log }: Pick<Gateway, 'probes' | 'metrics' | 'log'>,
): void {
  const readiness = createReadiness(probes, (name, err) => log.error({ probe: name, err }, 'a readiness probe failed'));
  // Not for probes and scrapers, which may add keys of their own.
  for (const path of ['/openapi.json', '/problems/*']) app.use(path, knownQuery(app.openAPIRegistry));
  app.openapi(getHealth, (c) => c.json({ status: 'ok' as const }, 200));
  app.openapi(getReadiness, async (c) => {
    const answer = await readiness();
    return c.json(answer, answer.status === 'not-ready' ? 503 : 200);
  });
  app.openapi(getMetrics, async (c) => {
    checkScope(c.var.principal, scopeOn(c.var.principal, {}), 'read');
    return c.text(await metrics.metrics(), 200, { 'Content-Type': metrics.contentType });
  });
  app.openapi(getDocument, (c) =>
    c.json(JSON.parse(JSON.stringify(openApiDocument(app))) as Record<string, never>, 200),
  );
  app.openapi(getProblemKind, (c) => {
    const code = found(
      firnErrorCodes.find((known) => known === c.req.valid('param').code),
      'problem code',
    ) satisfies FirnErrorCode;
    const { status, title } = problemKinds[code];
    return c.json({ code, status, title, ...errorHelp[code] }, 200);
  });
  app.get('/', (c) => c.html(indexPage(openApiDocument(app))));
}
