import { Command } from 'commander';
import { programVersion } from '../../http/program-version.ts';
import { addHubCommands } from '../hub/hub-commands.ts';
import { addManagement } from '../hub/manage/management-commands.ts';
import type { Commands } from './commands.ts';
import { addLocalCommands } from './local-commands.ts';
import { addOperatorCommands, type StartServer } from './operator-commands.ts';

/** The whole command line: what is parsed, helped with and completed. Nothing that a command needs is loaded yet. */
export function buildProgram(commands: Commands, startServer: StartServer): Command {
  const program = new Command('firn')
    .usage('[COMMAND]')
    .description('A model-hub storage gateway. Without a command: gateway and worker in one process.')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: termOf })
    .version(programVersion, '--version', 'print the version')
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .action(commands.run(() => startServer(['gateway', 'worker'])));
  program.commandsGroup('A hub, from anywhere:');
  addHubCommands(program, commands);
  addManagement(program, commands);
  program.commandsGroup('This machine:');
  addLocalCommands(program, commands);
  program.commandsGroup('A server, and its data:');
  addOperatorCommands(program, commands, startServer);
  return program.addHelpText(
    'after',
    `
firn COMMAND --help says more of one, with examples. docs/guide/cli.md shows what belongs together.
FIRN_* variables configure servers and commands on their data: docs/operations.md lists them.`,
  );
}

/** A command in a list: its name and arguments, since every command has options. */
function termOf(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? name : `[${name}]`;
  });
  return [command.name(), ...words].join(' ');
}
