import { DrizzleQueryError } from 'drizzle-orm/errors';
import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';

interface Meaning {
  readonly code: FirnErrorCode;
  readonly message: string;
}

const conflict: Meaning = { code: 'conflict', message: 'The request conflicts with what is stored.' };
const overloaded: Meaning = { code: 'overloaded', message: 'The catalog is busy or out of reach; try again.' };
const full: Meaning = { code: 'storage-full', message: 'The catalog has no space left.' };
const unstorable: Meaning = { code: 'invalid-request', message: 'A value of the request cannot be stored.' };
const internal: Meaning = { code: 'internal', message: 'The catalog failed.' };

/** SQLSTATE (PostgreSQL appendix A) or its two-character class to what it means here; the longer entry wins. */
const meanings: Readonly<Record<string, Meaning>> = {
  '23505': conflict,
  '23503': conflict,
  '23001': conflict,
  '22': unstorable,
  '40': overloaded,
  '55P03': overloaded,
  // A transaction that paused too long, and a server that has become a standby: both are other ones at the next try.
  '25P03': overloaded,
  '25006': overloaded,
  '57': overloaded,
  '08': overloaded,
  '53': overloaded,
  '53100': full,
};

/** Failures of a connection that are not the server's: Node's and postgres.js' names. */
const connectionFailures = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
]);

/**
 * A failure of the database as a FirnError; anything else (a FirnError already, a bug) is returned as it is. Drizzle's
 * error is dropped: its message holds SQL and values. The detail names the SQLSTATE and the constraint.
 */
export function translateDatabaseError(error: unknown): unknown {
  const wrapped = error instanceof DrizzleQueryError;
  const cause = wrapped ? error.cause : error;
  if (cause instanceof FirnError) return cause;
  const code = codeOf(cause);
  const meaning = code === undefined ? undefined : meaningOf(code);
  if (meaning === undefined && !wrapped) return error;
  const { code: firnCode, message } = meaning ?? internal;
  return new FirnError(firnCode, message, { detail: `${code ?? 'no code'} ${constraintOf(cause)}`.trim(), cause });
}

/** The SQLSTATE of a database error, of one still inside drizzle's, or of one translated already. */
export function sqlStateOf(error: unknown): string | undefined {
  const cause = error instanceof DrizzleQueryError || error instanceof FirnError ? error.cause : error;
  const code = codeOf(cause);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && !(error instanceof FirnError) ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function meaningOf(code: string): Meaning | undefined {
  if (connectionFailures.has(code)) return overloaded;
  if (!/^[0-9A-Z]{5}$/.test(code)) return undefined;
  return meanings[code] ?? meanings[code.slice(0, 2)] ?? internal;
}

function constraintOf(error: unknown): string {
  const { constraint, constraint_name: constraintName } = error as { constraint?: string; constraint_name?: string };
  return constraint ?? constraintName ?? '';
}
