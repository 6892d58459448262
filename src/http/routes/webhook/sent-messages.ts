import { z, type OpenAPIHono } from '@hono/zod-openapi';
import type { WebhookEvent } from '../../../checkpoint/webhook-events.ts';
import { packageKinds } from '../../../catalog/contract/checkpoint-records.ts';
import { fidelities } from '../../../checkpoint/role.ts';
import type { AppEnv } from '../../app-env.ts';
import { metricValues } from '../../schemas/checkpoint/checkpoint-result.ts';

const timestamp = '2026-01-02T03:04:05.000Z';
const place = {
  repository: z.string().openapi({ description: '`namespace/name`.' }),
  run: z.string(),
  step: z.number().int(),
  revision: z.string().optional(),
};
const placeExample = { repository: 'acme/lm-small', run: 'first', step: 1000 };

/** The body of each message that a hub sends, by its type; catalog/records/webhooks writes them. */
export const sentMessages = {
  'checkpoint.ready': {
    summary: 'A checkpoint is compressed, verified and can be pulled',
    schema: message(
      'checkpoint.ready',
      z.object({
        ...place,
        fidelity: z.enum(fidelities),
        kind: z.enum(packageKinds),
        rawBytes: z.number().int().openapi({ description: 'As uploaded.' }),
        storedBytes: z.number().int(),
        degradation: metricValues.optional().openapi({ description: 'How much worse each metric got.' }),
        warnings: z.array(z.string()),
      }),
    ),
    data: {
      ...placeExample,
      ...{ fidelity: 'lossy', kind: 'delta', rawBytes: 26_000_000, storedBytes: 1_900_000 },
      ...{ degradation: { loss: 0.0042 }, warnings: [] },
    },
  },
  'checkpoint.failed': {
    summary: 'A checkpoint could not be compressed',
    schema: message(
      'checkpoint.failed',
      z.object({
        ...place,
        error: z.object({ code: z.string().openapi({ description: 'A problem code.' }), message: z.string() }),
      }),
    ),
    data: {
      ...placeExample,
      error: { code: 'eval-crashed', message: 'The evaluation process ended unexpectedly.' },
    },
  },
  'checkpoint.damaged': {
    summary: 'Stored bytes that checkpoints need are corrupt or missing',
    schema: message(
      'checkpoint.damaged',
      z.object({
        repository: place.repository,
        checkpoints: z
          .array(z.object({ run: place.run, step: place.step }))
          .openapi({ description: 'The first hundred that need the bytes.' }),
        count: z.number().int().openapi({ description: 'How many need them.' }),
      }),
    ),
    data: { repository: 'acme/lm-small', checkpoints: [{ run: 'first', step: 1000 }], count: 1 },
  },
  ping: {
    summary: 'Somebody tries the webhook',
    schema: message('ping', z.object({ webhook: z.string().openapi({ description: 'Id of the webhook.' }) })),
    data: { webhook: '00112233445566778899aabbccddeeff' },
  },
} as const satisfies Record<WebhookEvent | 'ping', object>;

const sentHeaders = z.object({
  'webhook-id': z.string().openapi({
    description: 'The same in every attempt: a message can come twice.',
    example: 'msg_42',
  }),
  'webhook-timestamp': z.string().openapi({
    description: 'When this attempt was made, in seconds since 1970. Refuse what is more than five minutes old.',
    example: '1767323045',
  }),
  'webhook-signature': z.string().openapi({
    description:
      '`v1,` and the base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body`, with the bytes of the secret ' +
      'after `whsec_`: the scheme of the Standard Webhooks specification.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
});

/** Describes in the document what a hub posts to the addresses of webhooks. */
export function describeSentMessages(app: OpenAPIHono<AppEnv>): void {
  for (const [type, { summary, schema, data }] of Object.entries(sentMessages))
    app.openAPIRegistry.registerWebhook({
      method: 'post',
      path: type,
      operationId: `on${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
      summary,
      description: 'Posted to the URL of each webhook that wants it. An answer in time is all that it needs.',
      tags: ['Webhooks'],
      security: [],
      request: {
        headers: sentHeaders,
        body: {
          required: true,
          content: { 'application/json': { schema, example: { type, timestamp, data } } },
        },
      },
      responses: {
        '2XX': { description: 'Taken. Anything else, or nothing within ten seconds, is tried again: nine times.' },
        410: { description: 'Turns the webhook off.' },
      },
    });
}

function message<Type extends WebhookEvent | 'ping', Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({
    type: z.literal(type),
    timestamp: z.iso.datetime().openapi({ description: 'When it happened.' }),
    data,
  });
}
