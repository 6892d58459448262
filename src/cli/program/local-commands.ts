import { Argument, Option, type Command } from 'commander';
import { metricKinds } from '../../checkpoint/quality/metric-kind.ts';
import type { CheckCommand } from '../eval-set/check.ts';
import type { MakeCommand } from '../eval-set/make.ts';
import type { UploadCommand } from '../eval-set/upload.ts';
import type { DeleteCommand } from '../hub/manage/delete-named.ts';
import { yes } from '../hub/manage/delete-option.ts';
import type { HubOptions } from '../hub/session.ts';
import type { UnpackOptions } from '../unpack.ts';
import type { Commands } from './commands.ts';
import { completionScript, shells, type Shell } from './completion.ts';

/** Adds the commands that work on files of this machine, and those about eval sets. */
export function addLocalCommands(program: Command, commands: Commands): void {
  const { run, openTerminal } = commands;
  const evalSets = commands.group(
    program,
    'eval-set',
    'eval sets: make, check, upload, list, delete',
    'firn eval-set make model.onnx held-out.npz --out eval.safetensors',
    'firn eval-set check model.onnx eval.safetensors model.safetensors',
    'firn eval-set upload me/gpt held-out model.onnx eval.safetensors',
    'firn eval-set list me/gpt',
  );
  addEvalSets(evalSets, commands);
  commands
    .local(
      program,
      'unpack PACKAGE...',
      'rebuild the files of a downloaded package, without a server, and print their digests',
      'firn unpack 900.firn 890.firn --out model',
    )
    .requiredOption('--out <folder>', 'where the files are written; what is there is replaced')
    .option('--package <id>', 'of a package that holds several checkpoints, the wanted one; default: the last')
    .addHelpText('after', '\nPACKAGE... is the package and those of all its ancestors, in any order; a base has none.')
    .action(
      run(async (packages: string[], options: UnpackOptions) =>
        (await import('../unpack.ts')).unpack(packages, options, openTerminal(options.json ?? false)),
      ),
    );
  commands
    .hub(program, 'doctor', 'what works on this machine, and what to install', 'firn doctor')
    .action(
      run(async (options: HubOptions) =>
        (await import('../doctor/doctor.ts')).doctor(options, openTerminal(options.json ?? false)),
      ),
    );
  commands
    .local(program, 'completion', 'print what makes a shell complete firn', ...shellExamples)
    .addArgument(new Argument('SHELL').choices(shells))
    .action(
      run(async (shell: Shell, { json = false }: { json?: boolean }) => {
        const script = completionScript(program, shell);
        openTerminal(json).say(json ? JSON.stringify({ shell, script }) : script);
      }),
    );
}

const shellExamples = [
  'eval "$(firn completion bash)"        in ~/.bashrc',
  'eval "$(firn completion zsh)"         in ~/.zshrc, after compinit',
  'firn completion fish | source         in ~/.config/fish/config.fish',
];

function addEvalSets(group: Command, commands: Commands): void {
  const { run, openTerminal } = commands;
  const kind = (): Option =>
    new Option('--kind <kind>', 'kind of the metric, if the spec is guessed').choices(metricKinds);
  const spec = (command: Command): Command =>
    command
      .option('--spec <file>', 'the spec as JSON; without it names and types are guessed from, and printed')
      .addOption(kind());
  commands
    .local(
      group,
      'make GRAPH ARRAYS...',
      "write the batches of an eval set from numpy's .npy and .npz files",
      'firn eval-set make model.onnx held-out.npz --out eval.safetensors',
      'firn eval-set make model.onnx input_ids.npy labels.npy --out eval.safetensors',
    )
    .requiredOption('--out <file>', 'the safetensors file that is written')
    .addOption(kind())
    .addHelpText(
      'after',
      '\nA .npy file is the tensor of its own name; a .npz file has one for each keyword of numpy.savez. What comes ' +
        'again in\na later file are further rows. Name tensors as the inputs of the graph, and one "labels".',
    )
    .action(
      run(async (graph: string, arrays: string[], options: MakeCommand) =>
        (await import('../eval-set/make.ts')).make(graph, arrays, options, openTerminal(options.json ?? false)),
      ),
    );
  spec(
    commands.local(
      group,
      'check GRAPH BATCHES CHECKPOINT',
      'measure a checkpoint on an eval set without a server, and say how everything is read',
      'firn eval-set check model.onnx eval.safetensors model.safetensors',
    ),
  )
    .option('--memory-mib <n>', 'most memory of the evaluation', '4096')
    .option('--deadline-s <n>', 'longest time of the evaluation', '600')
    .addHelpText(
      'after',
      '\nGRAPH is an ONNX file; BATCHES a safetensors file of inputs and labels; CHECKPOINT a safetensors file, an ' +
        'index of\nshards, or a folder with one of these.',
    )
    .action(
      run(async (graph: string, batches: string, checkpoint: string, options: CheckCommand) =>
        (await import('../eval-set/check.ts')).check(
          { graph, batches, checkpoint },
          options,
          openTerminal(options.json ?? false),
        ),
      ),
    );
  spec(
    commands.hub(
      group,
      'upload REPOSITORY NAME GRAPH BATCHES',
      'upload an eval set; the repository is made if it is not there',
      'firn eval-set upload me/gpt held-out model.onnx eval.safetensors',
      'firn eval-set upload me/gpt held-out model.onnx eval.safetensors --check train@900',
    ),
  )
    .option('--check <run@step>', 'measure this checkpoint of the repository first; refuse the set if that fails')
    .action(
      run(async (repository: string, name: string, graph: string, batches: string, options: UploadCommand) =>
        (await import('../eval-set/upload.ts')).upload({ repository, name, graph, batches }, options),
      ),
    );
  commands
    .hub(group, 'list REPOSITORY', 'the eval sets of a repository', 'firn eval-set list me/gpt')
    .action(
      run(async (name: string, options: HubOptions) => (await import('../eval-set/list.ts')).list(name, options)),
    );
  commands
    .hub(
      group,
      'delete REPOSITORY NAME',
      'delete an eval set that no run measures with any more',
      'firn eval-set delete me/gpt held-out',
      'firn eval-set delete me/gpt held-out --yes',
    )
    .option('--yes', yes)
    .action(
      run(async (repository: string, name: string, options: DeleteCommand) =>
        (await import('../eval-set/delete.ts')).deleteEvalSet(repository, name, options),
      ),
    );
}
