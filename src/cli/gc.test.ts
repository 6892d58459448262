import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeReady, makeRun } from '../catalog/catalog-fixtures.test-support.ts';
import { readConfig } from '../config.ts';
import { bodyOf } from '../store/body-of.ts';
import { openCatalog, openStoredHub } from '../process/open-parts.ts';
import { runFirn } from './program/run-firn.test-support.ts';

let directory: string;
const orphan = `staged/${'a'.repeat(32)}/${'b'.repeat(32)}`;
let pending: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-gc-'));
  process.env['FIRN_DATA_DIR'] = directory;
  await (await openCatalog(readConfig(process.env))).close();
  const hub = await openStoredHub(readConfig(process.env), pino({ level: 'silent' }));
  const run = await makeRun(hub.catalog);
  await makeReady(hub.catalog, run, 1);
  const { package: record, checkpoint } = await makeReady(hub.catalog, run, 2);
  pending = record.key;
  await hub.catalog.checkpoints.hide(checkpoint.id);
  await hub.catalog.checkpoints.purge(checkpoint.id);
  for (const key of [orphan, pending]) await hub.store.put(key, bodyOf(Buffer.from('lost')), { sizeMaxBytes: 10 });
  await hub.close();
});
afterAll(async () => {
  delete process.env['FIRN_DATA_DIR'];
  await rm(directory, { recursive: true, force: true });
});

const ran = (...args: string[]) => runFirn('gc', ...args);

test('says what would go and why, then lets it go, and not before the grace unless it is forced to', async () => {
  expect(await ran()).toEqual({
    code: 0,
    said: ['0 objects of 0.0 MiB marked for deletion, 0 objects of 0.0 MiB deleted'],
    complained: [],
  });
  const dry = await ran('--dry-run', '--grace', '0');
  expect(dry.said.slice(0, 2).sort()).toEqual(
    [`would be marked ${orphan} 40 orphan`, `would be deleted ${pending} 11 deleted`].sort(),
  );
  expect(dry.said.at(-1)).toContain('would be deleted');
  expect(await ran('--grace', '0')).toMatchObject({
    code: 1,
    said: [],
    complained: [expect.stringContaining('--force')],
  });
  const forced = await ran('--grace', '0', '--force');
  expect(forced.said.sort()).toEqual(
    [
      '1 objects of 0.0 MiB marked for deletion, 2 objects of 0.0 MiB deleted',
      `marked ${orphan} 40 orphan`,
      `deleted ${pending} 11 deleted`,
      `deleted ${orphan} 40 orphan`,
    ].sort(),
  );
  expect((await ran('--grace', '0', '--force')).said).toEqual([
    '0 objects of 0.0 MiB marked for deletion, 0 objects of 0.0 MiB deleted',
  ]);
  expect((await ran('--grace', '48')).code).toBe(0);
});

test('what cannot be asked for is refused with a sentence', async () => {
  for (const grace of ['-1', '', 'soon'])
    expect(await ran('--grace', grace, '--force')).toMatchObject({
      code: 1,
      complained: [expect.stringContaining('--grace')],
    });
  expect(await ran('--all')).toMatchObject({ code: 1, complained: [expect.stringContaining('--all')] });
});
