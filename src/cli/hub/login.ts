import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { openHub } from '../../../clients/typescript/src/index.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { chooseHub, parseUrl } from './choose-hub.ts';
import { readSettings, writeSettings } from './settings.ts';
import type { HubOptions } from './session.ts';

/** `firn login [URL]`: checks a token and remembers it for this hub, and the hub for other commands. */
export async function login(asked: string | undefined, options: HubOptions): Promise<void> {
  const settings = readSettings(process.env);
  const { url } = chooseHub({ FIRN_URL: process.env['FIRN_URL'] }, settings, { url: asked ?? options.url });
  const { origin } = parseUrl(url);
  const token = await readSecret(`Token for ${origin}: `);
  if (token === '') throw new Error('There is no token: paste one, or send it through a pipe.');
  const hub = openHub({ url, token, allowInsecure: options.insecure ?? false });
  const { data } = await hub.api.GET('/v1/whoami');
  hub.close();
  const path = writeSettings(process.env, { url, tokens: { ...settings.tokens, [origin]: token } });
  const terminal = openTerminal(options.json ?? false);
  terminal.say(
    terminal.asJson
      ? JSON.stringify({ url, ...data! })
      : `Signed in to ${origin} as ${data!.name}: ${data!.grants.join(' ')}. Kept in ${path}.`,
  );
}

/** Reads one line that is not shown. */
async function readSecret(question: string): Promise<string> {
  const input = process.stdin;
  if (input.isTTY) process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: input.isTTY });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
    if (input.isTTY) process.stderr.write('\n');
  }
}
