import { parseGrant, type Grant } from '../checkpoint/grant.ts';
import { openSession, type HubOptions } from './hub/session.ts';
import { readSettings } from './hub/settings.ts';
import { printTable } from './terminal/print-table.ts';
import type { Terminal } from './terminal/terminal.ts';
import { administerOnHub } from './token/administer-on-hub.ts';
import type { TokenAdministration } from './token/token-administration.ts';

export interface TokenOptions extends HubOptions {
  /** Opens the catalog of this machine, although a hub is known. */
  readonly catalog?: boolean;
}

export interface CreateTokenOptions extends TokenOptions {
  readonly name: string;
  readonly grant: readonly string[];
  readonly expires?: string;
}

/**
 * `firn token create`: prints the text of a new token, which is shown only here. A token may be made before the
 * repository that it is for; that is said, for the name may be misspelt.
 */
export async function createToken(options: CreateTokenOptions, { asJson, say, remark }: Terminal): Promise<void> {
  const expiresAt = options.expires === undefined ? undefined : readExpiry(options.expires, new Date());
  const token = { name: options.name, grants: options.grant.map(parseGrant), ...(expiresAt && { expiresAt }) };
  // The first token of a hub may be made before its first start.
  await withTokens({ ...options, makesCatalog: true }, async (tokens) => {
    const absent = await absentRepositories(tokens, token.grants);
    const made = await tokens.create(token);
    say(asJson ? JSON.stringify(made) : made.token);
    for (const name of absent) remark(`There is no repository ${name} yet; what is granted on it holds once there is.`);
  });
}

/** Names of the repositories that grants are on and that are not there. */
async function absentRepositories(tokens: TokenAdministration, grants: readonly Grant[]): Promise<string[]> {
  const absent = new Set<string>();
  for (const { namespace, repository } of grants) {
    if (namespace === undefined || repository === undefined) continue;
    if (!(await tokens.hasRepository(namespace, repository))) absent.add(`${namespace}/${repository}`);
  }
  return [...absent];
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses when a token expires: a time from now, such as `30d`, or a date. Throws an Error with one sentence. */
export function readExpiry(text: string, now: Date): Date {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const found = count === undefined ? new Date(text) : new Date(now.getTime() + Number(count) * unitMs[unit!]!);
  if (Number.isNaN(found.getTime()) || found <= now)
    throw new Error(`--expires ${text} is no time to come: 30d, 12h, 90m, or a date such as 2027-01-31T00:00:00Z.`);
  return found;
}

/** `firn token list`. */
export async function listTokens(options: TokenOptions, terminal: Terminal): Promise<void> {
  await withTokens(options, async (tokens) => {
    const listed = await tokens.list();
    if (terminal.asJson) return terminal.say(JSON.stringify(listed));
    printTable(
      terminal,
      ['id', 'until', 'grants', 'name'],
      listed.map(({ id, name, grants, expiresAt, revokedAt }) => [
        id,
        revokedAt !== undefined ? `revoked ${revokedAt}` : (expiresAt ?? 'for good'),
        grants.join(' '),
        name,
      ]),
    );
  });
}

/** `firn token revoke ID`. */
export async function revokeToken(id: string, options: TokenOptions, { asJson, say }: Terminal): Promise<void> {
  await withTokens(options, async (tokens) => {
    await tokens.revoke(id);
    say(asJson ? JSON.stringify({ revoked: id }) : `${id} is revoked`);
  });
}

/** Administers the tokens of the hub that is known, or else of the catalog of this machine. */
async function withTokens(
  options: TokenOptions & { readonly makesCatalog?: boolean },
  work: (tokens: TokenAdministration) => Promise<void>,
): Promise<void> {
  const tokens = isHubKnown(options)
    ? administerOnHub(openSession(options).hub)
    : await openHere(options.makesCatalog ?? false);
  try {
    await work(tokens);
  } finally {
    await tokens.close();
  }
}

function isHubKnown({ url, catalog = false }: TokenOptions): boolean {
  if (catalog) return false;
  return (url ?? process.env['FIRN_URL'] ?? readSettings(process.env).url) !== undefined;
}

/** Loads what a server is made of, which asking a hub does without. */
async function openHere(makesCatalog: boolean): Promise<TokenAdministration> {
  const [{ readConfig }, { openCatalog, openExistingCatalog }, { administerInCatalog }] = await Promise.all([
    import('../config.ts'),
    import('../process/open-parts.ts'),
    import('./token/administer-in-catalog.ts'),
  ]);
  return administerInCatalog(await (makesCatalog ? openCatalog : openExistingCatalog)(readConfig(process.env)));
}
