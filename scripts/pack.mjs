// Makes the packages for npm: firn-hub, its native core prebuilt for this machine, and the TypeScript client:
// node scripts/pack.mjs [FOLDER]
// Prints one path per line, in that order. The default folder is build/packages; `npm install` of a server takes the
// first two files at once.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const usage = 'node scripts/pack.mjs [FOLDER]';
if (process.argv.length > 3 || process.argv[2]?.startsWith('-')) {
  console.error(usage);
  process.exit(1);
}
const root = fileURLToPath(new URL('../', import.meta.url));
const out = resolve(process.argv[2] ?? join(root, 'build', 'packages'));
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] });
const { prebuiltPackageName } = await import('../dist/native/find-addon.js');
mkdirSync(out, { recursive: true });
pack(root);
for (const staged of [stageCore(prebuiltPackageName()), stageClient()]) {
  pack(staged);
  rmSync(staged, { recursive: true });
}

/** A folder with the package of the native core, and nothing else. */
function stageCore(name) {
  const folder = emptyFolder('core');
  copyFileSync(join(root, 'build', 'Release', 'firn_core.node'), join(folder, 'firn_core.node'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const machine = `${process.platform} on ${process.arch}`;
  writeFileSync(
    join(folder, 'README.md'),
    `# ${name}\n\nThe native core of firn-hub ${version}, compiled for ${machine}. firn-hub loads it by itself.\n`,
  );
  const library = { gnu: 'glibc', musl: 'musl' }[name.split('-').at(-1)];
  const manifest = {
    name,
    version,
    description: `The native core of firn-hub for ${machine}`,
    license,
    os: [process.platform],
    cpu: [process.arch],
    ...(library && { libc: [library] }),
    main: 'firn_core.node',
    files: ['firn_core.node'],
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  return folder;
}

/** A folder with the package of the TypeScript client, compiled, and nothing else. */
function stageClient() {
  const folder = emptyFolder('client');
  const client = join(root, 'clients', 'typescript');
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['-p', join(client, 'tsconfig.json'), '--outDir', join(folder, 'dist')];
  execFileSync(process.execPath, [compiler, ...options], { stdio: ['ignore', 2, 2] });
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(client, 'README.md'), join(folder, 'README.md'));
  const manifest = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  // They need a clone.
  delete manifest.scripts;
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  return folder;
}

function emptyFolder(name) {
  const folder = join(out, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  return folder;
}

/** Everything is built already, so no script has to run. */
function pack(folder) {
  const text = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  });
  const packed = JSON.parse(text);
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed);
  process.stdout.write(`${join(out, filename)}\n`);
}
