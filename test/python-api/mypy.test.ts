import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../clients/python-api', import.meta.url));
const hasMypy = spawnSync('mypy', ['--version']).status === 0;
if (!hasMypy) console.warn('mypy.test.ts: the types of the Python client are not checked, since there is no mypy.');

test.skipIf(!hasMypy)(
  `mypy finds nothing in the Python client of the API${hasMypy ? '' : ' (skipped: there is no mypy)'}`,
  () => {
    const { status, stdout, stderr } = spawnSync('mypy', ['firn_api'], { cwd: folder, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  },
  300_000,
);
