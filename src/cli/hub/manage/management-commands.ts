import { Argument, Option, type Command } from 'commander';
import type { RepositoryFilter } from '../../../../clients/typescript/src/index.ts';
import type { Commands } from '../../program/commands.ts';
import { deviceWishes } from '../../../checkpoint/options/device-wish.ts';
import { readThreshold } from '../hub-commands.ts';
import type { HubOptions } from '../session.ts';
import type { CreateRepository } from './repos.ts';
import type { DeleteCommand } from './delete-named.ts';
import { yes } from './delete-option.ts';
import type { CreateRun, EditRun } from './runs.ts';
import { addWebhooks } from './webhook-commands.ts';

/** Adds `firn repos`, `firn runs`, `firn webhook` and `firn usage`. */
export function addManagement(program: Command, commands: Commands): void {
  const repositories = commands.group(
    program,
    'repos',
    'repositories: list, create, visibility, delete',
    'firn repos list --search gpt',
    'firn repos create me/gpt',
    'firn repos visibility me/gpt public',
    'firn repos delete me/gpt',
  );
  addRepositories(repositories, commands);
  const runs = commands.group(
    program,
    'runs',
    'runs: list, create, edit, fork, close, open, delete',
    'firn runs list me/gpt',
    'firn runs create me/gpt/train --eval-set held-out --threshold loss=1%',
    'firn runs edit me/gpt/train --threshold loss=2%',
    'firn runs fork me/gpt/train@900 train-2',
    'firn runs close me/gpt/train',
    'firn runs delete me/gpt/train@900',
  );
  addRuns(runs, commands);
  addWebhooks(program, commands);
  commands
    .hub(
      program,
      'usage [WHAT]',
      'what a namespace or a repository takes, line by line',
      'firn usage',
      'firn usage me',
      'firn usage me/gpt',
    )
    .action(
      commands.run(async (what: string | undefined, options: HubOptions) =>
        (await import('./usage.ts')).usage(what, options),
      ),
    );
}

function addRepositories(group: Command, commands: Commands): void {
  const { run } = commands;
  commands
    .hub(group, 'list', 'every repository that you may see', 'firn repos list --search gpt')
    .option('--search <text>', 'only those whose name has this in it')
    .option('--namespace <name>', 'only those of this namespace')
    .addOption(
      new Option('--visibility <visibility>', 'only those with this visibility').choices(['private', 'public']),
    )
    .action(run(async (options: HubOptions & RepositoryFilter) => (await import('./repos.ts')).listRepos(options)));
  commands
    .hub(group, 'create REPOSITORY', 'make a repository, which only you can read', 'firn repos create me/gpt --public')
    .option('--public', 'everybody can read it, without a token')
    .action(
      run(async (name: string, options: CreateRepository) => (await import('./repos.ts')).createRepo(name, options)),
    );
  commands
    .hub(group, 'visibility REPOSITORY', 'change who can read a repository', 'firn repos visibility me/gpt public')
    .addArgument(new Argument('VISIBILITY').choices(['private', 'public']))
    .action(
      run(async (name: string, visibility: 'private' | 'public', options: HubOptions) =>
        (await import('./repos.ts')).changeVisibility(name, visibility, options),
      ),
    );
  commands
    .hub(
      group,
      'delete REPOSITORY',
      'delete a repository with its runs, eval sets and commits',
      'firn repos delete me/gpt',
      'firn repos delete me/gpt --yes',
    )
    .option('--yes', yes)
    .action(
      run(async (name: string, options: DeleteCommand) => (await import('./repos.ts')).deleteRepo(name, options)),
    );
}

function addRuns(group: Command, commands: Commands): void {
  const { run } = commands;
  commands
    .hub(group, 'list REPOSITORY', 'the runs of a repository', 'firn runs list me/gpt')
    .action(run(async (name: string, options: HubOptions) => (await import('./runs.ts')).listRunsOf(name, options)));
  const measuring = (usage: string, description: string, ...examples: string[]): Command =>
    commands
      .hub(group, usage, description, ...examples)
      .option('--eval-set <name>', 'measure its checkpoints on this eval set')
      .option('--threshold <metric=share>', 'largest degradation of a metric; may be repeated', readThreshold)
      .option('--allow-large', 'allow a threshold that lets through what most would call damage')
      .addOption(new Option('--device <wish>', 'what to measure on: a GPU or the processor').choices(deviceWishes));
  measuring(
    'create RUN',
    'make a run, without an eval set an exact one',
    'firn runs create me/gpt/train --eval-set held-out --threshold loss=1%',
    'firn runs create me/gpt-tuned/tune --base-model me/gpt/train@900',
  )
    .option('--base-model <target>', 'store its first checkpoint against this repository, run or step')
    .action(run(async (name: string, options: CreateRun) => (await import('./runs.ts')).createRun(name, options)));
  measuring(
    'edit RUN',
    'change what its checkpoints are measured with, from the next one on',
    'firn runs edit me/gpt/train --eval-set held-out-2',
    'firn runs edit me/gpt/train --threshold loss=1%',
  ).action(run(async (name: string, options: EditRun) => (await import('./runs.ts')).editRun(name, options)));
  measuring(
    'fork TARGET NEW',
    'make a run that goes on from a checkpoint of another',
    'firn runs fork me/gpt/train@900 train-2',
  ).action(
    run(async (from: string, name: string, options: CreateRun) =>
      (await import('./runs.ts')).forkRun(from, name, options),
    ),
  );
  commands
    .hub(group, 'close RUN', 'take no new steps: its last checkpoint is final', 'firn runs close me/gpt/train')
    .action(
      run(async (name: string, options: HubOptions) => (await import('./runs.ts')).setFinal(name, true, options)),
    );
  commands
    .hub(group, 'open RUN', 'take new steps again', 'firn runs open me/gpt/train')
    .action(
      run(async (name: string, options: HubOptions) => (await import('./runs.ts')).setFinal(name, false, options)),
    );
  commands
    .hub(
      group,
      'delete TARGET',
      'delete a run with all its checkpoints, or one checkpoint',
      'firn runs delete me/gpt/train',
      'firn runs delete me/gpt/train@900 --yes',
    )
    .option('--yes', yes)
    .action(
      run(async (text: string, options: DeleteCommand) => (await import('./runs.ts')).deleteTarget(text, options)),
    );
}
