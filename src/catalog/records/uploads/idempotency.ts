import { and, eq, inArray, isNull, lte, sql } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { IdempotencyRecords } from '../../contract/uploads/idempotency-records.ts';
import type { Db } from '../../db/database.ts';
import { pruneRowsMax } from '../../db/prune-limit.ts';
import { idempotency as table } from '../../db/schema.ts';

/**
 * How long an unanswered key blocks its repetition, in ms. This is longer than keyed requests take. A request whose
 * process died blocks only this long, not for the whole time to live.
 */
const runningMsMax = 10 * 60 * 1000;

/** See `IdempotencyRecords`. */
export function idempotencyRecords({ query }: Db): IdempotencyRecords {
  return {
    async begin(key, fingerprint, ttlMs) {
      const fresh = {
        fingerprint,
        status: null,
        headers: null,
        body: null,
        ttlMs,
        expiresAt: inMs(Math.min(ttlMs, runningMsMax)),
      };
      const started = await query
        .insert(table)
        .values({ key, ...fresh })
        .onConflictDoUpdate({ target: table.key, set: fresh, setWhere: lte(table.expiresAt, sql`now()`) })
        .returning({ key: table.key });
      if (started.length > 0) return 'started';
      const [known] = await query.select().from(table).where(eq(table.key, key));
      if (known === undefined) return 'running';
      if (known.fingerprint !== fingerprint)
        throw new FirnError('idempotency-conflict', 'The Idempotency-Key was used for another request.');
      if (known.status === null) return 'running';
      return { status: known.status, headers: known.headers ?? {}, body: known.body ?? '' };
    },
    async finish(key, fingerprint, answer) {
      await query
        .update(table)
        .set({ ...answer, expiresAt: sql`now() + ${table.ttlMs} * interval '1 millisecond'` })
        .where(running(key, fingerprint));
    },
    async abandon(key, fingerprint) {
      await query.delete(table).where(running(key, fingerprint));
    },
    async prune(now) {
      const old = query.select({ key: table.key }).from(table).where(lte(table.expiresAt, now)).limit(pruneRowsMax);
      return (await query.delete(table).where(inArray(table.key, old)).returning({ key: table.key })).length;
    },
  };
}

function running(key: string, fingerprint: string) {
  return and(eq(table.key, key), eq(table.fingerprint, fingerprint), isNull(table.status));
}

function inMs(delayMs: number) {
  return sql`now() + ${delayMs}::double precision * interval '1 millisecond'`;
}
