import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectCode } from '../catalog-fixtures.test-support.ts';
import { openPgliteCatalog } from './open-pglite.ts';
import { openTestCatalog } from '../test-catalog.test-support.ts';

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

test('acknowledged writes survive kill -9; a living process keeps its directory, that of a dead one is taken over', async () => {
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
