import { mayCarryToken } from '../../../clients/typescript/src/token-rule.ts';
import type { Settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a hub listens by default. */
const urlDefault = 'http://127.0.0.1:8080';

export interface ChosenHub {
  readonly url: string;
  readonly token: string | undefined;
}

/**
 * The hub that a command talks to, and the token for it. The address is `--url`, FIRN_URL, that of `firn login`, or
 * this machine's. The token is FIRN_TOKEN, the one of `firn login` for that hub, or HF_TOKEN if HF_ENDPOINT is that
 * hub. None is sent in the clear to another machine, unless FIRN_TOKEN is allowed to be (`allowInsecure`). Throws an
 * Error with one sentence.
 */
export function chooseHub(
  env: Environment,
  settings: Settings,
  { url: asked, allowInsecure = false }: { readonly url?: string | undefined; readonly allowInsecure?: boolean },
): ChosenHub {
  const text = asked ?? (env['FIRN_URL'] || settings.url) ?? urlDefault;
  const url = parseUrl(text);
  const inTheClear = !mayCarryToken(url);
  if (env['FIRN_TOKEN'] && inTheClear && !allowInsecure)
    throw new Error(
      `FIRN_TOKEN is not sent to ${url.origin}, because anyone on the way could read it: use https, or allow it ` +
        'with --insecure.',
    );
  if (env['FIRN_TOKEN']) return { url: text, token: env['FIRN_TOKEN'] };
  if (inTheClear) return { url: text, token: undefined };
  const ofHubClients = env['HF_TOKEN'] && originOf(env['HF_ENDPOINT']) === url.origin ? env['HF_TOKEN'] : undefined;
  const stored = Object.hasOwn(settings.tokens, url.origin) ? settings.tokens[url.origin] : undefined;
  return { url: text, token: stored ?? ofHubClients };
}

/** Parses the address of a hub. Throws an Error with one sentence. */
export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`"${text.slice(0, 200)}" is no address of a hub: write one such as https://hub.example.`);
  return url;
}

function originOf(text: string | undefined): string | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text).origin : undefined;
}
