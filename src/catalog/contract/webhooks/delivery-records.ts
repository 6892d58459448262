import type { WebhookEvent } from '../../../checkpoint/webhook-events.ts';
import type { Page } from '../page.ts';
import type { Webhook } from './webhook-records.ts';

/** pending: not sent yet, or to be sent again. delivered, failed: terminal. */
export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** A message to a webhook. `ping` is sent on request, to try the address. */
export interface Delivery {
  /** Decimal digits, in the order of writing. */
  readonly id: string;
  readonly webhookId: string;
  readonly event: WebhookEvent | 'ping';
  /** The JSON that is sent. */
  readonly body: string;
  readonly state: DeliveryState;
  /** How often it was sent, or is being sent. */
  readonly attempts: number;
  /** While it is pending: when it is sent next. */
  readonly nextAt: Date;
  /** HTTP status of the receiver's last answer. */
  readonly status?: number;
  /** Why the last attempt failed. */
  readonly error?: string;
  readonly createdAt: Date;
  readonly finishedAt?: Date;
}

export interface DueDelivery extends Delivery {
  readonly webhook: Pick<Webhook, 'url' | 'secret'>;
}

/** How an attempt ended. `gone`: the receiver wants no more messages, and its webhook becomes inactive. */
export type AttemptEnd = { readonly status?: number; readonly error?: string } & (
  { readonly as: 'delivered' | 'failed' | 'gone' } | { readonly as: 'retry'; readonly delayMs: number }
);

/**
 * Messages for the event of a checkpoint are written by the verb that changes it, in the same transaction:
 * `CheckpointRecords.transition` and `DamageRecords.note`.
 */
export interface DeliveryRecords {
  /** Writes a `ping`, also for an inactive webhook. `not-found` without the webhook. */
  ping(webhookId: string): Promise<Delivery>;
  /**
   * Takes messages that are due, and counts an attempt of each: at most `perWebhook` of one webhook, so that one slow
   * receiver does not hold up the others, and `limit` in all. Whoever does not `end` them within `leaseMs` loses them:
   * they are due again. Messages for an inactive webhook wait, but for pings.
   */
  takeDue(options: {
    readonly limit: number;
    readonly perWebhook: number;
    readonly leaseMs: number;
  }): Promise<DueDelivery[]>;
  /** Ends an attempt; nothing happens if another process has begun one since. */
  end(delivery: Pick<Delivery, 'id' | 'attempts'>, end: AttemptEnd): Promise<void>;
  /** Messages of a webhook, the newest first; `after` is the id of one. */
  list(webhookId: string, page: Page): Promise<Delivery[]>;
  get(webhookId: string, id: string): Promise<Delivery | undefined>;
  /** Makes a message due now, with all its attempts again, in whatever state it is. `not-found`. */
  redeliver(webhookId: string, id: string): Promise<Delivery>;
  /** Removes messages that were written before a time, at most a few thousand; returns their number. */
  prune(before: Date): Promise<number>;
}
