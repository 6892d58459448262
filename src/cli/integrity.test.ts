import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeReady, makeRun } from '../catalog/catalog-fixtures.test-support.ts';
import { openPgliteCatalog } from '../catalog/pglite/open-pglite.ts';
import { runFirn } from './program/run-firn.test-support.ts';

let directory: string;
let repository: string;
let lost: { readonly key: string; readonly checkpoint: string };
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-integrity-'));
  process.env['FIRN_DATA_DIR'] = directory;
  const catalog = await openPgliteCatalog({ directory: join(directory, 'catalog') });
  const run = await makeRun(catalog);
  const { namespace, name } = (await catalog.repositories.get(run.repositoryId))!;
  repository = `${namespace}/${name}`;
  // A package that was never stored.
  const { package: record, checkpoint } = await makeReady(catalog, run, 3);
  lost = { key: record.key, checkpoint: `${repository}/${run.name}@${checkpoint.step}` };
  await catalog.close();
});
afterAll(async () => {
  delete process.env['FIRN_DATA_DIR'];
  await rm(directory, { recursive: true, force: true });
});

test('scrub names everything affected by each damaged object, once, and ends with 1', async () => {
  const { code, said, complained } = await runFirn('scrub');
  expect({ code, complained }).toEqual({ code: 1, complained: [] });
  expect(said).toEqual([
    `missing ${lost.key} (${said[0]!.split('(')[1]!.split(')')[0]!}): ${lost.checkpoint}`,
    '1 objects, 0.0 MiB, 1 damaged',
  ]);
  const asJson = (await runFirn('scrub', '--json')).said.map((line) => JSON.parse(line) as object);
  expect(asJson).toEqual([
    expect.objectContaining({ key: lost.key }),
    expect.objectContaining({ objects: 1, damaged: 1, unread: 0 }),
  ]);
  // It is in quarantine now, and still reported.
  expect((await runFirn('scrub', '--repository', repository, '--mib-per-s', '5')).said).toEqual(said);
});

test('verify names files that cannot be rebuilt, and ends with 1', async () => {
  const { code, said } = await runFirn('verify');
  expect(code).toBe(1);
  expect(said[0]).toContain(`missing ${lost.key}`);
  expect(said.at(-1)).toContain('1 problems');
});

test.each([['verify'], ['scrub'], ['gc', '--dry-run'], ['token', 'list', '--catalog']])(
  'firn %s %s in a folder without a catalog says so and makes none',
  async (...args) => {
    const empty = join(directory, 'empty');
    process.env['FIRN_DATA_DIR'] = empty;
    try {
      const { code, complained } = await runFirn(...args.filter((word) => word !== undefined));
      expect(code).toBe(1);
      expect(complained).toEqual([expect.stringMatching(/: There is no catalog here\. .*\(.*empty\/catalog\)$/)]);
      expect(existsSync(empty)).toBe(false);
    } finally {
      process.env['FIRN_DATA_DIR'] = directory;
    }
  },
);

test('invalid arguments are refused with a sentence', async () => {
  expect(await runFirn('scrub', '--repository', 'nobody/nothing')).toMatchObject({
    code: 1,
    complained: [expect.stringContaining('no repository nobody/nothing')],
  });
  expect(await runFirn('scrub', '--mib-per-s', '-1')).toMatchObject({
    code: 1,
    complained: [expect.stringContaining('--mib-per-s')],
  });
  expect(await runFirn('verify', '--fast')).toMatchObject({ code: 1, complained: [expect.stringContaining('--fast')] });
});
