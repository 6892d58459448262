import fc from 'fast-check';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseHub } from './choose-hub.ts';
import { readThreshold } from './hub-commands.ts';
import { parseSettings, readSettings, settingsPath, writeSettings } from './settings.ts';

const secure = 'https://hub.example';
const clear = 'http://hub.example';
const none = { tokens: {} };

test.each([
  [{}, 'http://127.0.0.1:8080', undefined],
  [{ FIRN_URL: secure, FIRN_TOKEN: 'a' }, secure, 'a'],
  [{ FIRN_URL: secure, HF_TOKEN: 'b', HF_ENDPOINT: `${secure}/` }, secure, 'b'],
  [{ FIRN_URL: secure, HF_TOKEN: 'b', HF_ENDPOINT: 'https://other.example' }, secure, undefined],
  [{ FIRN_URL: secure, HF_TOKEN: 'b' }, secure, undefined],
  [{ FIRN_URL: clear, HF_TOKEN: 'b', HF_ENDPOINT: clear }, clear, undefined],
])('with %j the hub is %s and the token %s', (env, url, token) => {
  expect(chooseHub(env, none, {})).toEqual({ url, token });
});

test('the token of a sign-in goes to its own hub alone', () => {
  const settings = { url: secure, tokens: { [secure]: 'kept' } };
  expect(chooseHub({}, settings, {})).toEqual({ url: secure, token: 'kept' });
  expect(chooseHub({}, settings, { url: 'https://other.example' }).token).toBeUndefined();
});

test('FIRN_TOKEN is not sent in the clear unless that is asked for', () => {
  const env = { FIRN_TOKEN: 'a' };
  expect(() => chooseHub(env, none, { url: clear })).toThrow(/--insecure/);
  expect(chooseHub(env, none, { url: clear, allowInsecure: true }).token).toBe('a');
});

test('settings come back as they were written, and only their owner reads them', () => {
  const env = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'firn-settings-')) };
  try {
    expect(readSettings(env)).toEqual(none);
    const settings = { url: secure, tokens: { [secure]: 'kept' } };
    writeSettings(env, settings);
    expect(readSettings(env)).toEqual(settings);
    expect(statSync(settingsPath(env)).mode & 0o777).toBe(0o600);
  } finally {
    rmSync(env.XDG_CONFIG_HOME, { recursive: true });
  }
});

test('any text is settings, or is refused with what to do', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      try {
        expect(typeof parseSettings(text, 'config.json').tokens).toBe('object');
      } catch (error) {
        expect((error as Error).message).toMatch(/config\.json is damaged: delete it/);
      }
    }),
  );
});

test.each([
  ['loss=0.01', { loss: 0.01 }],
  ['loss=1%', { loss: 0.01 }],
])('--threshold %s is %j', (text, threshold) => {
  expect(readThreshold(text)).toEqual(threshold);
});

test('any other threshold is refused with an example', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        for (const share of Object.values(readThreshold(text))) expect(share).toBeGreaterThanOrEqual(0);
      } catch (error) {
        expect((error as Error).message).toMatch(/such as loss=0\.01/);
      }
    }),
  );
});
