import { CommanderError, type Command } from 'commander';
import { nearestName } from '../../checkpoint/words/nearest-name.ts';
import { exitCodeOf, exitCodes } from '../exit-code.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';
import { buildProgram } from './build-program.ts';
import { makeCommands } from './commands.ts';
import { errorLine, errorReport, UsageError } from './error-report.ts';
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
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    const words = ['firn', ...path].join(' ');
    const wrong = error instanceof CommanderError ? usageErrorOf(error, words) : error;
    const { evalSet } = command.opts<{ readonly evalSet?: string }>();
    complain(
      asksForJson(args)
        ? JSON.stringify({ error: errorReport(wrong, words, evalSet) })
        : `${words}: ${errorLine(wrong, evalSet)}`,
    );
    return exitCodeOf(wrong);
  }
}

/** Whether an answer in JSON is asked for, also by a line that cannot be parsed. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).includes('--json');
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
  const message =
    `${word === undefined ? 'a command is missing' : `there is no command "${word.slice(0, 100)}"`}` +
    (near === undefined ? '' : `; perhaps ${near}`);
  const advice = command.parent === null ? 'firn --help lists them.' : `write one of ${names.join(', ')}.`;
  throw new UsageError(message, advice, `${message}; ${advice}`);
}

function usageErrorOf(error: CommanderError, words: string): UsageError {
  const message = error.message.replace(/^error: /, '');
  const advice = `${words} --help says how`;
  return new UsageError(message, advice, `${message} (${advice})`);
}
