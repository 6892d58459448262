import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { scopeOn } from '../../../access/principal.ts';
import type { Webhook } from '../../../catalog/contract/webhooks/webhook-records.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { webhookEvents } from '../../../checkpoint/webhook-events.ts';
import { PrivateAddress, refusePrivateHost } from '../../../webhooks/public-address.ts';
import { newSecret } from '../../../webhooks/signature.ts';
import { tagged, unchanged } from '../../answer/entity-tag.ts';
import { resourcePaths } from '../../answer/resource-paths.ts';
import type { AppEnv } from '../../app-env.ts';
import type { Gateway } from '../../gateway.ts';
import { checkScope, checkToken, createLocate } from '../../request/locate.ts';
import {
  changeHeaders,
  entityTagHeader,
  notModified,
  preconditionOf,
  readHeaders,
} from '../../request/preconditions.ts';
import { nextOfPage, pageOf } from '../../schemas/page.ts';
import { pageQuery } from '../../schemas/parameters.ts';
import { problems } from '../../schemas/problem.ts';
import {
  createdWebhookSchema,
  renderWebhook,
  webhookChange,
  webhookInput,
  webhookList,
  webhookSchema,
} from './webhook-schema.ts';
import { administeredBy, ownWebhook, webhookParams } from './own-webhook.ts';

const tags = ['Webhooks'];
const json = { 'application/json': { schema: webhookSchema } };

const createWebhook = createRoute({
  method: 'post',
  path: '/v1/webhooks',
  operationId: 'createWebhook',
  summary: 'Send an address messages about what happens to checkpoints',
  description:
    'A checkpoint is ready, failed, or turned out to be damaged: a JSON message is posted to the URL, signed as the ' +
    'Standard Webhooks specification says, until the receiver answers 2xx: ten attempts in two days. Needs the scope ' +
    'admin on the namespace, or on the repository. The answer is the only place that shows the secret, so it is not ' +
    'kept for an Idempotency-Key either.',
  tags,
  request: { body: { required: true, content: { 'application/json': { schema: webhookInput } } } },
  responses: {
    201: {
      description: 'Created; Location names it.',
      content: { 'application/json': { schema: createdWebhookSchema } },
    },
    ...problems(400, 401, 403, 404, 408, 409, 413, 415, 429),
  },
});
const listWebhooks = createRoute({
  method: 'get',
  path: '/v1/webhooks',
  operationId: 'listWebhooks',
  summary: 'List webhooks',
  description: 'Those of namespaces and repositories on which the token holds admin.',
  tags,
  request: { query: pageQuery },
  responses: {
    200: { description: 'One page.', content: { 'application/json': { schema: webhookList } } },
    ...problems(400, 401, 429),
  },
});
const getWebhook = createRoute({
  method: 'get',
  path: '/v1/webhooks/{webhookId}',
  operationId: 'getWebhook',
  summary: 'Describe a webhook',
  description:
    'The events that it gets messages about, and whether it is active. Its secret was shown once, when it was made.',
  tags,
  request: { params: webhookParams, headers: readHeaders },
  responses: {
    200: { description: 'The webhook.', headers: entityTagHeader, content: json },
    304: notModified,
    ...problems(400, 401, 404, 412, 429),
  },
});
const changeWebhook = createRoute({
  method: 'patch',
  path: '/v1/webhooks/{webhookId}',
  operationId: 'changeWebhook',
  summary: 'Change where a webhook leads, which messages it gets, or whether it is active',
  description: 'What is not given stays. Messages that are not delivered yet go to the new URL.',
  tags,
  request: {
    params: webhookParams,
    headers: changeHeaders,
    body: { required: true, content: { 'application/json': { schema: webhookChange } } },
  },
  responses: {
    200: { description: 'The webhook as it is now.', headers: entityTagHeader, content: json },
    ...problems(400, 401, 404, 408, 412, 413, 415, 429),
  },
});
const deleteWebhook = createRoute({
  method: 'delete',
  path: '/v1/webhooks/{webhookId}',
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook and its messages',
  description: 'Nothing is sent to it any more, but for what is on its way.',
  tags,
  request: { params: webhookParams, headers: changeHeaders },
  responses: { 204: { description: 'Deleted.' }, ...problems(400, 401, 404, 412, 429) },
});

/** Routes of webhooks. */
export function registerWebhooks(app: OpenAPIHono<AppEnv>, { catalog, webhooksToPrivate }: Gateway): void {
  const locate = createLocate(catalog);
  const asRead = (c: Context<AppEnv>, { id }: Webhook) =>
    preconditionOf(c, async (tx) => renderWebhook(await tx.webhooks.lock(id)));
  app.openapi(createWebhook, async (c) => {
    const { namespace, repository, url, events = webhookEvents, secret = newSecret() } = c.req.valid('json');
    const by = c.var.principal;
    const repositoryId =
      repository === undefined ? undefined : (await locate(c, 'admin').repository({ namespace, name: repository })).id;
    if (repository === undefined) checkScope(by, scopeOn(by, { namespace }), 'admin');
    if (!webhooksToPrivate) refuseUrl(url);
    const created = await catalog.webhooks.create({
      namespace,
      ...(repositoryId !== undefined && { repositoryId }),
      url,
      events,
      secret,
    });
    c.set('written', { webhookId: created.id });
    // The answer must not be stored: it contains a secret.
    c.set('isSecret', true);
    return c.json({ ...renderWebhook(created), secret }, 201, {
      Location: resourcePaths.webhook(created.id),
      'Cache-Control': 'no-store',
    });
  });
  app.openapi(listWebhooks, async (c) => {
    checkToken(c.var.principal);
    const page = pageOf(c.req.valid('query'));
    const listed = await catalog.webhooks.list(page, administeredBy(c.var.principal));
    return c.json({ items: listed.map(renderWebhook), ...nextOfPage(page, listed, ({ id }) => id) }, 200);
  });
  app.openapi(getWebhook, async (c) => {
    checkToken(c.var.principal);
    const shown = renderWebhook(await ownWebhook(catalog, c.var.principal, c.req.valid('param').webhookId));
    return unchanged(c, shown) ?? c.json(shown, 200);
  });
  app.openapi(changeWebhook, async (c) => {
    checkToken(c.var.principal);
    const webhook = await ownWebhook(catalog, c.var.principal, c.req.valid('param').webhookId);
    const { url, events, secret, active } = c.req.valid('json');
    if (url !== undefined && !webhooksToPrivate) refuseUrl(url);
    const changed = await catalog.transaction(async (tx) => {
      await asRead(c, webhook)?.(tx);
      return tx.webhooks.change(webhook.id, {
        ...(url !== undefined && { url }),
        ...(events !== undefined && { events }),
        ...(secret !== undefined && { secret }),
        ...(active !== undefined && { active }),
      });
    });
    const shown = renderWebhook(changed);
    tagged(c, shown);
    return c.json(shown, 200);
  });
  app.openapi(deleteWebhook, async (c) => {
    checkToken(c.var.principal);
    const webhook = await ownWebhook(catalog, c.var.principal, c.req.valid('param').webhookId);
    await catalog.transaction(async (tx) => {
      await asRead(c, webhook)?.(tx);
      await tx.webhooks.delete(webhook.id);
    });
    return c.body(null, 204);
  });
}

/** `invalid-request` for a URL that messages would never be sent to. Names are resolved only when one is sent. */
function refuseUrl(text: string): void {
  const url = new URL(text);
  if (url.protocol !== 'https:')
    throw new FirnError('invalid-request', 'url: must begin with https:// (the operator can allow http).');
  try {
    refusePrivateHost(url);
  } catch (error) {
    if (!(error instanceof PrivateAddress)) throw error;
    throw new FirnError(
      'invalid-request',
      'url: must not lead to a private network or this machine (the operator can allow it: FIRN_WEBHOOKS_PRIVATE).',
    );
  }
}
