import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFirn } from './program/run-firn.test-support.ts';

const fixtures = fileURLToPath(new URL('../../test/fixtures/format-v1/', import.meta.url));

describe('firn unpack', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firn-cli-unpack-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const run = (...args: string[]) => runFirn('unpack', ...args);

  it('prints each file with its digest, and what the package does not hold', async () => {
    const { code, said, complained } = await run(`${fixtures}mixed-1.firn`, `${fixtures}mixed-0.firn`, '--out', folder);
    const expected = (
      JSON.parse(await readFile(`${fixtures}expected.json`, 'utf8')) as Record<string, Record<string, string>>
    )['mixed-1.firn']!;
    expect([code, complained]).toEqual([0, []]);
    expect(said.slice(0, -1)).toEqual(Object.entries(expected).map(([path, sha256]) => `${sha256}  ${path}`));
    expect(said.at(-1)).toMatch(/^raw\/optimizer\.bin is not in the package/);
  });

  it.each([
    ['no package', []],
    ['no folder', ['x.firn']],
    ['an unknown option', ['x.firn', '--out', 'y', '--fast']],
    ['a file that is not there', [`${fixtures}absent.firn`, '--out', 'never-made']],
    ['a delta without its base', [`${fixtures}mixed-1.firn`, '--out', 'never-made']],
    ['a file that is no package', [`${fixtures}expected.json`, '--out', 'never-made']],
  ])('says what is wrong in one line and exits with 1: %s', async (_, args) => {
    const { code, said, complained } = await run(...args);
    expect([code, said, complained.length]).toEqual([1, [], 1]);
  });
});
