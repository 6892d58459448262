import type { Command, Option } from 'commander';

/** Shells that are completed. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** What may follow a command. */
interface Place {
  /** Names of the command and those it belongs to, such as `runs fork`; empty for `firn` itself. */
  readonly path: string;
  readonly commands: readonly (readonly [name: string, description: string])[];
  readonly options: readonly (readonly [flag: string, description: string])[];
  /** Values of options and arguments that are one of a few. */
  readonly choices: readonly (readonly [flag: string, values: readonly string[]])[];
  readonly argumentChoices: readonly string[];
}

/** The script that makes a shell complete `firn`, from the tree of commands. */
export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, []);
  return shell === 'bash' ? bashScript(places) : shell === 'zsh' ? zshScript(places) : fishScript(places);
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const visible = command.createHelp();
  const options = visible.visibleOptions(command);
  const flagOf = ({ long, short }: Option): string => long ?? short ?? '';
  return [
    {
      path: path.join(' '),
      commands: visible.visibleCommands(command).map((each) => [each.name(), each.description()] as const),
      options: options.map((option) => [flagOf(option), option.description] as const),
      choices: options.flatMap((option) =>
        option.argChoices === undefined ? [] : [[flagOf(option), option.argChoices] as const],
      ),
      argumentChoices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    },
    ...command.commands.flatMap((each) => placesOf(each, [...path, each.name()])),
  ];
}

/** The words that may stand at a place. */
function wordsAt({ commands, options, argumentChoices }: Place): string {
  return [...commands.map(([name]) => name), ...argumentChoices, ...options.map(([flag]) => flag)].join(' ');
}

/**
 * The part that bash and zsh share: `at` becomes the command that the words name, `found` what may stand there. (`path`
 * and `words` are special to zsh.)
 */
function findWords(places: readonly Place[], wordsSoFar: string): string {
  const named = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const byCommand = places.map((place) => `    '${place.path}') found='${wordsAt(place)}' ;;`);
  const byOption = places.flatMap(({ path, choices }) =>
    choices.map(([flag, values]) => `    '${path} ${flag}') found='${values.join(' ')}' ;;`),
  );
  return `  for word in ${wordsSoFar}; do
    case "\${at:+$at }$word" in
      ${named.join('|')}) at="\${at:+$at }$word" ;;
      *) break ;;
    esac
  done
  case "$at" in
${byCommand.join('\n')}
  esac
  case "$at $before" in
${byOption.join('\n')}
  esac`;
}

/** Where no word of ours fits, the shell completes files. */
function bashScript(places: readonly Place[]): string {
  return `_firn() {
  local at='' word found='' before="\${COMP_WORDS[COMP_CWORD-1]}"
${findWords(places, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"')}
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _firn firn`;
}

function zshScript(places: readonly Place[]): string {
  return `#compdef firn
_firn() {
  local at='' word found='' before="\${words[CURRENT-1]}"
${findWords(places, '"${(@)words[2,CURRENT-1]}"')}
  compadd -- \${=found} || _files
}
compdef _firn firn`;
}

function fishScript(places: readonly Place[]): string {
  const quote = (text: string): string => `'${text.replace(/[\\']/g, (char) => `\\${char}`)}'`;
  const lines = places.flatMap(({ path, commands, options, choices, argumentChoices }) => {
    const at = `complete -c firn -n ${quote(`__firn_at ${path}`.trim())}`;
    const valuesOf = new Map(choices);
    return [
      ...commands.map(([name, words]) => `${at} -f -a ${name} -d ${quote(words)}`),
      ...(argumentChoices.length > 0 ? [`${at} -f -a ${quote(argumentChoices.join(' '))}`] : []),
      ...options.map(([flag, words]) => {
        const values = valuesOf.get(flag);
        const name = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
        return `${at} ${name}${values === undefined ? '' : ` -x -a ${quote(values.join(' '))}`} -d ${quote(words)}`;
      }),
    ];
  });
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  return `# fish completion of firn
function __firn_at
  set -l path
  for word in (commandline -opc)[2..-1]
    contains -- (string join ' ' $path $word) ${paths.join(' ')}; or break
    set -a path $word
  end
  test "$path" = "$argv"
end
${lines.join('\n')}`;
}
