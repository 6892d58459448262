import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OpenAPIHono } from '@hono/zod-openapi';
import { expect, test } from 'vitest';
import type { AppEnv } from './app-env.ts';
import { openApiDocument } from './openapi-document.ts';
import { programVersion } from './program-version.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

test('the version is that of package.json, in the API too', () => {
  expect(programVersion).toBe(version);
  expect(openApiDocument(new OpenAPIHono<AppEnv>()).info.version).toBe(version);
  expect(
    (JSON.parse(readFileSync(join(root, 'openapi', 'firn.json'), 'utf8')) as { info: { version: string } }).info
      .version,
  ).toBe(version);
});

test('compiled code reads the package.json of its own package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-version-'));
  try {
    for (const name of ['src/http/program-version.ts', 'tsconfig.json']) cpSync(join(root, name), join(folder, name));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module","version":"12.3.4"}');
    const build = spawnSync(process.execPath, [join(root, 'scripts', 'build-sources.mjs'), folder], {
      encoding: 'utf8',
    });
    expect(build).toMatchObject({ status: 0, stderr: '' });
    const script =
      `import(${JSON.stringify(join(folder, 'dist/http/program-version.js'))}).then((m) => ` +
      'console.log(m.programVersion))';
    expect(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout).toBe('12.3.4\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
