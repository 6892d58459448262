import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { anonymous, scopeOn } from '../../access/principal.ts';
import { includesScope } from '../../checkpoint/grant.ts';
import type { AppEnv } from '../app-env.ts';
import { clientAddress } from '../request/client-address.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { eventStream } from '../progress/event-stream.ts';
import { followCheckpoint } from '../progress/follow-checkpoint.ts';
import type { Gateway } from '../gateway.ts';
import { createLocate } from '../request/locate.ts';
import { readCheckpointParams } from '../schemas/parameters.ts';
import { problems } from '../schemas/problem.ts';
import { eventsExample } from '../schemas/examples/checkpoint-examples.ts';

/** Most open event streams of one process, and of one client; each polls the catalog. */
const eventStreamsMax = 256;
const eventStreamsPerClientMax = 64;
/** Interval at which a stream polls the catalog if another process does the work, in ms. */
const pollMs = 1_000;
/** Silence after which a comment keeps proxies from closing the connection, in ms. */
const quietMs = 15_000;
/** Interval at which a stream checks its token again, in ms. */
const recheckMs = 10_000;

const resumeHeaders = z.object({
  'last-event-id': z
    .string()
    .optional()
    .openapi({ description: 'Id of the last event that the client has seen; trials up to it are not sent again.' }),
});

const followEvents = createRoute({
  method: 'get',
  path: '/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/events',
  operationId: 'followCheckpoint',
  summary: 'Follow a checkpoint as server-sent events',
  tags: ['Checkpoints'],
  description:
    '`state` carries a Checkpoint, `trial` a Trial, `phase` `{phase, doneCount?, totalCount?}`. A state is sent ' +
    'again if the checkpoint waits for something else. Ends after a terminal state. The id of an event counts ' +
    'the trials so far: a client that reconnects with Last-Event-ID gets only those it has not seen.',
  request: { params: readCheckpointParams, headers: resumeHeaders },
  responses: {
    200: {
      description: 'The events.',
      content: { 'text/event-stream': { schema: z.string(), example: eventsExample } },
    },
    ...problems(400, 401, 403, 404, 429, 503),
  },
});

/** The route of progress events. */
export function registerEvents(
  app: OpenAPIHono<AppEnv>,
  { catalog, checkpoints, progress, admittance, log }: Gateway,
): void {
  const locate = createLocate(catalog);
  /** Open streams by client; absent at zero. */
  const open = new Map<string, number>();
  let openCount = 0;
  const begin = (client: string): (() => void) => {
    const ofClient = open.get(client) ?? 0;
    if (openCount >= eventStreamsMax || ofClient >= eventStreamsPerClientMax)
      throw new FirnError('overloaded', 'Too many event streams are open.');
    openCount++;
    open.set(client, ofClient + 1);
    return () => {
      openCount--;
      const left = open.get(client)! - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    };
  };
  /** Whether a token is still valid and allows reading. If that cannot be checked now, the earlier result stands. */
  const mayRead = async (authorization: string | undefined, repositoryId: string): Promise<boolean> => {
    try {
      const principal = await admittance.access.principal(authorization);
      const repository = await catalog.repositories.get(repositoryId);
      return repository !== undefined && includesScope(scopeOn(principal, repository), 'read');
    } catch (error) {
      return !(error instanceof FirnError && error.code === 'unauthenticated');
    }
  };
  app.openapi(followEvents, async (c) => {
    const names = c.req.valid('param');
    const { repository, checkpoint } = await locate(c, 'read').checkpoint(names);
    const { principal } = c.var;
    const onEnd = begin(principal.id === anonymous.id ? clientAddress(c, admittance.trustProxy) : principal.id);
    const authorization = c.req.header('authorization');
    const mayGoOn = () => mayRead(authorization, repository.id);
    const trialsSeen = Number(/^\d{1,9}$/.exec(c.req.header('last-event-id') ?? '')?.[0] ?? 0);
    const follow = (signal: AbortSignal) =>
      followCheckpoint({
        catalog,
        progress,
        checkpointId: checkpoint.id,
        trialsSeen,
        waitsFor: checkpoints.waitsFor,
        signal,
        pollMs,
        quietMs,
        mayGoOn,
        recheckMs,
      });
    return eventStream(c, { follow, address: { ...names, step: checkpoint.step }, onEnd, log });
  });
}
