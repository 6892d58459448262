/** Events that a webhook can get messages about. */
export const webhookEvents = ['checkpoint.ready', 'checkpoint.failed', 'checkpoint.damaged'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
