import type { Command } from 'commander';
import type { GcOptions } from '../gc.ts';
import type { ScrubOptions } from '../scrub.ts';
import type { CreateTokenOptions, TokenOptions } from '../token.ts';
import type { Commands } from './commands.ts';

/** Starts a server with these roles; without any it migrates the database and ends. */
export type StartServer = (roles: readonly ('gateway' | 'worker')[] | undefined) => Promise<void>;

const grants = `
GRANT is read, write or admin, and then ":namespace" or ":namespace/repository" unless it is on everything.
With --url, FIRN_URL or a hub of firn login, that hub is asked. Without one, or with --catalog, the catalog is opened as
the server would do it; an embedded one allows that only while no server runs.`;

const severalProcesses = `
FIRN_DATABASE_URL has to name a PostgreSQL server, which gateways and workers share. On one machine none is needed: firn
without a command is gateway and worker in one process, with an embedded database.`;

/** Adds the commands that run a server or work on its data. */
export function addOperatorCommands(program: Command, commands: Commands, startServer: StartServer): void {
  const server = (name: string, description: string, roles: Parameters<StartServer>[0]): void => {
    commands
      .local(program, name, description, `firn ${name}`)
      .addHelpText('after', roles === undefined ? '' : severalProcesses)
      .action(commands.run(() => startServer(roles)));
  };
  server('serve', 'a gateway: takes requests', ['gateway']);
  server('work', 'a worker: searches and encodes', ['worker']);
  server('migrate', 'bring the database to this version and end', undefined);
  addTokenCommands(program, commands);
  commands
    .local(program, 'scrub', 'read every object once, now; print each damaged one', 'firn scrub --mib-per-s 50')
    .option('--repository <name>', 'only what checkpoints of this repository need, NAMESPACE/NAME')
    .option('--mib-per-s <n>', 'read at most this fast')
    .action(
      commands.run(async (options: ScrubOptions) =>
        (await import('../scrub.ts')).scrub(options, commands.openTerminal(options.json ?? false)),
      ),
    );
  commands
    .local(
      program,
      'verify',
      'check that database and bucket belong together: rebuild every file, compare its digest',
      'firn verify',
    )
    .action(
      commands.run(async ({ json = false }: { json?: boolean }) =>
        (await import('../verify.ts')).verify(commands.openTerminal(json)),
      ),
    );
  commands
    .local(
      program,
      'gc',
      'mark orphans for deletion, and delete what has been pending for the grace',
      'firn gc --dry-run',
      'firn gc --grace 2 --force',
    )
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--grace <hours>', 'default: FIRN_GC_GRACE_H')
    .option('--force', 'allow a shorter grace than that, which downloads and backups under way rely on')
    .action(
      commands.run(async (options: GcOptions) =>
        (await import('../gc.ts')).gc(options, commands.openTerminal(options.json ?? false)),
      ),
    );
}

function addTokenCommands(program: Command, commands: Commands): void {
  const group = commands.group(
    program,
    'token',
    'tokens of a hub: create, list, revoke',
    'firn token create --name laptop --grant read:me/gpt --expires 30d',
    'firn token create --name ci --grant write:me',
    'firn token list',
    'firn token revoke a1B2c3D4e5F6',
  );
  const add = (usage: string, description: string, ...examples: string[]): Command =>
    commands
      .hub(group, usage, description, ...examples)
      .option('--catalog', 'open the catalog of this machine, as the server would do it')
      .addHelpText('after', grants);
  const { run, openTerminal } = commands;
  add(
    'create',
    'make a token; its text is shown only once',
    'firn token create --name laptop --grant read:me/gpt --expires 30d',
  )
    .requiredOption('--name <name>', 'whose it is, or what for')
    .requiredOption('--grant <grant>', 'what it may do; may be repeated', (grant: string, before: string[] = []) => [
      ...before,
      grant,
    ])
    .option('--expires <when>', 'from now (90m, 12h, 30d) or a date; without it the token never expires')
    .action(
      run(async (options: CreateTokenOptions) =>
        (await import('../token.ts')).createToken(options, openTerminal(options.json ?? false)),
      ),
    );
  add('list', 'the tokens that yours could have made', 'firn token list').action(
    run(async (options: TokenOptions) =>
      (await import('../token.ts')).listTokens(options, openTerminal(options.json ?? false)),
    ),
  );
  add('revoke ID', 'end a token', 'firn token revoke a1B2c3D4e5F6').action(
    run(async (id: string, options: TokenOptions) =>
      (await import('../token.ts')).revokeToken(id, options, openTerminal(options.json ?? false)),
    ),
  );
}
