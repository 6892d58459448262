import { Argument, InvalidArgumentError, type Command } from 'commander';
import { webhookEvents, type WebhookEvent } from '../../../checkpoint/webhook-events.ts';
import type { Commands } from '../../program/commands.ts';
import type { HubOptions } from '../session.ts';
import type { DeleteCommand } from './delete-named.ts';
import { yes } from './delete-option.ts';
import type { CreateWebhook, EditWebhook } from './webhooks.ts';

const load = () => import('./webhooks.ts');

/** Adds `firn webhook`. */
export function addWebhooks(program: Command, commands: Commands): void {
  const group = commands.group(
    program,
    'webhook',
    'addresses that get messages about what happens to checkpoints',
    'firn webhook create me/gpt https://ci.example/firn --event checkpoint.ready',
    'firn webhook list',
    'firn webhook ping 0011...',
    'firn webhook messages 0011...',
  );
  const { run } = commands;
  const withEvents = (command: Command): Command =>
    command.option('--event <event>', `one of ${webhookEvents.join(', ')}; may be repeated`, readEvent);
  withEvents(
    commands.hub(
      group,
      'create WHERE ADDRESS',
      'send an address messages about the checkpoints of a namespace or a repository',
      'firn webhook create me https://ci.example/firn',
      'firn webhook create me/gpt https://ci.example/firn --event checkpoint.ready',
    ),
  )
    .option('--secret <secret>', 'key of the signatures: "whsec_" and base64; by default the hub makes one up')
    .action(
      run(async (where: string, address: string, options: CreateWebhook) =>
        (await load()).createWebhook(where, address, options),
      ),
    );
  commands
    .hub(group, 'list', 'the webhooks of what you administer', 'firn webhook list')
    .action(run(async (options: HubOptions) => (await load()).listWebhooks(options)));
  withEvents(
    commands.hub(
      group,
      'edit ID',
      'change where it leads, which messages it gets, its key, or whether it is active',
      'firn webhook edit 0011... --address https://ci.example/other',
      'firn webhook edit 0011... --off',
    ),
  )
    .option('--address <address>', 'where messages go')
    .option('--secret <secret>', 'key of the signatures from now on')
    .option('--on', 'send messages again')
    .option('--off', 'send nothing but pings')
    .action(run(async (id: string, options: EditWebhook) => (await load()).editWebhook(id, options)));
  commands
    .hub(
      group,
      'delete ID',
      'delete a webhook and its messages',
      'firn webhook delete 0011...',
      'firn webhook delete 0011... --yes',
    )
    .option('--yes', yes)
    .action(run(async (id: string, options: DeleteCommand) => (await load()).deleteWebhook(id, options)));
  commands
    .hub(group, 'ping ID', 'send a message to try it', 'firn webhook ping 0011...')
    .action(run(async (id: string, options: HubOptions) => (await load()).pingWebhook(id, options)));
  commands
    .hub(
      group,
      'messages ID',
      'what was sent, the newest first, and what was answered',
      'firn webhook messages 0011...',
    )
    .action(run(async (id: string, options: HubOptions) => (await load()).listMessages(id, options)));
  commands
    .hub(group, 'resend ID', 'send a message again', 'firn webhook resend 0011... 42')
    .addArgument(new Argument('MESSAGE', 'id of the message'))
    .action(
      run(async (id: string, message: string, options: HubOptions) =>
        (await load()).resendMessage(id, message, options),
      ),
    );
}

function readEvent(text: string, before: readonly WebhookEvent[] = []): readonly WebhookEvent[] {
  const event = webhookEvents.find((known) => known === text);
  if (event === undefined) throw new InvalidArgumentError(`It must be one of ${webhookEvents.join(', ')}.`);
  return [...new Set([...before, event])];
}
