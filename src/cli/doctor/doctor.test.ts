import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runFirn } from '../program/run-firn.test-support.ts';
import type { Finding } from './finding.ts';
import { nodeFinding } from './look-at-program.ts';
import { lookAtServer } from './look-at-server.ts';

beforeEach(() => {
  for (const key of Object.keys(process.env)) if (/^(FIRN|HF)_/.test(key)) vi.stubEnv(key, undefined);
  vi.stubEnv('XDG_CONFIG_HOME', '/nonexistent');
});
afterEach(() => void vi.unstubAllEnvs());

test.each([
  ['18.20.0', 'bad'],
  ['20.18.3', 'bad'],
  ['20.19.0', 'ok'],
  ['22.0.0', 'ok'],
])('Node %s is %s', (version, state) => {
  expect(nodeFinding(version).state).toBe(state);
});

test('it names each thing with its state, and a hub that is not there is no failure of the machine', async () => {
  const { code, said } = await runFirn('doctor', '--json', '--url', 'http://127.0.0.1:1');
  const findings = JSON.parse(said.join('')) as Finding[];
  const of = (what: string) => findings.find((finding) => finding.what === what);
  expect(of('Node')).toMatchObject({ state: 'ok', found: process.versions.node });
  expect(of('native core')).toMatchObject({ found: expect.stringMatching(/instruction set (scalar|avx2|avx512)/) });
  expect(of('onnxruntime')).toMatchObject({ state: 'ok', found: expect.stringMatching(/^\d+\.\d+/) });
  expect(of('free disk')?.found).toMatch(/free for \//);
  expect(of('hub')).toMatchObject({ state: 'absent', found: expect.stringContaining('http://127.0.0.1:1') });
  expect(code).toBe(findings.some(({ state }) => state === 'bad') ? 1 : 0);
});

test.each([
  [{ FIRN_PORT: 'eighty' }, 'configuration', /FIRN_PORT/],
  [{ FIRN_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, 'Postgres', /ECONNREFUSED/],
  [
    {
      FIRN_S3_BUCKET: 'none',
      FIRN_S3_ENDPOINT: 'http://127.0.0.1:1',
      FIRN_S3_ACCESS_KEY_ID: 'a',
      FIRN_S3_SECRET_ACCESS_KEY: 'b',
    },
    'bucket',
    /ECONNREFUSED/,
  ],
])('with %j the %s is bad, and it says what to do', async (env, what, found) => {
  const finding = (await lookAtServer(env)).find((each) => each.what === what);
  expect(finding).toMatchObject({ state: 'bad', found: expect.stringMatching(found), advice: expect.any(String) });
});
