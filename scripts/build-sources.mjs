// Compiles the changed files of src/ to dist/, and those of the client to dist/client/:
// node scripts/build-sources.mjs [root]
//
// Each file is compiled by itself, which this code base allows (tsconfig.json: erasableSyntaxOnly,
// verbatimModuleSyntax), so a change costs only its own file. Types are not checked: `npm run types` does that. Files
// are replaced one by one through renames, so any number of these may run at once, and a running server never loads
// half a file.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files that only tests and benches import. */
const leftOut = /\.(test|suite|test-support|crash|bench)\.tsx?$/;

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));
const paths = {
  out: join(root, 'dist'),
  options: join(root, 'tsconfig.json'),
  /** The sources of dist/: a digest for each, and one for the compiler and its options. */
  record: join(root, 'dist', 'built.json'),
};
/** Folders of sources, and the folder of dist/ for each. */
const trees = [
  { source: join(root, 'src'), below: '' },
  { source: join(root, 'clients', 'typescript', 'src'), below: 'client/' },
];
/** An import of the client by a file of src/, which lies one folder closer in dist/. */
const clientImport = /(['"])\.\.\/((?:\.\.\/)*)clients\/typescript\/src\//g;

function main() {
  const sources = readSources();
  const compiler = compilerDigest();
  const built = readRecord();
  const isCurrent = ({ name, digest }) =>
    built.compiler === compiler && built.sources[name] === digest && existsSync(join(paths.out, jsName(name)));
  const stale = sources.filter((source) => !isCurrent(source));
  const sameNames = Object.keys(built.sources).length === sources.length;
  if (stale.length === 0 && sameNames) return;
  for (const tree of trees) {
    const ofTree = stale.filter((source) => source.tree === tree);
    if (ofTree.length > 0) compile(tree, ofTree);
  }
  removeOthers(new Set(sources.flatMap(({ name }) => [jsName(name), `${jsName(name)}.map`])));
  replace(
    paths.record,
    JSON.stringify({ compiler, sources: Object.fromEntries(sources.map(({ name, digest }) => [name, digest])) }),
  );
}

function readSources() {
  return trees
    .filter(({ source }) => existsSync(source))
    .flatMap((tree) =>
      readdirSync(tree.source, { recursive: true })
        .filter((name) => /\.tsx?$/.test(name) && !leftOut.test(name))
        .sort()
        .map((name) => {
          const path = join(tree.source, name);
          return { name: tree.below + name, tree, path, digest: digestOf(readFileSync(path)) };
        }),
    );
}

function compilerDigest() {
  const require = createRequire(join(root, 'package.json'));
  const folders = require.resolve.paths('typescript') ?? [];
  if (!folders.some((folder) => existsSync(join(folder, 'typescript'))))
    throw new Error('The package typescript is not installed; run npm ci.');
  const { version } = require('typescript/package.json');
  return digestOf(
    JSON.stringify([
      version,
      readFileSync(paths.options, 'utf8'),
      readFileSync(fileURLToPath(import.meta.url), 'utf8'),
    ]),
  );
}

function digestOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** If the record is absent or damaged, everything is stale. */
function readRecord() {
  try {
    return JSON.parse(readFileSync(paths.record, 'utf8'));
  } catch {
    return { compiler: '', sources: {} };
  }
}

/** Loads the compiler only when needed, because it takes half a second. Imports of the sources are not read. */
function compile(tree, sources) {
  const ts = createRequire(join(root, 'package.json'))('typescript');
  const { compilerOptions } = ts.readConfigFile(paths.options, ts.sys.readFile).config;
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  const alone = { noResolve: true, noLib: true, noCheck: true, types: [] };
  const output = { noEmit: false, sourceMap: true, rootDir: tree.source, outDir: join(paths.out, tree.below) };
  const files = sources.map(({ path }) => path);
  const program = ts.createProgram(files, { ...options, ...alone, ...output });
  const errors = program.getSyntacticDiagnostics();
  if (errors.length > 0) {
    const host = { getCurrentDirectory: () => root, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
    throw new Error(
      `${ts.formatDiagnostics(errors, host)}${relative(root, tree.source)}/ does not compile; the reason is above.`,
    );
  }
  program.emit(undefined, (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    replace(path, text.replace(clientImport, importOfClient));
  });
}

function importOfClient(_, quote, up) {
  return `${quote}${up === '' ? './' : up}client/`;
}

/** Replaces a file atomically: a reader gets the old one or the new one. */
function replace(path, text) {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, text);
  renameSync(fresh, path);
}

/** Removes the output of deleted sources. Files that another process is just writing end in its number. */
function removeOthers(names) {
  for (const name of readdirSync(paths.out, { recursive: true })) {
    if (/\.js(\.map)?$/.test(name) && !names.has(name)) rmSync(join(paths.out, name), { force: true });
  }
}

function jsName(name) {
  return name.replace(/\.tsx?$/, '.js');
}

try {
  main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
