import { CommanderError, type Command } from 'commander';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { nearestName } from '../../checkpoint/words/nearest-name.ts';
import { exitCodeOf, exitCodes } from '../exit-code.ts';
import { withAdvice } from '../with-advice.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';
import { buildProgram } from './build-program.ts';
import { makeCommands } from './commands.ts';
import type { StartServer } from './operator-commands.ts';

export interface Surroundings {
  readonly startServer: StartServer;
  /** By default that of the process. */
  readonly openTerminal?: (asJson: boolean) => Terminal;
  /** Prints one line on standard error. */
  readonly complain: (line: string) => void;
}

/** Runs a command line and returns the exit code. What is wrong is said in one sentence. */
export async function runProgram(
  args: readonly string[],
  { startServer, openTerminal: open = openTerminal, complain }: Surroundings,
): Promise<number> {
  let code: number = exitCodes.done;
  const program = buildProgram(
    makeCommands(open, (result) => {
      if (typeof result === 'number') code = result;
    }),
    startServer,
  );
  const { path, command } = namedCommand(program, args);
  try {
    refuseUnknown(command, args.slice(path.length));
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    const words = ['firn', ...path].join(' ');
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done;
      complain(`${words}: ${error.message.replace(/^error: /, '')} (${words} --help says how)`);
      return exitCodes.failed;
    }
    const { evalSet } = command.opts<{ readonly evalSet?: string }>();
    complain(`${words}: ${sentenceOf(error, evalSet)}`);
    return exitCodeOf(error);
  }
}

/** The command that the first words name, as far as they do. */
function namedCommand(program: Command, args: readonly string[]): { path: string[]; command: Command } {
  const path: string[] = [];
  let command = program;
  for (const word of args) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) break;
    path.push(word);
    command = next;
  }
  return { path, command };
}

/** Refuses a word where only names of commands may be. */
function refuseUnknown(command: Command, [word]: readonly string[]): void {
  const names = command.commands.map((each) => each.name());
  if (names.length === 0 || (word?.startsWith('-') ?? command.parent === null)) return;
  const near = word === undefined ? undefined : nearestName(word, names);
  throw new Error(
    `${word === undefined ? 'a command is missing' : `there is no command "${word.slice(0, 100)}"`}` +
      `${near === undefined ? '' : `; perhaps ${near}`}; ` +
      (command.parent === null ? 'firn --help lists them.' : `write one of ${names.join(', ')}.`),
  );
}

function sentenceOf(error: unknown, evalSet: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof FirnError && error.detail !== undefined
    ? `${error.message} (${error.detail})`
    : withAdvice(error, evalSet);
}
