// Bundles src/ and the client that it uses into dist/: node scripts/build-sources.mjs [root]
//
// Each program is one file there, and what several of them need is in chunks. Node takes more than a millisecond to
// find and load a file, and there are a thousand of them in src/ (docs/decisions/0063-bundled.md). Types are not
// checked: `npm run types` does that. Files are replaced one by one through renames, chunks before the programs that
// load them, so any number of these may run at once, and a process that starts never loads half a build.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is started by its path, or loaded by a script. Each keeps its place: src/cli/demo.ts is dist/cli/demo.js. */
const entries = [
  'main.ts',
  'cli/demo.ts',
  'cli/demo/re-evaluate.ts',
  'evaluate/child/evaluation-process.ts',
  'native/find-addon.ts',
];
/** A process that is just starting may still load a chunk of the build before. */
const oldChunksStayMs = 60 * 60 * 1000;

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));
const source = join(root, 'src');
const out = join(root, 'dist');

async function main() {
  const { build, formatMessages } = loadEsbuild();
  const result = await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => join(source, entry)).filter((path) => existsSync(path)),
    outbase: source,
    outdir: out,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Packages stay where npm installs them.
    packages: 'external',
    sourcemap: true,
    logLevel: 'silent',
    write: false,
  }).catch(async ({ errors }) => {
    const messages = await formatMessages(errors, { kind: 'error' });
    throw new Error(`${messages.join('')}src/ does not compile; the reason is above.`);
  });
  const files = result.outputFiles;
  const isChunk = ({ path }) => path.startsWith(join(out, 'chunks'));
  for (const file of [...files.filter(isChunk), ...files.filter((file) => !isChunk(file))]) replace(file);
  removeOthers(new Set(files.map(({ path }) => relative(out, path))));
}

function loadEsbuild() {
  const require = createRequire(join(root, 'package.json'));
  const folders = require.resolve.paths('esbuild') ?? [];
  if (!folders.some((folder) => existsSync(join(folder, 'esbuild'))))
    throw new Error('The package esbuild is not installed; run npm ci.');
  return require('esbuild');
}

/** Replaces a file atomically: a reader gets the old one or the new one. One that would not change is left alone. */
function replace({ path, contents }) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, contents);
  renameSync(fresh, path);
}

/** Removes what no program of this build loads. Files that another process is just writing end in its number. */
function removeOthers(names) {
  for (const name of readdirSync(out, { recursive: true })) {
    if (!/\.js(\.map)?$/.test(name) || names.has(name)) continue;
    const path = join(out, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > oldChunksStayMs || !name.startsWith('chunks')) rmSync(path, { force: true });
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
