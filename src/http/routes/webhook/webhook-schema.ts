import { z } from '@hono/zod-openapi';
import { deliveryStates, type Delivery } from '../../../catalog/contract/webhooks/delivery-records.ts';
import type { Webhook } from '../../../catalog/contract/webhooks/webhook-records.ts';
import { webhookEvents } from '../../../checkpoint/webhook-events.ts';
import { isSecretText } from '../../../webhooks/signature.ts';
import { nameSchema } from '../../schemas/parameters.ts';

/** Longest URL of a webhook, in characters. */
const urlLengthMax = 2000;

const exampleSecret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';

const urlText = z
  .string()
  .max(urlLengthMax)
  .refine(isPlainUrl, 'must be an https URL, without a user, a password or a fragment')
  .openapi({
    format: 'uri',
    description:
      'Where messages are posted to: https, and no address of a private network, unless the operator allows both ' +
      '(FIRN_WEBHOOKS_PRIVATE).',
    example: 'https://ci.example/firn',
  });
const secretText = z
  .string()
  .refine(isSecretText, 'must be "whsec_" and then 24 to 64 bytes in base64')
  .openapi({ description: 'Key of the signatures: `whsec_` and 24 to 64 bytes in base64.', example: exampleSecret });
const eventList = z
  .array(z.enum(webhookEvents))
  .min(1)
  .max(webhookEvents.length)
  .refine((events) => new Set(events).size === events.length, 'must not name an event twice')
  .openapi({ uniqueItems: true, description: 'The events that it gets messages about.', example: [...webhookEvents] });

export const webhookInput = z
  .strictObject({
    namespace: nameSchema.openapi({ description: 'The namespace that it gets messages about.', example: 'acme' }),
    repository: nameSchema.optional().openapi({ description: 'Only this repository of the namespace.' }),
    url: urlText,
    events: eventList.optional().openapi({ description: 'The events that it gets messages about; all by default.' }),
    secret: secretText.optional().openapi({ description: 'Made up by the hub when absent.' }),
  })
  .openapi('WebhookInput', {
    example: { namespace: 'acme', url: 'https://ci.example/firn', events: ['checkpoint.ready'] },
  });

export const webhookChange = z
  .strictObject({
    url: urlText.optional(),
    events: eventList.optional(),
    secret: secretText.optional().openapi({ description: 'Signs every message from now on.' }),
    active: z.boolean().optional().openapi({ description: 'False: nothing is sent but pings.' }),
  })
  .openapi('WebhookChange', { example: { active: false } });

const webhookExample = {
  id: '00112233445566778899aabbccddeeff',
  namespace: 'acme',
  url: 'https://ci.example/firn',
  events: ['checkpoint.ready' as const],
  active: true,
  createdAt: '2026-01-02T03:04:05.000Z',
};

export const webhookSchema = z
  .object({
    id: z.string(),
    namespace: z.string(),
    repository: z.string().optional().openapi({ description: 'Absent: all repositories of the namespace.' }),
    url: z.string(),
    events: z.array(z.enum(webhookEvents)),
    active: z.boolean().openapi({ description: 'False once its receiver answered 410 (Gone).' }),
    createdAt: z.iso.datetime(),
  })
  .openapi('Webhook', { example: webhookExample });

export const createdWebhookSchema = webhookSchema
  .extend({ secret: z.string().openapi({ description: 'Key of the signatures. It is shown only here.' }) })
  .openapi('CreatedWebhook', { example: { ...webhookExample, secret: exampleSecret } });

export const webhookList = z
  .object({
    items: z.array(webhookSchema),
    next: z.string().optional().openapi({ description: 'Value of `after` for the next page; absent on the last.' }),
  })
  .openapi('WebhookList', { example: { items: [webhookExample] } });

const messageExample = {
  id: '42',
  event: 'checkpoint.ready' as const,
  body: JSON.stringify({
    type: 'checkpoint.ready',
    timestamp: '2026-01-02T03:04:05.000Z',
    data: { repository: 'acme/lm-small', run: 'first', step: 1000 },
  }),
  state: 'delivered' as const,
  attempts: 1,
  status: 204,
  createdAt: '2026-01-02T03:04:05.000Z',
  finishedAt: '2026-01-02T03:04:06.000Z',
};

export const messageSchema = z
  .object({
    id: z.string().openapi({ description: 'Sent as `webhook-id`, with `msg_` before it.' }),
    event: z.enum([...webhookEvents, 'ping']),
    body: z.string().openapi({ description: 'The JSON that is sent.' }),
    state: z.enum(deliveryStates).openapi({
      description: '`pending`: not taken yet. `failed`: ten attempts in two days, and no more.',
    }),
    attempts: z.number().int().openapi({ description: 'How often it was sent.' }),
    nextAt: z.iso.datetime().optional().openapi({ description: 'When a pending one is sent next.' }),
    status: z.number().int().optional().openapi({ description: "Of the receiver's last answer." }),
    error: z.string().optional().openapi({ description: 'Why the last attempt failed.' }),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().optional(),
  })
  .openapi('WebhookMessage', { example: messageExample });

export const messageList = z
  .object({
    items: z.array(messageSchema),
    next: z.string().optional().openapi({ description: 'Value of `after` for the next page; absent on the last.' }),
  })
  .openapi('WebhookMessageList', { example: { items: [messageExample] } });

export function renderWebhook({
  id,
  namespace,
  repository,
  url,
  events,
  active,
  createdAt,
}: Webhook): z.infer<typeof webhookSchema> {
  return {
    id,
    namespace,
    ...(repository !== undefined && { repository }),
    url,
    events: [...events],
    active,
    createdAt: createdAt.toISOString(),
  };
}

export function renderMessage(delivery: Delivery): z.infer<typeof messageSchema> {
  const { id, event, body, state, attempts, nextAt, status, error, createdAt, finishedAt } = delivery;
  return {
    id,
    event,
    body,
    state,
    attempts,
    ...(state === 'pending' && { nextAt: nextAt.toISOString() }),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    createdAt: createdAt.toISOString(),
    ...(finishedAt !== undefined && { finishedAt: finishedAt.toISOString() }),
  };
}

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    !text.includes('#')
  );
}
