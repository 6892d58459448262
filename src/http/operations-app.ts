import { OpenAPIHono } from '@hono/zod-openapi';
import { admit } from './request/admit.ts';
import { answerError } from './answer/answer-error.ts';
import type { AppEnv } from './app-env.ts';
import type { Gateway } from './gateway.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { renderProblem } from './answer/render-problem.ts';
import { jsonLines } from './answer/json-lines.ts';
import { requestId } from './request/request-id.ts';
import { registerOperations } from './routes/operations.ts';

/** The app of a process without a gateway: liveness, readiness and metrics. */
export function createOperationsApp(
  parts: Pick<Gateway, 'admittance' | 'probes' | 'metrics' | 'log'>,
): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  app.use(requestId(), jsonLines(), admit(parts.admittance));
  registerOperations(app, parts);
  app.onError((error, c) => answerError(c, error, parts.log));
  app.notFound((c) => renderProblem(c, new FirnError('not-found', 'This process has no gateway.')));
  return app;
}
