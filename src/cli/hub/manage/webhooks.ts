import { randomUUID } from 'node:crypto';
import { parseTarget, type components } from '../../../../clients/typescript/src/index.ts';
import { allPages, pageLimit } from '../../../../clients/typescript/src/list/all-pages.ts';
import { printTable } from '../../terminal/print-table.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { openSession, repositoryTarget, type HubOptions } from '../session.ts';
import { requireSomebodyToAsk } from './confirm-name.ts';
import { deleteNamed, type DeleteCommand } from './delete-named.ts';

type Webhook = components['schemas']['Webhook'];
type Message = components['schemas']['WebhookMessage'];

interface EventOptions extends HubOptions {
  readonly event?: Webhook['events'];
  readonly secret?: string;
}
export type CreateWebhook = EventOptions;
export interface EditWebhook extends EventOptions {
  readonly address?: string;
  readonly on?: boolean;
  readonly off?: boolean;
}

/** `firn webhook create NAMESPACE[/NAME] ADDRESS`. */
export async function createWebhook(
  where: string,
  url: string,
  { event: events, secret, ...options }: CreateWebhook,
): Promise<void> {
  const place = placeOf(where);
  const { hub, terminal } = openSession(options);
  const { data } = await hub.api.POST('/v1/webhooks', {
    body: { ...place, url, ...(events && { events }), ...(secret !== undefined && { secret }) },
  });
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify(data));
  terminal.say(`webhook ${data!.id} ${inWords(data!)}`);
  terminal.say('The secret that its messages are signed with; it is not shown again:');
  terminal.say(data!.secret);
}

/** `firn webhook list`. */
export async function listWebhooks(options: HubOptions): Promise<void> {
  const { hub, terminal } = openSession(options);
  const webhooks = await allPages(
    async (after) =>
      (
        await hub.api.GET('/v1/webhooks', {
          params: { query: { limit: pageLimit, ...(after !== undefined && { after }) } },
        })
      ).data!,
  );
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify(webhooks));
  printTable(
    terminal,
    ['id', 'of', 'address', 'events', 'active'],
    webhooks.map((webhook) => [
      webhook.id,
      placeInWords(webhook),
      webhook.url,
      webhook.events.join(', '),
      webhook.active ? 'yes' : 'no',
    ]),
  );
}

/** `firn webhook edit ID`. */
export async function editWebhook(
  webhookId: string,
  { event: events, address: url, secret, on, off, ...options }: EditWebhook,
): Promise<void> {
  if (on === true && off === true) throw new Error('--on and --off contradict each other.');
  const { hub, terminal } = openSession(options);
  const { data } = await hub.api.PATCH('/v1/webhooks/{webhookId}', {
    params: { path: { webhookId } },
    body: {
      ...(url !== undefined && { url }),
      ...(events && { events }),
      ...(secret !== undefined && { secret }),
      ...((on === true || off === true) && { active: on === true }),
    },
  });
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify(data));
  terminal.say(`webhook ${data!.id} ${inWords(data!)}`);
}

/** `firn webhook delete ID`. */
export async function deleteWebhook(webhookId: string, options: DeleteCommand): Promise<void> {
  requireSomebodyToAsk(webhookId, options.yes === true);
  const session = openSession(options);
  await deleteNamed(session, {
    name: webhookId,
    isSure: options.yes === true,
    remove: () => session.hub.api.DELETE('/v1/webhooks/{webhookId}', { params: { path: { webhookId } } }),
    afterwards: 'its messages, too',
  });
}

/** `firn webhook ping ID`. */
export async function pingWebhook(webhookId: string, options: HubOptions): Promise<void> {
  const { hub, terminal } = openSession(options);
  const { data } = await hub.api.POST('/v1/webhooks/{webhookId}/messages', {
    params: { path: { webhookId }, header: { 'idempotency-key': randomUUID() } },
  });
  hub.close();
  sayWritten(terminal, webhookId, data!);
}

/** `firn webhook messages ID`: the newest hundred. */
export async function listMessages(webhookId: string, options: HubOptions): Promise<void> {
  const { hub, terminal } = openSession(options);
  const { data } = await hub.api.GET('/v1/webhooks/{webhookId}/messages', { params: { path: { webhookId } } });
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify(data!.items));
  printTable(
    terminal,
    ['id', 'event', 'written', 'state', 'attempts', 'answer', 'next', 'error'],
    data!.items.map(({ id, event, createdAt, state, attempts, status, nextAt, error }) => [
      id,
      event,
      createdAt,
      state,
      attempts,
      status,
      nextAt,
      error,
    ]),
  );
}

/** `firn webhook resend ID MESSAGE`. */
export async function resendMessage(webhookId: string, messageId: string, options: HubOptions): Promise<void> {
  const { hub, terminal } = openSession(options);
  const { data } = await hub.api.POST('/v1/webhooks/{webhookId}/messages/{messageId}/resend', {
    params: { path: { webhookId, messageId }, header: { 'idempotency-key': randomUUID() } },
  });
  hub.close();
  sayWritten(terminal, webhookId, data!);
}

function sayWritten(terminal: Terminal, webhookId: string, message: Message): void {
  if (terminal.asJson) return terminal.say(JSON.stringify(message));
  terminal.say(`message ${message.id} is sent within seconds; firn webhook messages ${webhookId} shows the answer`);
}

/** A namespace, or a repository. Throws an Error with one sentence. */
function placeOf(text: string): { readonly namespace: string; readonly repository?: string } {
  if (text.includes('/')) {
    const { namespace, name } = repositoryTarget(text);
    return { namespace, repository: name };
  }
  // Names are checked by one rule.
  return { namespace: parseTarget(`${text}/name`).namespace };
}

function placeInWords({ namespace, repository }: Webhook): string {
  return repository === undefined ? namespace : `${namespace}/${repository}`;
}

function inWords(webhook: Webhook): string {
  const { events, url, active } = webhook;
  return `posts ${events.join(', ')} of ${placeInWords(webhook)} to ${url}${active ? '' : '; it is off'}`;
}
