import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { basename, isAbsolute } from 'node:path';

/** What a reader needs to repeat a bench: the command line, the commit at this moment, the machine. Of absolute paths the last part stands for all. Markdown. */
export function describeRun(script: string, args: readonly string[]): string {
  const words = args.map((arg) => (isAbsolute(arg) ? `<${basename(arg)}>` : /^[\w./,=:-]+$/.test(arg) ? arg : `'${arg}'`));
  const cores = cpus();
  return `\`npm run ${script} -- ${words.join(' ')}\` at commit ${commit()}, ${cores.length} cores (${cores[0]?.model.trim() ?? 'unknown'}), Node ${process.version}.`;
}

function commit(): string {
  try {
    const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    // What a bench writes into the documents does not count.
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', ':/', ':(exclude,top)docs') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}
