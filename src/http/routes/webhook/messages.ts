import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { AppEnv } from '../../app-env.ts';
import type { Gateway } from '../../gateway.ts';
import { checkToken } from '../../request/locate.ts';
import { nextOfPage, pageOf } from '../../schemas/page.ts';
import { idempotencyHeaders, pageQuery } from '../../schemas/parameters.ts';
import { problems } from '../../schemas/problem.ts';
import { messageList, messageSchema, renderMessage } from './webhook-schema.ts';
import { ownWebhook, webhookParams } from './own-webhook.ts';

const tags = ['Webhooks'];
const json = { 'application/json': { schema: messageSchema } };

const listMessages = createRoute({
  method: 'get',
  path: '/v1/webhooks/{webhookId}/messages',
  operationId: 'listWebhookMessages',
  summary: 'List what was sent to a webhook, the newest first',
  description: 'With how often each was tried, and what the receiver answered last. Messages are kept for two weeks.',
  tags,
  request: { params: webhookParams, query: pageQuery },
  responses: {
    200: { description: 'One page.', content: { 'application/json': { schema: messageList } } },
    ...problems(400, 401, 404, 429),
  },
});
const pingWebhook = createRoute({
  method: 'post',
  path: '/v1/webhooks/{webhookId}/messages',
  operationId: 'pingWebhook',
  summary: 'Send a message to try a webhook',
  description: 'A message of the type `ping`, also to one that is not active.',
  tags,
  request: { params: webhookParams, headers: idempotencyHeaders },
  responses: {
    202: { description: 'It is sent within seconds.', content: json },
    ...problems(400, 401, 404, 409, 429),
  },
});
const resendMessage = createRoute({
  method: 'post',
  path: '/v1/webhooks/{webhookId}/messages/{messageId}/resend',
  operationId: 'resendWebhookMessage',
  summary: 'Send a message again',
  description: 'Whatever became of it, with the same `webhook-id` and new attempts.',
  tags,
  request: {
    params: webhookParams.extend({
      messageId: z
        .string()
        .regex(/^[1-9]\d{0,17}$/, 'must be a whole number from 1')
        .openapi({ param: { name: 'messageId', in: 'path', description: 'Id of the message.' }, example: '42' }),
    }),
    headers: idempotencyHeaders,
  },
  responses: {
    202: { description: 'It is sent within seconds.', content: json },
    ...problems(400, 401, 404, 409, 429),
  },
});

/** Routes of messages to webhooks. */
export function registerMessages(app: OpenAPIHono<AppEnv>, { catalog }: Gateway): void {
  app.openapi(listMessages, async (c) => {
    checkToken(c.var.principal);
    const { id } = await ownWebhook(catalog, c.var.principal, c.req.valid('param').webhookId);
    const page = pageOf(c.req.valid('query'));
    const listed = await catalog.deliveries.list(id, page);
    return c.json({ items: listed.map(renderMessage), ...nextOfPage(page, listed, (last) => last.id) }, 200);
  });
  app.openapi(pingWebhook, async (c) => {
    checkToken(c.var.principal);
    const { id } = await ownWebhook(catalog, c.var.principal, c.req.valid('param').webhookId);
    return c.json(renderMessage(await catalog.deliveries.ping(id)), 202);
  });
  app.openapi(resendMessage, async (c) => {
    checkToken(c.var.principal);
    const { webhookId, messageId } = c.req.valid('param');
    const { id } = await ownWebhook(catalog, c.var.principal, webhookId);
    return c.json(renderMessage(await catalog.deliveries.redeliver(id, messageId)), 202);
  });
}
