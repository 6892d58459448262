import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { getPath, getPathNoStrict } from 'hono/utils/url';
import { FirnError } from '../checkpoint/firn-error.ts';
import { admit } from './request/admit.ts';
import { allowedMethods } from './request/allowed-methods.ts';
import { answerError } from './answer/answer-error.ts';
import type { AppEnv } from './app-env.ts';
import type { Gateway } from './gateway.ts';
import { GatheredBytes } from './request/body/gathered-bytes.ts';
import { idempotency } from './request/idempotency.ts';
import { invalidRequest } from './request/invalid-request.ts';
import { jsonBody } from './request/body/json-body.ts';
import { knownQuery } from './request/known-query.ts';
import { nothingThere } from './request/locate.ts';
import { readablePath } from './request/readable-path.ts';
import { renderProblem } from './answer/render-problem.ts';
import { hubRoutes } from './hub/hub-routes.ts';
import { pages } from './page/pages.tsx';
import { jsonLines } from './answer/json-lines.ts';
import { requestId } from './request/request-id.ts';
import { requestMetrics } from './watch/request-metrics.ts';
import { registerCheckpointFiles } from './routes/checkpoint/checkpoint-files.ts';
import { registerCheckpoints } from './routes/checkpoint/checkpoints.ts';
import { registerEvalSets } from './routes/eval-sets.ts';
import { registerEstimates } from './routes/checkpoint/estimates.ts';
import { registerEvents } from './routes/events.ts';
import { registerNewUploads } from './routes/new-uploads.ts';
import { registerOperations } from './routes/operations.ts';
import { registerPackages } from './routes/checkpoint/packages.ts';
import { registerRevisions } from './routes/revisions.ts';
import { registerRepositories } from './routes/repositories.ts';
import { registerRuns } from './routes/run/runs.ts';
import { registerTensors } from './routes/checkpoint/tensors.ts';
import { registerTokens } from './routes/tokens.ts';
import { registerUploads } from './routes/uploads.ts';
import { tusVersion } from './answer/tus-version.ts';
import { registerUsage } from './routes/usage.ts';
import { describeSentMessages } from './routes/webhook/sent-messages.ts';
import { registerMessages } from './routes/webhook/messages.ts';
import { registerWebhooks } from './routes/webhook/webhooks.ts';
import { traceRequests } from './watch/trace-requests.ts';
import { writeLog } from './watch/write-log.ts';

/** The HTTP app over a gateway. Only wiring: handlers are in routes/. */
export function createApp(gateway: Gateway): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>({
    getPath: pathOfRequest,
    defaultHook: (result) => {
      if (!result.success) throw invalidRequest(result.error.issues);
    },
  });
  app.use(
    requestId(),
    jsonLines(),
    traceRequests(gateway.tracer),
    requestMetrics(gateway.metrics, gateway.transfers),
    writeLog(gateway.log),
    readablePath(),
    admit(gateway.admittance),
  );
  const bodies = { pace: gateway.bodyPace, gathered: new GatheredBytes() };
  app.use(hubRoutes({ ...gateway, bodies }));
  app.use(pages({ gateway, bodies, api: (request, env) => app.fetch(request, env) }));
  app.use(
    '/v1/*',
    knownQuery(app.openAPIRegistry),
    tusVersion(),
    jsonBody(['POST', 'PATCH'], bodies),
    idempotency(gateway.catalog.idempotency),
  );
  app.use('/v1/namespaces/*', jsonBody(['PUT'], bodies));
  registerRepositories(app, gateway);
  registerEvalSets(app, gateway);
  registerRuns(app, gateway);
  registerCheckpoints(app, gateway);
  registerEstimates(app, gateway);
  registerEvents(app, gateway);
  registerCheckpointFiles(app, gateway);
  registerNewUploads(app, gateway);
  registerUploads(app, gateway);
  registerTensors(app, gateway);
  registerPackages(app, gateway);
  registerRevisions(app, gateway);
  registerUsage(app, gateway);
  registerTokens(app, gateway);
  registerWebhooks(app, gateway);
  registerMessages(app, gateway);
  describeSentMessages(app);
  registerOperations(app, gateway);
  const methods = allowedMethods(app.routes);
  app.notFound((c) => unrouted(c, methods.of(c.req.path)));
  app.onError((error, c) => answerError(c, error, gateway.log));
  return app;
}

/**
 * The path that a request is routed by: without a slash at its end, which makes no difference. Only a deletion has to
 * name what it deletes to the letter: a path whose last name is empty or `..` would delete what holds it.
 */
function pathOfRequest(request: Request): string {
  return request.method === 'DELETE' ? getPath(request) : getPathNoStrict(request);
}

function unrouted(c: Context<AppEnv>, allowed: readonly string[]): Response {
  if (allowed.length === 0) return renderProblem(c, nothingThere());
  return renderProblem(c, new FirnError('method-not-allowed', `This path answers ${allowed.join(', ')}.`), {
    Allow: allowed.join(', '),
  });
}
