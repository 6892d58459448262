import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { AppEnv } from '../app-env.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { eventStream } from '../event-stream.ts';
import { followCheckpoint } from '../follow-checkpoint.ts';
import type { Gateway } from '../gateway.ts';
import { createLocate } from '../locate.ts';
import { checkpointParams } from '../schemas/parameters.ts';
import { problems } from '../schemas/problem.ts';

/** Open event streams of one process; each asks the catalog every poll. */
const eventStreamsMax = 256;
/** How often a stream asks the catalog when the process itself does not do the work, in ms. */
const pollMs = 1_000;
/** Silence after which a comment keeps proxies from closing the connection, in ms. */
const quietMs = 15_000;

const followEvents = createRoute({
  method: 'get',
  path: '/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/events',
  operationId: 'followCheckpoint',
  summary: 'Follow a checkpoint as server-sent events',
  tags: ['Checkpoints'],
  description:
    '`state` carries a Checkpoint, `trial` a Trial, `phase` `{phase, doneCount?, totalCount?}`. Ends after a terminal state. The id of an event counts ' +
    'the trials so far: a client that reconnects with Last-Event-ID gets only those it has not seen.',
  request: { params: checkpointParams, headers: z.object({ 'last-event-id': z.string().optional() }) },
  responses: {
    200: { description: 'The events.', content: { 'text/event-stream': { schema: z.string() } } },
    ...problems(400, 401, 403, 404, 429, 503),
  },
});

/** The route of progress events. */
export function registerEvents(app: OpenAPIHono<AppEnv>, { catalog, progress, log }: Gateway): void {
  const locate = createLocate(catalog);
  let openCount = 0;
  app.openapi(followEvents, async (c) => {
    const names = c.req.valid('param');
    const { checkpoint } = await locate(c, 'read').checkpoint(names);
    if (openCount >= eventStreamsMax) throw new FirnError('overloaded', 'Too many event streams are open.');
    openCount++;
    const trialsSeen = Number(/^\d{1,9}$/.exec(c.req.header('last-event-id') ?? '')?.[0] ?? 0);
    const follow = (signal: AbortSignal) => followCheckpoint({ catalog, progress, checkpointId: checkpoint.id, trialsSeen, signal, pollMs, quietMs });
    return eventStream(c, { follow, address: names, onEnd: () => openCount--, log });
  });
}
