import { Counter, type Registry } from 'prom-client';
import { runPeriodically, type Periodic } from '../upkeep/run-periodically.ts';
import { deliverDue } from '../webhooks/deliver-due.ts';
import type { Parts } from './open-parts.ts';

/** Pause between two looks for messages that are due, in ms. */
const everyMs = 2_000;

export function webhookMetrics(registry: Registry): { readonly attempts: Counter<'outcome'> } {
  return {
    attempts: new Counter({
      name: 'firn_webhook_attempts_total',
      help: 'Messages sent to webhooks, every attempt, by what became of them.',
      labelNames: ['outcome'],
      registers: [registry],
    }),
  };
}

/** Sends messages to webhooks until it is stopped. */
export function startWebhooks({ catalog, config, log, watch }: Parts): Periodic {
  const { attempts } = webhookMetrics(watch.metrics);
  return runPeriodically(
    (signal) =>
      deliverDue(
        {
          catalog,
          toPrivate: config.webhooksToPrivate,
          onAttempt: ({ id, webhookId, event, attempts: count }, { as: outcome, status, error }) => {
            attempts.inc({ outcome });
            // Whose receiver it is sees this in the list of its messages; an operator has nothing to do.
            if (outcome !== 'delivered')
              log.info({ messageId: id, webhookId, event, attempts: count, outcome, status, error }, 'webhook');
          },
        },
        signal,
      ),
    { pauseMs: everyMs, onError: (err) => log.error({ err }, 'messages to webhooks wait; they are tried again') },
  );
}
