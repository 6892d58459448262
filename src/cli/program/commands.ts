import type { Command } from 'commander';
import { programVersion } from '../../http/program-version.ts';
import { exitCodeMeanings } from '../exit-code.ts';
import type { Terminal } from '../terminal/terminal.ts';

const hubUrl = 'address of the hub; else FIRN_URL, or that of firn login, or http://127.0.0.1:8080';

const targets = `
TARGET is NAMESPACE/NAME, NAMESPACE/NAME/RUN, or NAMESPACE/NAME/RUN@STEP; "latest" is a step, too.`;

/** The exit codes, for the help of every command. */
const exitCodesText = `\nExit codes:\n${exitCodeMeanings.map(([code, meaning]) => `  ${code} ${meaning}`).join('\n')}`;

function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
}

/** What the commands of the tree are made with, so that all have the same options and kind of help. */
export interface Commands {
  /** Where operators' commands print. Commands for a hub open their own in a session. */
  readonly openTerminal: (asJson: boolean) => Terminal;
  /** Adds a command that asks a hub. */
  hub(parent: Command, usage: string, description: string, ...examples: readonly string[]): Command;
  /** Adds a command that asks none. */
  local(parent: Command, usage: string, description: string, ...examples: readonly string[]): Command;
  /** Adds a name for several commands, such as `firn runs`. */
  group(parent: Command, name: string, description: string, ...examples: readonly string[]): Command;
  /** The action of a command. A number that the work returns is the exit code. */
  run<A extends unknown[]>(work: (...args: A) => Promise<unknown>): (...args: A) => Promise<void>;
}

/** `done` gets what the work of the command returned. */
export function makeCommands(openTerminal: Commands['openTerminal'], done: (result: unknown) => void): Commands {
  const add = (parent: Command, usage: string, description: string): Command =>
    parent.command(usage).description(description).version(programVersion, '--version', 'print the version');
  const local: Commands['local'] = (parent, usage, description, ...examples) =>
    add(parent, usage, description)
      .option('--json', 'answer in JSON')
      .addHelpText('after', examplesText(examples))
      .addHelpText('after', exitCodesText);
  return {
    openTerminal,
    local,
    hub: (parent, usage, description, ...examples) =>
      local(parent, usage, description, ...examples)
        .option('--url <url>', hubUrl)
        .option('--insecure', 'send the token over plain HTTP to another machine, too')
        .addHelpText('after', targets),
    group: (parent, name, description, ...examples) =>
      add(parent, name, description)
        .helpCommand(false)
        .addHelpText('after', examplesText(examples))
        .addHelpText('after', `\nfirn ${name} COMMAND --help says more.`),
    run:
      (work) =>
      async (...args) =>
        done(await work(...args)),
  };
}
