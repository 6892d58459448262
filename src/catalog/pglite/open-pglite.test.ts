import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectCode } from '../catalog-fixtures.test-support.ts';
import { emptyDatabase } from './empty-database.ts';
import { openPgliteCatalog } from './open-pglite.ts';
import { openTestCatalog } from '../test-catalog.test-support.ts';

const repository = { namespace: 'acme', type: 'model', visibility: 'private' } as const;

/** Number of kills: one of the process that created the database, one of a process that took it over. */
const rounds = 2;
/** Acknowledged rows of a round before the kill. */
const rowsPerRound = 40;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-catalog-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function startWriter(): { child: ChildProcess; lines: AsyncIterator<string>; exited: Promise<unknown> } {
  const script = fileURLToPath(new URL('write-until-killed.test-support.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return {
    child,
    lines: createInterface({ input: child.stdout! })[Symbol.asyncIterator](),
    exited: once(child, 'exit'),
  };
}

test('acknowledged writes survive kill -9, and only the directory of a dead process is taken over', async () => {
  // The remains of a process that died while it created the database.
  await mkdir(join(directory, 'postgres'), { recursive: true });
  await writeFile(join(directory, 'postgres', 'PG_VERSION'), '18');
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const { child, lines, exited } = startWriter();
    try {
      for (let row = 0; row < rowsPerRound; row++) {
        const { value, done } = await lines.next();
        if (done) throw new Error('the writer ended');
        acknowledged.push(value);
        if (row === 0) await expectCode(openPgliteCatalog({ directory }), 'conflict');
      }
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
    for (let line = await lines.next(); !line.done; line = await lines.next()) acknowledged.push(line.value);
  }
  const catalog = await openPgliteCatalog({ directory });
  const missing: string[] = [];
  for (const name of acknowledged)
    if ((await catalog.repositories.find('crash', name)) === undefined) missing.push(name);
  expect(missing).toEqual([]);
  // A keyed request of the killed process does not block the next one.
  await catalog.idempotency.begin('key', 'f', 3600_000);
  await catalog.close();
  await catalog.close();
  const reopened = await openPgliteCatalog({ directory });
  expect(await reopened.idempotency.begin('key', 'f', 3600_000)).toBe('started');
  await reopened.close();
}, 120_000);

const noEmptyDatabase = async (): Promise<undefined> => undefined;

/** The tables of a catalog on a new directory, and the secret of its upload addresses. */
async function firstStart(name: string, empty: () => Promise<Blob | undefined>): Promise<{ secret: string }> {
  const place = { directory: join(directory, name), empty };
  const catalog = await openPgliteCatalog(place);
  const { id } = await catalog.repositories.create({ ...repository, name });
  const secret = await catalog.hub.revisions.secret();
  await catalog.close();
  const again = await openPgliteCatalog(place);
  expect(await again.repositories.get(id)).toMatchObject({ name });
  expect(await again.hub.revisions.secret()).toBe(secret);
  await again.close();
  return { secret };
}

test('a first start copies the built files of an empty database, and each catalog has its own secret', async () => {
  const built = await emptyDatabase();
  expect(built?.size, 'run node scripts/build.mjs').toBeGreaterThan(0);
  const one = await firstStart('one', () => emptyDatabase());
  const other = await firstStart('other', () => emptyDatabase());
  expect(one.secret).not.toBe(other.secret);
}, 60_000);

test.each([
  ['are absent', noEmptyDatabase],
  ['are cut short', async () => (await emptyDatabase())!.slice(0, 1_000_000)],
  ['are something else', async () => new Blob(['not an archive'])],
])(
  'a first start makes the database itself if those files %s',
  async (how, empty) => {
    await firstStart(`made-${how.replaceAll(' ', '-')}`, empty);
  },
  120_000,
);

test.each([
  ['cut archive', 'empty-database.tar.gz', (bytes: Buffer) => bytes.subarray(0, 1_000_000)],
  ['record of another version', 'empty-database.json', () => Buffer.from('{"pglite":"0.0.1"}')],
  ['record that is none', 'empty-database.json', () => Buffer.from('7')],
])('files of an empty database with a %s count as absent', async (what, name, change) => {
  const folder = join(directory, what);
  await mkdir(folder);
  for (const each of ['empty-database.tar.gz', 'empty-database.json'])
    await copyFile(fileURLToPath(new URL(`../../../dist/${each}`, import.meta.url)), join(folder, each));
  expect(await emptyDatabase(folder)).toBeDefined();
  await writeFile(join(folder, name), change(await readFile(join(folder, name))));
  expect(await emptyDatabase(folder)).toBeUndefined();
});

test('the outer catalog inside a transaction is refused instead of waiting for itself', async () => {
  const catalog = await openTestCatalog();
  await expectCode(
    catalog.transaction(() => catalog.repositories.get('x')),
    'internal',
  );
  await expectCode(
    catalog.transaction(() => catalog.transaction(async () => undefined)),
    'internal',
  );
  // Work that a transaction started is outside once the transaction has ended.
  let later: Promise<unknown> | undefined;
  let go = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    go = resolve;
  });
  await catalog.transaction(async () => {
    later = ended.then(() => catalog.repositories.get('x'));
  });
  go();
  expect(await later).toBeUndefined();
  await catalog.close();
});

test('a closed catalog fails with FirnError', async () => {
  const catalog = await openTestCatalog();
  await catalog.close();
  await expectCode(catalog.repositories.get('x'), 'internal');
  await expectCode(catalog.probe(), 'internal');
  await expectCode(
    catalog.transaction(async () => undefined),
    'internal',
  );
});
