/** What a webhook can be told of. */
export const webhookEvents = ['checkpoint.ready', 'checkpoint.failed', 'checkpoint.damaged'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
