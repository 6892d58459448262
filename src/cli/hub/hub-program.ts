import { Command } from 'commander';
import { findStep } from '../../../clients/typescript/src/index.ts';
import { exitCodeOf } from '../exit-code.ts';
import { follow } from './follow.ts';
import { login } from './login.ts';
import { log, ls, show } from './look.ts';
import { pull } from './pull.ts';
import { push } from './push.ts';
import { openSession, runTarget, type HubOptions } from './session.ts';

const targets = `
TARGET is NAMESPACE/NAME, NAMESPACE/NAME/RUN, or NAMESPACE/NAME/RUN@STEP; "latest" is a step, too.
Exit codes: 0 done, 1 failed, 3 not allowed, 4 not found, 5 hub not reached, 6 checkpoint failed.`;

/** Runs a command for a hub, such as `firn push`, and returns the exit code. Loads nothing of a server. */
export async function runHubCommand(args: readonly string[], complain: (line: string) => void): Promise<number> {
  let code = 0;
  const program = new Command('firn').exitOverride().showHelpAfterError('(--help says how)');
  addCommands(program, (result) => {
    code = typeof result === 'number' ? result : 0;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    // The parser has printed help or its complaint.
    const { code: kind, exitCode } = error as { code?: unknown; exitCode?: number };
    if (typeof kind === 'string' && kind.startsWith('commander.')) return exitCode ?? 1;
    complain(`firn ${args[0]}: ${error instanceof Error ? error.message : String(error)}`);
    return exitCodeOf(error);
  }
}

function addCommands(program: Command, done: (result: unknown) => void): void {
  const add = (usage: string, description: string, example: string): Command =>
    program
      .command(usage)
      .description(description)
      .option('--url <url>', 'address of the hub; else FIRN_URL, or that of firn login, or http://127.0.0.1:8080')
      .option('--json', 'answer in JSON')
      .option('--insecure', 'send the token over plain HTTP to another machine, too')
      .addHelpText('after', `\nExample:\n  ${example}\n${targets}`);
  const run =
    <A extends unknown[]>(work: (...args: A) => Promise<unknown>) =>
    async (...args: A): Promise<void> =>
      done(await work(...args));

  add(
    'login [URL]',
    'check a token and remember it; it is asked for, or read from a pipe',
    'firn login https://hub.example',
  ).action(run((url: string | undefined, options: HubOptions) => login(url, options)));
  add(
    'push TARGET PATH',
    "push a file, a folder, or a Trainer's output folder; repeat it to go on",
    'firn push me/gpt/train output --wait',
  )
    .option('--wait', 'wait until it is stored; show phases and trials')
    .option('--eval-set <name>', 'eval set of the run, if the run is new')
    .option('--threshold <metric=share>', 'largest degradation, if the run is new', readThreshold)
    .action(run(push));
  add(
    'pull TARGET [FOLDER]',
    'pull a checkpoint, verified by digest; repeat it to go on',
    'firn pull me/gpt/train@latest model --dtype bf16',
  )
    .option('--file <path>', 'only this file; may be repeated', (path: string, before: string[] = []) => [
      ...before,
      path,
    ])
    .option('--dtype <dtype>', 'convert tensors to f32, f16 or bf16', readDtype)
    .option('--uploaded', 'the upload itself, while it is kept')
    .action(run(pull));
  add('ls [TARGET]', 'repositories, the runs of one, or the checkpoints of a run', 'firn ls me/gpt').action(run(ls));
  add('log TARGET', 'one row for each checkpoint of a run', 'firn log me/gpt/train').action(run(log));
  add('show TARGET', 'one checkpoint, and why it is as it is', 'firn show me/gpt/train@900').action(run(show));
  add('watch TARGET', 'follow a checkpoint until it is ready', 'firn watch me/gpt/train@900').action(
    run(async (text: string, options: HubOptions) => {
      const session = openSession(options);
      const code = await follow(session, await findStep(session.hub, runTarget(text)));
      session.hub.close();
      return code;
    }),
  );
}

/** Parses `loss=0.01` or `loss=1%`, and adds it to those before. Throws an Error with one sentence. */
export function readThreshold(text: string, before: Readonly<Record<string, number>> = {}): Record<string, number> {
  const [, metric, number, percent] = /^([^=]{1,96})=(\d{1,9}(?:\.\d{1,9})?)(%?)$/.exec(text) ?? [];
  if (metric === undefined) throw new Error(`--threshold ${text} is none: write one such as loss=0.01 or loss=1%.`);
  return { ...before, [metric]: percent === '%' ? Number(number) / 100 : Number(number) };
}

function readDtype(text: string): string {
  if (!['f32', 'f16', 'bf16'].includes(text)) throw new Error(`--dtype ${text} is none: f32, f16 or bf16.`);
  return text;
}
