import { readFileSync } from 'node:fs';
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
