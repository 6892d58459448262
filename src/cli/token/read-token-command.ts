import { parseArgs } from 'node:util';
import { parseGrant, type Grant } from '../../checkpoint/grant.ts';

/** A parsed `firn token` command. */
export type TokenCommand =
  | {
      readonly verb: 'create';
      readonly name: string;
      readonly grants: readonly Grant[];
      readonly expiresAt?: Date;
      readonly url?: string;
    }
  | { readonly verb: 'list'; readonly url?: string }
  | { readonly verb: 'revoke'; readonly id: string; readonly url?: string };

export const tokenUsage = `firn token create --name NAME --grant GRANT [--grant GRANT]... [--expires 30d|12h|DATE]
                  [--url URL]
firn token list [--url URL]
firn token revoke ID [--url URL]

GRANT is read, write or admin, and then ":namespace" or ":namespace/repository" unless it is on everything.
With --url a running server is asked, with the token in FIRN_TOKEN, or else HF_TOKEN. Without it the catalog is opened
as the server would do it; an embedded one allows that only while no server runs.`;

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses the command line after `token`. Throws an Error with one sentence. */
export function readTokenCommand(args: readonly string[], now: Date): TokenCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      grant: { type: 'string', multiple: true, default: [] },
      expires: { type: 'string' },
      url: { type: 'string' },
    },
  });
  const [verb, id, ...rest] = positionals;
  const at = values.url === undefined ? {} : { url: values.url };
  if (verb === 'list' && id === undefined) return { verb, ...at };
  if (verb === 'revoke' && id !== undefined && rest.length === 0) return { verb, id, ...at };
  if (verb !== 'create' || id !== undefined) throw new Error(`not a command of firn token\n${tokenUsage}`);
  if (values.name === undefined || values.grant.length === 0)
    throw new Error('--name and at least one --grant are needed');
  const expiry = values.expires === undefined ? {} : { expiresAt: readExpiry(values.expires, now) };
  return { verb, name: values.name, grants: values.grant.map(parseGrant), ...expiry, ...at };
}

function readExpiry(text: string, now: Date): Date {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const found = count === undefined ? new Date(text) : new Date(now.getTime() + Number(count) * unitMs[unit!]!);
  if (Number.isNaN(found.getTime()) || found <= now)
    throw new Error(`--expires ${text} is no time to come: 30d, 12h, 90m, or a date such as 2027-01-31T00:00:00Z`);
  return found;
}
