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

/** The meaning of an SQLSTATE (PostgreSQL appendix A) or of its two-character class; the longer entry wins. */
const meanings: Readonly<Record<string, Meaning>> = {
  '23505': conflict,
  '23503': conflict,
  '23001': conflict,
  '22': unstorable,
  '40': overloaded,
  '55P03': overloaded,
  // A transaction that paused too long, or a server that became a standby. A retry gets another transaction or server.
  '25P03': overloaded,
  '25006': overloaded,
  '57': overloaded,
  '08': overloaded,
  '53': overloaded,
  '53100': full,
};

/** Connection failures that do not come from the server: names of Node and postgres.js. */
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
 * Translates a failure of the database to a FirnError; anything else (a FirnError already, a bug) is returned
 * unchanged. Drizzle's error is dropped, because its message holds SQL and values. The detail names the SQLSTATE and
 * the constraint.
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

/** The SQLSTATE of a database error, also if drizzle wrapped it or it was translated already. */
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
