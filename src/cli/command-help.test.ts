import { expect, test } from 'vitest';
import { commandHelp } from './command-help.ts';

test.each([
  ['unpack', ['--out FOLDER', '--package ID', 'ancestors']],
  ['token', ['firn token create', 'firn token list', 'firn token revoke', '--expires', 'GRANT is']],
  ['scrub', ['--repository', '--mib-per-s']],
  ['verify', ['Exits with 1']],
  ['gc', ['--dry-run', '--grace', '--force']],
])('firn %s --help names %j', (command, named) => {
  for (const args of [['--help'], ['-h'], ['create', '--help']]) {
    const help = commandHelp(command, args)!;
    expect(help).toMatch(/^Usage:/);
    for (const word of named) expect(help).toContain(word);
  }
});

test('no help where none is asked for, or for what is no command', () => {
  expect(commandHelp('token', ['list'])).toBeUndefined();
  expect(commandHelp('constructor', ['--help'])).toBeUndefined();
});
