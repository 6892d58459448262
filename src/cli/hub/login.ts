import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { openHub, type components } from '../../../clients/typescript/src/index.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { chooseHub, parseUrl } from './choose-hub.ts';
import { readSettings, writeSettings } from './settings.ts';
import type { HubOptions } from './session.ts';

/** What a hub without access control calls everybody (`Whoami` of the API). */
const operatorId = 'operator';

/**
 * `firn login [URL]`: checks a token and remembers it for this hub, and the hub for other commands. A hub without
 * access control takes any token, so that none is asked for and none is remembered.
 */
export async function login(asked: string | undefined, options: HubOptions): Promise<void> {
  const settings = readSettings(process.env);
  const { url } = chooseHub({ FIRN_URL: process.env['FIRN_URL'] }, settings, { url: asked ?? options.url });
  const { origin } = parseUrl(url);
  const terminal = openTerminal(options.json ?? false);
  const nobody = await whoIs({ url });
  if (nobody.id === operatorId) {
    const path = writeSettings(process.env, { ...settings, url });
    return terminal.say(
      terminal.asJson
        ? JSON.stringify({ url, ...nobody, checksTokens: false })
        : `${origin} does not check tokens: everybody may do everything there. Its address alone is kept in ${path}.`,
    );
  }
  const token = await readSecret(`Token for ${origin}: `);
  if (token === '') throw new Error('There is no token: paste one, or send it through a pipe.');
  const holder = await whoIs({ url, token, allowInsecure: options.insecure ?? false });
  const path = writeSettings(process.env, { url, tokens: { ...settings.tokens, [origin]: token } });
  terminal.say(
    terminal.asJson
      ? JSON.stringify({ url, ...holder, checksTokens: true })
      : `Signed in to ${origin} as ${holder.name}: ${holder.grants.join(' ')}. Kept in ${path}.`,
  );
}

/** Whose a request with these options is, and what it may do. */
async function whoIs(options: Parameters<typeof openHub>[0]): Promise<components['schemas']['Whoami']> {
  const hub = openHub(options);
  try {
    return (await hub.api.GET('/v1/whoami')).data!;
  } finally {
    hub.close();
  }
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
