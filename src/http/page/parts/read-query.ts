import type { Context } from 'hono';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { AppEnv } from '../../app-env.ts';

/** Most characters of a field in an address: two names and the slash between them. */
const fieldLengthMax = 200;

/** A field of the page's address; undefined if it is absent or empty. `invalid-request` if it is too long. */
export function readQuery(c: Context<AppEnv>, field: string): string | undefined {
  const text = c.req.query(field)?.trim();
  if (text === undefined || text === '') return undefined;
  if (text.length > fieldLengthMax || text.includes('\0'))
    throw new FirnError('invalid-request', `"${field}" takes at most ${fieldLengthMax} characters.`);
  return text;
}
