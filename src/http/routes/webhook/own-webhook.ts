import { z } from '@hono/zod-openapi';
import { scopeOn, visibleTo, type Principal } from '../../../access/principal.ts';
import type { Catalog } from '../../../catalog/contract/catalog.ts';
import type { VisibleRepositories } from '../../../catalog/contract/repository-records.ts';
import type { Webhook } from '../../../catalog/contract/webhooks/webhook-records.ts';
import { includesScope } from '../../../checkpoint/grant.ts';
import { found } from '../../request/locate.ts';

export const webhookParams = z.object({
  webhookId: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits')
    .openapi({
      param: { name: 'webhookId', in: 'path', description: 'Id of the webhook.' },
      example: '00112233445566778899aabbccddeeff',
    }),
});

/** The webhook, if the principal holds admin on its place; else `not-found`, as if there were none. */
export async function ownWebhook({ webhooks }: Pick<Catalog, 'webhooks'>, by: Principal, id: string): Promise<Webhook> {
  const webhook = await webhooks.get(id);
  return found(webhook !== undefined && administers(by, webhook) ? webhook : undefined, 'webhook');
}

/** The places whose webhooks a principal may see. Pure. */
export function administeredBy({ grants }: Principal): VisibleRepositories {
  return visibleTo({ grants: grants.filter(({ scope }) => scope === 'admin') });
}

function administers(by: Principal, { namespace, repository }: Webhook): boolean {
  return includesScope(scopeOn(by, { namespace, ...(repository !== undefined && { name: repository }) }), 'admin');
}
