import { openTerminal } from '../terminal/terminal.ts';
import { chooseHub, parseUrl } from './choose-hub.ts';
import { readSettings, settingsPath, writeSettings } from './settings.ts';
import type { HubOptions } from './session.ts';

/** `firn logout [URL]`: removes the token that `firn login` keeps for a hub. Nothing is sent. */
export function logout(asked: string | undefined, options: HubOptions): void {
  const settings = readSettings(process.env);
  const { url } = chooseHub({ FIRN_URL: process.env['FIRN_URL'] }, settings, { url: asked ?? options.url });
  const { origin } = parseUrl(url);
  const { [origin]: removed, ...tokens } = settings.tokens;
  const path = settingsPath(process.env);
  if (removed !== undefined) writeSettings(process.env, { ...settings, tokens });
  const terminal = openTerminal(options.json ?? false);
  if (terminal.asJson) terminal.say(JSON.stringify({ url, removed: removed !== undefined, path }));
  else if (removed === undefined) terminal.say(`No token for ${origin} is kept in ${path}.`);
  else terminal.say(`The token for ${origin} is removed from ${path}.`);
  if (process.env['FIRN_TOKEN']) terminal.remark('FIRN_TOKEN is set, and still sent.');
}
