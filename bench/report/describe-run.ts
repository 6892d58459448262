import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { basename, isAbsolute } from 'node:path';

/** Columns of a line of a command, minus the backslash. */
const commandColumns = 96;

/**
 * The facts for repeating a bench: the command line, the current commit, the machine. Absolute paths are cut to their
 * last part. Markdown.
 */
export function describeRun(script: string, args: readonly string[]): string {
  const words = args.map((arg) =>
    isAbsolute(arg) ? `<${basename(arg)}>` : /^[\w./,=:-]+$/.test(arg) ? arg : `'${arg}'`,
  );
  const cores = cpus();
  const command = fold(['npm', 'run', script, '--', ...words]);
  return (
    `\`\`\`sh\n${command}\n\`\`\`\n\nAt commit ${commit()}, ${cores.length} cores ` +
    `(${cores[0]?.model.trim() ?? 'unknown'}), Node ${process.version}.`
  );
}

/** Splits a command into several lines that a shell reads as one. */
function fold(words: readonly string[]): string {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (`${last} ${word}`.length <= commandColumns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines.join(' \\\n');
}

function commit(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    // Changes that benches write into the documents do not count.
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', ':/', ':(exclude,top)docs') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}
