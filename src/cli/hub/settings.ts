import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** What `firn login` remembers. */
export interface Settings {
  /** The hub that commands talk to. */
  readonly url?: string;
  /** Tokens by origin of the hub they were made for. */
  readonly tokens: Readonly<Record<string, string>>;
}

/** Largest file of settings, in bytes. */
const settingsBytesMax = 1024 * 1024;

/** Where the settings are. */
export function settingsPath(env: Environment): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'firn', 'config.json');
}

/** The settings, empty without a file. Throws an Error with one sentence if the file is damaged. */
export function readSettings(env: Environment): Settings {
  const path = settingsPath(env);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { tokens: {} };
  if (found.size > settingsBytesMax) throw new Error(`${path} is too large to be settings: move it away.`);
  return parseSettings(readFileSync(path, 'utf8'), path);
}

/** Parses the text of a file of settings. Throws an Error that names `path`. */
export function parseSettings(text: string, path: string): Settings {
  const damaged = new Error(`${path} is damaged: delete it, and sign in again with firn login.`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw damaged;
  }
  if (typeof json !== 'object' || json === null) throw damaged;
  const { url, tokens = {} } = json as { url?: unknown; tokens?: unknown };
  if (typeof tokens !== 'object' || tokens === null || Array.isArray(tokens)) throw damaged;
  const isText = (value: unknown): boolean => typeof value === 'string';
  if (!Object.values(tokens).every(isText) || (url !== undefined && !isText(url))) throw damaged;
  return { ...(url !== undefined && { url: url as string }), tokens: tokens as Record<string, string> };
}

/** Replaces the settings. Nobody but their owner can read them. */
export function writeSettings(env: Environment, settings: Settings): string {
  const path = settingsPath(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, path);
  return path;
}
