import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { exitCodeMeanings } from '../exit-code.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { buildProgram } from './build-program.ts';
import { makeCommands } from './commands.ts';
import { runFirn } from './run-firn.test-support.ts';

const program = buildProgram(
  makeCommands(openTerminal, () => undefined),
  () => Promise.resolve(),
);
const below = (command: Command, path: string[] = []): [string, Command][] =>
  command.commands.flatMap((each): [string, Command][] => {
    const at = [...path, each.name()];
    return [[at.join(' '), each], ...below(each, at)];
  });
const isGroup = ([, { commands }]: [string, Command]): boolean => commands.length > 0;
const leaves = below(program).filter((each) => !isGroup(each));
const groups = below(program).filter(isGroup);

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

test.each(leaves)('firn %s --help has examples, the exit codes, --json and --version', (name, command) => {
  const help = helpOf(command);
  expect(help).toMatch(new RegExp(`^Usage: firn ${name} `));
  expect(help).toMatch(name === 'completion' ? /firn completion bash/ : new RegExp(`\nExamples:\n +firn ${name}`));
  for (const [code, meaning] of exitCodeMeanings) expect(help).toContain(`${code} ${meaning}`);
  expect(help).toContain('--json');
  expect(help).toContain('--version');
});

test.each(groups)('firn %s --help has examples of its commands, with options that they have', (name, group) => {
  const examples = helpOf(group).match(/(?<=\nExamples:\n)(?: +firn .*\n)+/)?.[0] ?? '';
  const lines = examples.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThanOrEqual(3);
  for (const line of lines) {
    const [firn, first, second, ...more] = line.trim().split(' ');
    expect([firn, first]).toEqual(['firn', name]);
    const flags = group.commands.find((each) => each.name() === second)?.options.map(({ long }) => long);
    expect(flags, line).toEqual(expect.arrayContaining(more.filter((word) => word.startsWith('--'))));
  }
});

test.each(['serve', 'work'])('firn %s --help says that firn alone needs no database server', (name) => {
  const [, command] = leaves.find(([each]) => each === name)!;
  expect(helpOf(command)).toMatch(/FIRN_DATABASE_URL[^]*On one machine none is needed: firn\nwithout a command/);
});

test('firn log --help says why sums of two runs of one repository cannot be compared', () => {
  const [, command] = leaves.find(([each]) => each === 'log')!;
  expect(helpOf(command)).toMatch(/counts for the run that\nwas first[^]*a repository of its own/);
});

test('the guide has the same exit codes', () => {
  const guide = readFileSync(new URL('../../../docs/guide/cli.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
  expect(rows).toEqual(exitCodeMeanings.map((row) => [...row]));
});

test.each<[string[], RegExp]>([
  [['nonsense'], /^firn: there is no command "nonsense"; firn --help lists them\.$/],
  [['psuh'], /^firn: there is no command "psuh"; perhaps push; firn --help/],
  [['runs'], /^firn runs: a command is missing; write one of list, create, edit, fork/],
  [['runs', 'frok'], /^firn runs: there is no command "frok"; perhaps fork; write/],
  [['ls', '--al'], /^firn ls: unknown option '--al'.* \(firn ls --help says how\)$/s],
  [['pull', 'a/b/c', '--dtype', 'f64'], /^firn pull: option '--dtype <dtype>' argument 'f64' is invalid/],
  [['push', 'a/b/c'], /^firn push: missing required argument 'PATH'/],
  [['serve', 'twice'], /^firn serve: too many arguments/],
  [['cancel', 'a/b/c'], /^firn cancel: a\/b\/c: say which step, such as a\/b\/c@900\.$/],
  [['repos', 'delete', 'a/b/c'], /^firn repos delete: a\/b\/c is a run: write the repository, a\/b\.$/],
  [['repos', 'delete', 'a/b'], /^firn repos delete: Nobody can be asked whether a\/b is to go: say --yes\.$/],
  [['eval-set', 'delete', 'a/b', 'c'], /^firn eval-set delete: Nobody can be asked whether a\/b c is to go: say/],
  [['webhook', 'delete', '0011'], /^firn webhook delete: Nobody can be asked whether 0011 is to go: say --yes\.$/],
  [
    ['log', 'a/b/c@9'],
    /^firn log: a\/b\/c@9 is one checkpoint: firn show a\/b\/c@9 shows it, firn log a\/b\/c its run\.$/,
  ],
  [['runs', 'delete', 'a/b/c'], /^firn runs delete: Nobody can be asked whether a\/b\/c is to go: say --yes\.$/],
])('%j is refused in one sentence', async (args, sentence) => {
  const { code, said, complained } = await runFirn(...args);
  expect([code, said, complained]).toEqual([1, [], [expect.stringMatching(sentence)]]);
});

test.each<[string[], Record<string, unknown>]>([
  [['psuh', '--json'], { code: 'usage', command: 'firn', message: 'there is no command "psuh"; perhaps push' }],
  [['runs', 'frok', '--json'], { command: 'firn runs', message: 'there is no command "frok"; perhaps fork' }],
  [
    ['push', 'a/b/c', '--json'],
    {
      code: 'usage',
      command: 'firn push',
      message: "missing required argument 'PATH'",
      advice: 'firn push --help says how',
    },
  ],
  [['ls', '--json', '--al'], { code: 'usage', command: 'firn ls' }],
  [['cancel', 'a/b/c', '--json'], { code: 'failed', message: 'a/b/c: say which step, such as a/b/c@900.' }],
])('with --json what is wrong is one JSON object on standard error: %j', async (args, expected) => {
  const { code, said, complained } = await runFirn(...args);
  expect([code, said, complained.length]).toEqual([1, [], 1]);
  expect(JSON.parse(complained[0]!)).toEqual({ error: expect.objectContaining(expected) });
});

test('--json after -- is an argument, and asks for nothing', async () => {
  const { complained } = await runFirn('cancel', '--', '--json');
  expect(complained).toEqual([expect.stringMatching(/^firn cancel: /)]);
});
