import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageRoot, programPath } from './program-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'firn-program-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('sources find their package, and the programs that were built of them', () => {
  expect(`${packageRoot}/`).toBe(root);
  expect(programPath('cli/demo')).toBe(join(root, 'dist/cli/demo.js'));
});

test('what was built finds the package it lies in, also from a chunk', () => {
  for (const name of ['src/program-files.ts', 'tsconfig.json']) cpSync(join(root, name), join(folder, name));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  mkdirSync(join(folder, 'src/cli'));
  const print = 'console.log(JSON.stringify([packageRoot, programPath("cli/demo")]));';
  const programs = { main: './', 'cli/demo': '../' };
  for (const [name, up] of Object.entries(programs))
    writeFileSync(
      join(folder, 'src', `${name}.ts`),
      `import { packageRoot, programPath } from '${up}program-files.ts';\n${print}\n`,
    );
  const build = spawnSync(process.execPath, [join(root, 'scripts/build-sources.mjs'), folder], { encoding: 'utf8' });
  expect(build).toMatchObject({ status: 0, stderr: '' });
  for (const name of ['main', 'cli/demo'])
    expect(spawnSync(process.execPath, [join(folder, 'dist', `${name}.js`)], { encoding: 'utf8' })).toMatchObject({
      stdout: `${JSON.stringify([folder, join(folder, 'dist/cli/demo.js')])}\n`,
      stderr: '',
    });
});

test('a program without a package says so', () => {
  cpSync(join(root, 'src/program-files.ts'), join(folder, 'program-files.mts'));
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', join(root, 'node_modules/tsx/dist/loader.mjs'), join(folder, 'program-files.mts')],
    { encoding: 'utf8' },
  );
  expect(status).toBe(1);
  expect(stderr).toContain(`No folder above ${join(folder, 'program-files.mts')} has a package.json`);
});
