// Builds build/Release/firn_core.node if it is missing or was built from other sources: node scripts/build-native.mjs
// [root]
//
// Runs before start, demo and test, so it needs only Node, and prints nothing if there is nothing to do. A build
// reports its start, progress and end on stderr; a missing requirement is named in one sentence (exit code 1). Any
// number may run at once: one builds, the others wait.
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const cmakeVersionMin = [3, 25];
/** Interval at which a waiting process checks again, and a building one refreshes its lock. */
const lockPollMs = 200;
const lockBeatMs = 5_000;
/** A process that waits longer than this for another build reports it. */
const lockSilentMs = 2_000;
/** A lock not refreshed for this long belongs to a killed process. */
const lockStaleMs = 60_000;
/** Longest wait for another build, which takes a minute at most on two processors. */
const lockWaitMsMax = 900_000;
/** Time of a build on one processor, measured on a server of 2023; its steps run in parallel. */
const buildProcessorSeconds = 50;
/** Interval of progress reports if lines cannot be overwritten. */
const progressMs = 10_000;

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));
const paths = {
  source: join(root, 'native'),
  buildDir: join(root, 'build', 'addon'),
  addon: join(root, 'build', 'Release', 'firn_core.node'),
  fingerprint: join(root, 'build', 'Release', 'firn_core.fingerprint'),
  lock: join(root, 'build', 'addon.lock'),
};
/** Sources of the addon, without tests, fuzz targets and benches; and of libfirn (c), which a package leaves out. */
const sourceFolders = ['CMakeLists.txt', 'package.json', 'cmake', 'include', 'src', 'binding', 'c'].filter((name) =>
  existsSync(join(paths.source, name)),
);
const buildPackages = ['cmake-js', 'node-addon-api', 'node-api-headers'];

/** A failure whose message is all that the user needs. */
class BuildError extends Error {}

async function main() {
  if (isCurrent(fingerprint())) return;
  const release = await takeLock();
  try {
    const sources = fingerprint();
    if (!isCurrent(sources)) await build(sources);
  } finally {
    release();
  }
}

function isCurrent(sources) {
  return (
    existsSync(paths.addon) && existsSync(paths.fingerprint) && readFileSync(paths.fingerprint, 'utf8') === sources
  );
}

/**
 * Hashes contents, not times: a checkout or a copy changes times without changing the sources, and a deleted file has
 * none.
 */
function fingerprint() {
  const hash = createHash('sha256').update(JSON.stringify([process.platform, process.arch, process.env.CXX ?? '']));
  const files = sourceFolders.flatMap((name) => filesUnder(join(paths.source, name)));
  for (const name of buildPackages) {
    const manifest = join(packageFolder(name), 'package.json');
    if (!existsSync(manifest)) throw new BuildError(`The package ${name} is not installed; run npm ci.`);
    files.push(manifest);
  }
  for (const file of files)
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/** Below a clone, or beside a package that npm has installed. */
function packageFolder(name) {
  const folders = createRequire(join(root, 'package.json')).resolve.paths(name) ?? [];
  const found = folders.find((folder) => existsSync(join(folder, name, 'package.json')));
  return join(found ?? join(root, 'node_modules'), name);
}

function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}

async function build(sources) {
  await requireCmake();
  const compiler = await findCompiler();
  requireGenerator();
  const settings = ['--CDFIRN_BUILD_ADDON=ON', '--CDFIRN_BUILD_TESTS=OFF', `--CDCMAKE_CXX_COMPILER=${compiler}`];
  const cmakeJs = [
    join(packageFolder('cmake-js'), 'bin', 'cmake-js'),
    'compile',
    '--directory',
    paths.source,
    '--out',
    paths.buildDir,
  ];
  const processors = availableParallelism();
  const progress = new Progress();
  const compile = () =>
    run(process.execPath, [...cmakeJs, ...settings, '--parallel', String(processors)], '', (text) =>
      progress.read(text),
    );
  progress.start(Math.ceil(buildProcessorSeconds / processors));
  let result = await compile();
  if (result.code !== 0) {
    // Usually a cache from another folder or another compiler; it can be deleted.
    rmSync(paths.buildDir, { recursive: true, force: true });
    result = await compile();
  }
  progress.end(result.code === 0);
  if (result.code !== 0) {
    process.stderr.write(result.output);
    throw new BuildError('The native core did not build; the output of the compiler is above.');
  }
  publish(sources);
}

/** Replaces the addon atomically: a process that loads it meanwhile gets the old one or the new one. */
function publish(sources) {
  mkdirSync(dirname(paths.addon), { recursive: true });
  const fresh = `${paths.addon}.new`;
  copyFileSync(join(paths.buildDir, 'Release', 'firn_core.node'), fresh);
  renameSync(fresh, paths.addon);
  writeFileSync(paths.fingerprint, sources);
}

/**
 * Reports the progress of a build on stderr: in one line that changes on a terminal, else in a line every ten seconds.
 */
class Progress {
  #startedMs = performance.now();
  #step = '[configuring]';
  #timer;

  start(secondsExpected) {
    process.stderr.write(
      `Building the native core, once for each change of it: about ${secondsExpected} s when this machine does ` +
        'nothing else.\n',
    );
    if (!process.stderr.isTTY)
      this.#timer = setInterval(
        () => process.stderr.write(`Native core: ${this.#step} after ${this.#seconds()} s.\n`),
        progressMs,
      );
  }

  /** `text` is new output of Ninja ("[12/40] ...") or make ("[ 30%] ..."). */
  read(text) {
    const step = text.match(/^\[ *\d+(?:\/\d+|%)\]/gm)?.at(-1);
    if (step === undefined || step === this.#step) return;
    this.#step = step;
    if (process.stderr.isTTY) process.stderr.write(`\r${step} `);
  }

  end(isBuilt) {
    clearInterval(this.#timer);
    if (process.stderr.isTTY) process.stderr.write('\r');
    if (isBuilt) process.stderr.write(`The native core is built: ${this.#seconds()} s.\n`);
  }

  #seconds() {
    return Math.round((performance.now() - this.#startedMs) / 1000);
  }
}

async function requireCmake() {
  const needed = `CMake ${cmakeVersionMin.join('.')} or newer is needed to build the native core`;
  const { code, output } = await run('cmake', ['--version']);
  const version = /version (\d+)\.(\d+)/.exec(output);
  if (code !== 0 || !version)
    throw new BuildError(`${needed}; install it (for instance: apt-get install cmake) and run this again.`);
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < cmakeVersionMin[0] || (major === cmakeVersionMin[0] && minor < cmakeVersionMin[1])) {
    throw new BuildError(`${needed}, but this is ${major}.${minor}.`);
  }
}

async function findCompiler() {
  const program = '#include <bit>\n#include <span>\nint main() { return std::popcount(1u) - 1; }\n';
  const candidates = process.env.CXX ? [process.env.CXX] : ['c++', 'g++', 'clang++'];
  for (const candidate of candidates) {
    const { code } = await run(candidate, ['-std=c++20', '-fsyntax-only', '-x', 'c++', '-'], program);
    if (code === 0) return candidate;
  }
  const tried = candidates.join(', ');
  throw new BuildError(
    `A C++20 compiler is needed to build the native core (tried ${tried}); install one (for instance: ` +
      'apt-get install g++) and run this again.',
  );
}

function requireGenerator() {
  if (isOnPath('ninja') || isOnPath('make')) return;
  throw new BuildError(
    'Ninja or make is needed to build the native core; install one (for instance: apt-get install make) and run ' +
      'this again.',
  );
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, program)));
}

/** Runs a program to its end and passes its output on; a program that cannot be started has code -1. */
function run(program, args, input = '', onOutput = () => {}) {
  return new Promise((settle) => {
    const child = spawn(program, args, { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk) => {
      output += chunk;
      onOutput(String(chunk));
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.stdin.on('error', () => {});
    child.on('error', (error) => settle({ code: -1, output: String(error) }));
    child.on('close', (code) => settle({ code: code ?? -1, output }));
    child.stdin.end(input);
  });
}

/** Waits for the lock; returns a function that releases it. */
async function takeLock() {
  mkdirSync(dirname(paths.lock), { recursive: true });
  const mine = `${process.pid} ${randomUUID()}`;
  const startedMs = Date.now();
  let saidWaiting = false;
  for (; Date.now() - startedMs < lockWaitMsMax; await delay(lockPollMs)) {
    try {
      writeFileSync(paths.lock, mine, { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      removeStaleLock();
      if (!saidWaiting && Date.now() - startedMs > lockSilentMs) {
        saidWaiting = true;
        process.stderr.write('Another process builds the native core; this one waits for it.\n');
      }
      continue;
    }
    const beat = setInterval(() => utimesSync(paths.lock, new Date(), new Date()), lockBeatMs);
    return () => {
      clearInterval(beat);
      rmSync(paths.lock, { force: true });
    };
  }
  throw new BuildError(
    `Another build of the native core holds ${paths.lock}; wait for it, or delete that file if there is none.`,
  );
}

function removeStaleLock() {
  const aside = `${paths.lock}.${process.pid}`;
  try {
    const owner = readFileSync(paths.lock, 'utf8');
    if (isAlive(Number.parseInt(owner, 10)) && Date.now() - statSync(paths.lock).mtimeMs < lockStaleMs) return;
    renameSync(paths.lock, aside);
    // Between reading and renaming, another process may have removed it and taken the lock: give that lock back.
    if (readFileSync(aside, 'utf8') !== owner) linkSync(aside, paths.lock);
    rmSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
    rmSync(aside, { force: true });
  }
}

function isAlive(pid) {
  // Empty if its owner has created the file but not yet written it.
  if (!Number.isInteger(pid)) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

main().catch((error) => {
  process.stderr.write(`${error instanceof BuildError ? error.message : error.stack}\n`);
  process.exitCode = 1;
});
