import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const script = join(repository, 'scripts', 'build-native.mjs');

let root: string;
let addon: string;

/** A native core of one small file instead of the real one, which takes a minute. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'firn-build-'));
  addon = join(root, 'build', 'Release', 'firn_core.node');
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  for (const folder of ['cmake', 'include', 'src', 'binding'])
    mkdirSync(join(root, 'native', folder), { recursive: true });
  writeFileSync(
    join(root, 'native', 'package.json'),
    JSON.stringify({ name: 'small', binary: { napi_versions: [8] } }),
  );
  writeFileSync(
    join(root, 'native', 'CMakeLists.txt'),
    `
    cmake_minimum_required(VERSION 3.25)
    project(small LANGUAGES CXX)
    add_library(firn_addon MODULE binding/small.cc)
    set_target_properties(firn_addon PROPERTIES PREFIX "" OUTPUT_NAME firn_core SUFFIX ".node")`,
  );
  writeSource('one');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function writeSource(text: string): void {
  writeFileSync(
    join(root, 'native', 'binding', 'small.cc'),
    `extern "C" const char* firn_text() { return "text ${text}"; }\n`,
  );
}

function buildNative(env: NodeJS.ProcessEnv = {}, folder = root): Promise<{ code: number | null; output: string }> {
  return new Promise((settle) => {
    const child = spawn(process.execPath, [script, folder], { env: { ...process.env, ...env } });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('close', (code) => settle({ code, output }));
  });
}

const silent = { code: 0, output: '' };
/**
 * The output of a build if stderr is no terminal. Messages about waiting for another build, and about progress every
 * ten seconds, may come in between.
 */
const built = {
  code: 0,
  output: expect.stringMatching(
    new RegExp(
      [
        /^Building the native core, once for each change of it: about \d+ s when this machine does nothing else\.\n/,
        /(?:Native core: \[[^\]]+\] after \d+ s\.\n)*/,
        /The native core is built: \d+ s\.\n$/,
      ]
        .map(({ source }) => source)
        .join(''),
    ),
  ) as string,
};

/** A folder for PATH with only these programs. */
function pathWith(...programs: string[]): string {
  const folder = join(root, 'path');
  mkdirSync(folder);
  for (const program of programs) {
    const found = process.env
      .PATH!.split(delimiter)
      .map((entry) => join(entry, program))
      .find((path) => existsSync(path));
    symlinkSync(found!, join(folder, program));
  }
  return folder;
}

describe('build-native', () => {
  it('builds once, and again when a source changes in content', async () => {
    expect(await buildNative()).toEqual(built);
    expect(readFileSync(addon, 'latin1')).toContain('text one');
    const builtMs = statSync(addon).mtimeMs;
    writeSource('one');
    expect(await buildNative()).toEqual(silent);
    expect(statSync(addon).mtimeMs).toBe(builtMs);
    writeSource('two');
    expect(await buildNative()).toEqual(built);
    expect(readFileSync(addon, 'latin1')).toContain('text two');
  });

  it('builds in a package that npm has installed, with its sibling packages', async () => {
    const inside = join(root, 'node_modules.elsewhere', 'firn-hub');
    cpSync(join(root, 'native'), join(inside, 'native'), { recursive: true });
    for (const name of ['cmake-js', 'node-addon-api', 'node-api-headers'])
      symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules.elsewhere', name));
    rmSync(join(root, 'node_modules'));
    renameSync(join(root, 'node_modules.elsewhere'), join(root, 'node_modules'));
    const installed = join(root, 'node_modules', 'firn-hub');
    expect((await buildNative({}, installed)).code).toBe(0);
    expect(readFileSync(join(installed, 'build', 'Release', 'firn_core.node'), 'latin1')).toContain('text one');
  });

  it('lets several start at once, also over the lock of a killed one', async () => {
    mkdirSync(join(root, 'build'));
    // Larger than the largest process number.
    writeFileSync(join(root, 'build', 'addon.lock'), '99999999 killed');
    const outcomes = await Promise.all([buildNative(), buildNative(), buildNative()]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(outcomes.filter(({ output }) => output.startsWith('Building the native core'))).toHaveLength(1);
    for (const { output } of outcomes)
      expect(['', built.output, 'Another process builds the native core; this one waits for it.\n']).toContainEqual(
        output,
      );
    expect(readFileSync(addon, 'latin1')).toContain('text one');
    expect(readdirSync(join(root, 'build')).sort()).toEqual(['Release', 'addon']);
  });

  it('shows the compiler output when a source does not compile, and retains the previous build', async () => {
    await buildNative();
    writeFileSync(join(root, 'native', 'binding', 'small.cc'), 'int broken = "text";\n');
    const { code, output } = await buildNative();
    expect(code).toBe(1);
    expect(output).toContain('small.cc:1');
    expect(output).not.toContain('is built');
    expect(output).toMatch(/The native core did not build; the output of the compiler is above\.\n$/);
    expect(readFileSync(addon, 'latin1')).toContain('text one');
    writeSource('three');
    expect(await buildNative()).toEqual(built);
  });

  it('recovers from a build folder that came from somewhere else', async () => {
    await buildNative();
    const cache = join(root, 'build', 'addon', 'CMakeCache.txt');
    writeFileSync(cache, readFileSync(cache, 'utf8').replaceAll(root, '/somewhere/else'));
    writeSource('four');
    expect(await buildNative()).toEqual(built);
    expect(readFileSync(addon, 'latin1')).toContain('text four');
  });

  it.each([
    [
      'CMake 3.25 or newer is needed to build the native core; install it (for instance: apt-get ' +
        'install cmake) and run this again.',
      [],
    ],
    [
      'A C++20 compiler is needed to build the native core (tried c++, g++, clang++); install one (for ' +
        'instance: apt-get install g++) and run this again.',
      ['cmake'],
    ],
  ])('names what is missing: %s', async (sentence, programs) => {
    expect(await buildNative({ PATH: pathWith(...programs), CXX: '' })).toEqual({ code: 1, output: `${sentence}\n` });
    expect(existsSync(join(root, 'build', 'addon.lock'))).toBe(false);
  });

  it('asks for the packages when they are not installed', async () => {
    rmSync(join(root, 'node_modules'));
    expect(await buildNative()).toEqual({ code: 1, output: 'The package cmake-js is not installed; run npm ci.\n' });
  });
});
