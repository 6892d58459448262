import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Packing takes seconds; a busy machine takes longer. In ms. */
const installDeadlineMs = 400_000;
const run = promisify(execFile);
/** No variables of the test runner, of npm around it, or of the developer. */
const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(FIRN_|npm_|NODE_|VITEST)/.test(key)));

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-client-package-'));
  const { stdout } = await run(process.execPath, [join(root, 'scripts', 'pack.mjs'), join(folder, 'packages')], {
    env,
  });
  const client = stdout.split('\n').find((path) => basename(path).startsWith('firn-hub-client-'))!;
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', client], { cwd: folder, env });
}, installDeadlineMs);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the package of the client holds JavaScript and types, and goes with the hub of its version', async () => {
  const installed = join(folder, 'node_modules', 'firn-hub-client');
  const manifest = manifestIn(installed);
  const hub = manifestIn(root);
  expect(manifest).toMatchObject({ version: hub.version, license: hub.license });
  expect(manifest).not.toHaveProperty('private');
  expect(manifest.dependencies['openapi-fetch']).toBe(hub.dependencies['openapi-fetch']);
  const entries = await readdir(installed, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !/(\.js|\.d\.ts)$/.test(entry.name));
  expect(files.map(({ name }) => name).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(entries.filter(({ name }) => name.includes('.test.'))).toEqual([]);
});

test('the Python packages have the version of the hub, too', () => {
  const { version } = manifestIn(root);
  for (const client of ['python', 'python-api']) {
    const project = readFileSync(join(root, 'clients', client, 'pyproject.toml'), 'utf8');
    expect(/^version = "(.*)"$/m.exec(project)?.[1], client).toBe(version);
  }
});

test('a program in JavaScript asks a hub through it', async () => {
  const repository = { namespace: 'me', name: 'tiny-gpt', visibility: 'private' };
  const hub = createServer((_, res) => {
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ items: [repository] }));
  });
  await new Promise<void>((resolve) => void hub.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = hub.address() as AddressInfo;
    const program = join(folder, 'program.js');
    await writeFile(
      program,
      `import { openHub, listRepositories } from 'firn-hub-client';
       const hub = openHub({ url: 'http://127.0.0.1:${port}' });
       console.log(JSON.stringify(await listRepositories(hub)));
       hub.close();`,
    );
    const { stdout } = await run(process.execPath, [program], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual([repository]);
  } finally {
    hub.close();
  }
});

test('a program in TypeScript gets its types, down to those of single operations', async () => {
  await writeFile(
    join(folder, 'typed.ts'),
    `import { openHub, pushCheckpoint, type Hub } from 'firn-hub-client';
     const hub: Hub = openHub({ url: 'https://hub.example' });
     const { data } = await hub.api.GET('/v1/repositories', { params: { query: { limit: 1 } } });
     export const name: string | undefined = data?.items[0]?.name;
     // @ts-expect-error There is no such operation.
     void hub.api.GET('/v1/repositorys');
     // @ts-expect-error A push needs a target.
     void pushCheckpoint(hub);`,
  );
  const compilerOptions = {
    ...{ module: 'NodeNext', target: 'ES2023', strict: true, noEmit: true, types: ['node'] },
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error: unknown) => error as never);
  expect(stdout).toBe('');
});

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

function manifestIn(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}
