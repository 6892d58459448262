import { Option, type Command } from 'commander';
import type { Commands } from '../program/commands.ts';
import type { DiffCommand } from './diff/diff.ts';
import type { EstimateCommand } from './estimate.ts';
import type { LogCommand } from './log.ts';
import type { PullCommand } from './pull.ts';
import type { PushCommand } from './push.ts';
import type { RetryCommand } from './retry.ts';
import type { HubOptions } from './session.ts';

/** Adds the commands with which people push, look and pull. */
export function addHubCommands(program: Command, commands: Commands): void {
  const { run } = commands;
  commands
    .hub(
      program,
      'login [URL]',
      'check a token and remember it; it is asked for, or read from a pipe',
      'firn login https://hub.example',
    )
    .action(
      run(async (url: string | undefined, options: HubOptions) => (await import('./login.ts')).login(url, options)),
    );
  commands
    .hub(
      program,
      'logout [URL]',
      'remove the token that login keeps for a hub; other commands still go there',
      'firn logout',
      'firn logout https://hub.example',
    )
    .addHelpText('after', '\nThe hub still takes the token; firn token revoke ends it.')
    .action(
      run(async (url: string | undefined, options: HubOptions) => (await import('./logout.ts')).logout(url, options)),
    );
  addTransfers(program, commands);
  addLooks(program, commands);
}

function addTransfers(program: Command, commands: Commands): void {
  commands
    .hub(
      program,
      'push TARGET PATH',
      "push a file, a folder, or a Trainer's output folder; repeat it to go on",
      'firn push me/gpt/train output --wait',
      'firn push me/gpt/train@900 model.safetensors --eval-set held-out --threshold loss=1%',
    )
    .option('--wait', 'wait until it is stored; show phases and trials')
    .option('--eval-set <name>', 'eval set of the run, if the run is new')
    .option('--threshold <metric=share>', 'largest degradation, if the run is new', readThreshold)
    .option('--allow-large', 'allow a threshold that lets through what most would call damage')
    .addHelpText(
      'after',
      '\nA single safetensors file is stored as model.safetensors, whatever its name is here. Of an output folder ' +
        'only the\nfolders checkpoint-N are pushed. Files whose names begin with a dot are left out.',
    )
    .action(
      commands.run(async (text: string, path: string, options: PushCommand) =>
        (await import('./push.ts')).push(text, path, options),
      ),
    );
  commands
    .hub(
      program,
      'pull TARGET [FOLDER]',
      'pull a checkpoint, verified by digest; repeat it to go on',
      'firn pull me/gpt/train@latest model --dtype bf16',
      'firn pull me/gpt/train@900 model --file config.json',
    )
    .option('--file <path>', 'only this file; may be repeated', (path: string, before: string[] = []) => [
      ...before,
      path,
    ])
    .addOption(new Option('--dtype <dtype>', 'convert tensors on the way').choices(['f32', 'f16', 'bf16']))
    .option('--uploaded', 'the upload itself, while it is kept')
    .action(
      commands.run(async (text: string, folder: string | undefined, options: PullCommand) =>
        (await import('./pull.ts')).pull(text, folder, options),
      ),
    );
}

function addLooks(program: Command, commands: Commands): void {
  const { run } = commands;
  commands
    .hub(program, 'ls [TARGET]', 'repositories, the runs of one, or the checkpoints of a run', 'firn ls me/gpt')
    .action(
      run(async (text: string | undefined, options: HubOptions) => (await import('./look.ts')).ls(text, options)),
    );
  commands
    .hub(
      program,
      'log TARGET...',
      'one row for each checkpoint of a run, or of several runs side by side',
      'firn log me/gpt/train',
      'firn log me/gpt/train me/gpt/train-2',
      'firn log me/gpt/train --within 1% --best loss',
    )
    .option('--within <share>', 'only checkpoints that lost no more than this of any metric', readWithin)
    .option('--best <metric>', 'the best first, as measured on what a pull returns')
    .addHelpText(
      'after',
      '\nA file that is kept exact, such as a tokenizer, and that the repository has already counts for the run ' +
        'that\nwas first. To compare what two runs store, push each to a repository of its own.',
    )
    .action(run(async (texts: string[], options: LogCommand) => (await import('./log.ts')).log(texts, options)));
  commands
    .hub(program, 'show TARGET', 'one checkpoint, and why it is as it is', 'firn show me/gpt/train@900')
    .action(run(async (text: string, options: HubOptions) => (await import('./look.ts')).show(text, options)));
  commands
    .hub(
      program,
      'estimate TARGET',
      'what a checkpoint would take at another threshold, without another push',
      'firn estimate me/gpt/train@latest --threshold loss=1%',
      'firn estimate me/gpt/train@latest --cancel',
    )
    .option('--threshold <metric=share>', 'largest degradation; may be repeated', readThreshold)
    .option('--allow-large', 'allow a threshold that lets through what most would call damage')
    .option('--cancel', 'stop the one that is under way')
    .addHelpText(
      'after',
      '\nThe hub searches, encodes and verifies it once more from the upload, which a run keeps of its newest ' +
        'checkpoint,\nand stores nothing. It waits while checkpoints do. Of a delta it says what it would ' +
        'take next to the\nchain that is stored; a new run at that threshold may take less. To try that, push the ' +
        'folder of all checkpoints\nto a new run with --threshold.',
    )
    .action(
      run(async (text: string, options: EstimateCommand) => (await import('./estimate.ts')).estimate(text, options)),
    );
  commands
    .hub(
      program,
      'diff FROM TO',
      'how far each layer moved between two checkpoints, the furthest first',
      'firn diff me/gpt/train@800 me/gpt/train@900',
      'firn diff model.safetensors me/gpt/train@latest --tensors',
    )
    .option('--tensors', 'a row for each tensor')
    .addHelpText(
      'after',
      '\nFROM and TO are checkpoints of the hub, or safetensors files or folders of this machine. A layer moved by\n' +
        '||to - from|| / ||from||, over its floating tensors. Of the hub only ranges are fetched, and nothing is kept.',
    )
    .action(
      run(async (from: string, to: string, options: DiffCommand) =>
        (await import('./diff/diff.ts')).diff(from, to, options),
      ),
    );
  commands
    .hub(program, 'watch TARGET', 'follow a checkpoint until it is ready', 'firn watch me/gpt/train@900')
    .action(run(async (text: string, options: HubOptions) => (await import('./follow.ts')).watch(text, options)));
  commands
    .hub(
      program,
      'cancel TARGET',
      'stop a checkpoint that waits or is being compressed, or give up a reserved step',
      'firn cancel me/gpt/train@900',
    )
    .action(
      run(async (text: string, options: HubOptions) => (await import('./manage/cancel.ts')).cancel(text, options)),
    );
  commands
    .hub(
      program,
      'retry TARGET',
      'compress a failed checkpoint again, from what was pushed',
      'firn retry me/gpt/train@900 --wait',
      'firn retry me/gpt/train@900 --eval-set held-out-2 --threshold loss=1%',
    )
    .option('--eval-set <name>', 'measure it on this eval set; else on that which its run has now')
    .option('--threshold <metric=share>', 'largest degradation of a metric; may be repeated', readThreshold)
    .option('--allow-large', 'allow a threshold that lets through what most would call damage')
    .option('--wait', 'wait until it is stored; show phases and trials')
    .action(run(async (text: string, options: RetryCommand) => (await import('./retry.ts')).retry(text, options)));
}

/** Parses `loss=0.01` or `loss=1%`, and adds it to those before. Throws an Error with one sentence. */
export function readThreshold(text: string, before: Readonly<Record<string, number>> = {}): Record<string, number> {
  const at = text.lastIndexOf('=');
  const share = at < 1 || at > 96 ? undefined : readShare(text.slice(at + 1));
  if (share === undefined) throw new Error(`--threshold ${text} is none: write one such as loss=0.01 or loss=1%.`);
  return { ...before, [text.slice(0, at)]: share };
}

/** Parses a share such as `0.01` or `1%`. Undefined if it is none. */
function readShare(text: string): number | undefined {
  const [, number, percent] = /^(\d{1,9}(?:\.\d{1,9})?)(%?)$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  return percent === '%' ? Number(number) / 100 : Number(number);
}

function readWithin(text: string): number {
  const share = readShare(text);
  if (share === undefined) throw new Error(`--within ${text} is no share: write one such as 0.01 or 1%.`);
  return share;
}
