import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shells } from './completion.ts';
import { runFirn } from './run-firn.test-support.ts';

const scriptOf = async (shell: string): Promise<string> => (await runFirn('completion', shell)).said.join('\n');
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

/** What bash offers for the last word of a line. */
async function offers(...words: string[]): Promise<string[]> {
  const call = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _firn; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `${await scriptOf('bash')}\n${call}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', 'firn', ...words], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((word) => word !== '');
}

test.each(shells)('%s reads the script without a complaint', async (shell) => {
  if (!has(shell)) return console.warn(`completion.test.ts: there is no ${shell}; its script is not read.`);
  const folder = mkdtempSync(join(tmpdir(), 'firn-completion-'));
  try {
    writeFileSync(join(folder, 'script'), await scriptOf(shell));
    const { status, stderr } = spawnSync(shell, ['-n', join(folder, 'script')], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.skipIf(!has('bash')).each<[string[], string[]]>([
  [['pu'], ['pull', 'push']],
  [['runs', 'f'], ['fork']],
  [['runs', 'fork', 'me/gpt/train@9', 'next', '--eval'], ['--eval-set']],
  [
    ['pull', 'me/gpt/train', '--dtype', ''],
    ['f32', 'f16', 'bf16'],
  ],
  [['repos', 'visibility', 'me/gpt', 'pu'], ['public']],
  [['completion', 'b'], ['bash']],
  [['push', 'me/gpt/train', './som'], []],
])('bash completes firn %j with %j', async (words, offered) => {
  expect((await offers(...words)).sort()).toEqual([...offered].sort());
});

test.skipIf(!has('fish')).each<[string, string[]]>([
  ['firn runs f', ['fork']],
  ['firn pull me/gpt/train --dtype f1', ['f16']],
])('fish completes %s with %j', async (line, offered) => {
  const call = `complete -C '${line}'`;
  const { status, stdout } = spawnSync('fish', ['--no-config', '-c', `${await scriptOf('fish')}\n${call}`], {
    encoding: 'utf8',
  });
  const words = stdout
    .split('\n')
    .map((row) => row.split('\t')[0]!)
    .filter((word) => word !== '');
  expect([status, words]).toEqual([0, offered]);
});
