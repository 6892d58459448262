import type { AttemptEnd, DueDelivery } from '../catalog/contract/webhooks/delivery-records.ts';
import type { Catalog } from '../catalog/contract/catalog.ts';
import { PrivateAddress } from './public-address.ts';
import { sendMessage, type Answer } from './send-message.ts';
import { signedHeaders } from './signature.ts';

/** Messages sent at once, in all and to one webhook. */
const parallel = { limit: 32, perWebhook: 4 };
/** Time for one attempt, in ms. */
export const attemptTimeoutMs = 10_000;
/** How long an attempt belongs to this process, in ms: longer than it may take. */
const leaseMs = 30_000;
const [second, minute, hour] = [1000, 60_000, 3_600_000];
/** Waits after attempts that failed, in ms: two days in all. After the last one the message has failed. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  15 * hour,
  24 * hour,
];
/** Longest wait that a receiver can ask for, in ms. */
const askedDelayMaxMs = 24 * hour;

export interface DeliverContext {
  readonly catalog: Pick<Catalog, 'deliveries' | 'now'>;
  /** Whether webhooks in private networks are sent to. */
  readonly toPrivate: boolean;
  readonly timeoutMs?: number;
  readonly onAttempt: (delivery: DueDelivery, end: AttemptEnd) => void;
}

/**
 * Sends all messages that are due, and records what became of each. A message is sent at least once: if this process
 * dies in between, another one sends it again, with the same id.
 */
export async function deliverDue(context: DeliverContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const due = await context.catalog.deliveries.takeDue({ ...parallel, leaseMs });
    if (due.length === 0) return;
    await Promise.all(due.map((delivery) => attempt(context, delivery, signal)));
  }
}

async function attempt(context: DeliverContext, delivery: DueDelivery, signal: AbortSignal): Promise<void> {
  const end = await outcome(context, delivery, signal);
  await context.catalog.deliveries.end(delivery, end);
  context.onAttempt(delivery, end);
}

async function outcome(
  { catalog, toPrivate, timeoutMs = attemptTimeoutMs }: DeliverContext,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const { url, secret } = delivery.webhook;
  const headers = signedHeaders(
    { id: `msg_${delivery.id}`, body: delivery.body },
    secret,
    (await catalog.now()).getTime(),
  );
  try {
    return endOf(await sendMessage({ url, headers }, delivery.body, { toPrivate, timeoutMs, signal }), delivery);
  } catch (error) {
    if (error instanceof PrivateAddress) return { as: 'failed', error: error.message };
    // This process is stopping; the next one sends it.
    if (signal.aborted) return { as: 'retry', delayMs: 0, error: 'The hub was stopped.' };
    return again(delivery, { error: error instanceof Error ? error.message : String(error) });
  }
}

function endOf({ status, retryAfterMs = 0 }: Answer, delivery: DueDelivery): AttemptEnd {
  if (status >= 200 && status < 300) return { as: 'delivered', status };
  const error = `The receiver answered ${status}.`;
  // "I want no more of these": RFC 9110 section 15.5.11.
  if (status === 410) return { as: 'gone', status, error };
  return again(delivery, { status, error }, Math.min(retryAfterMs, askedDelayMaxMs));
}

function again(
  { attempts }: DueDelivery,
  what: { readonly status?: number; readonly error: string },
  delayMinMs = 0,
): AttemptEnd {
  const delayMs = retryDelaysMs[attempts - 1];
  return delayMs === undefined
    ? { ...what, as: 'failed' }
    : { ...what, as: 'retry', delayMs: Math.max(delayMs, delayMinMs) };
}
