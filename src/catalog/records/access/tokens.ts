import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { TokenRecord, TokenRecords } from '../../contract/token-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { tokens } from '../../db/schema.ts';

/** See `TokenRecords`. */
export function tokenRecords(db: Db): TokenRecords {
  const { query } = db;
  // Its text is made once: every request with a token begins with it.
  let validById: ReturnType<typeof findValid> | undefined;
  return {
    async create(input) {
      const [created] = await query.insert(tokens).values(input).onConflictDoNothing().returning();
      if (created === undefined) throw new FirnError('conflict', 'The token exists already.');
      return recordOf(created);
    },
    async createFirst(input) {
      return db.transaction(async (tx) => {
        const known = await tx.query.select({ id: tokens.id }).from(tokens).limit(1);
        if (known.length > 0) return false;
        // A concurrent insert waits here for the unique index.
        const created = await tx.query
          .insert(tokens)
          .values({ ...input, isFirst: true })
          .onConflictDoNothing()
          .returning({ id: tokens.id });
        return created.length > 0;
      });
    },
    async get(id) {
      const [found] = await query.select().from(tokens).where(eq(tokens.id, id));
      return found && recordOf(found);
    },
    async lock(id) {
      const [locked] = await query.select().from(tokens).where(eq(tokens.id, id)).for('update');
      if (locked === undefined) throw missing();
      return recordOf(locked);
    },
    async valid(id) {
      const [found] = await (validById ??= findValid(db)).execute({ id });
      return found && recordOf(found);
    },
    async list(page) {
      const later = page.after === undefined ? undefined : gt(tokens.id, page.after);
      return (await query.select().from(tokens).where(later).orderBy(asc(tokens.id)).limit(pageLimit(page))).map(
        recordOf,
      );
    },
    async revoke(id) {
      const [revoked] = await query
        .update(tokens)
        .set({ revokedAt: sql`coalesce(${tokens.revokedAt}, now())` })
        .where(eq(tokens.id, id))
        .returning();
      if (revoked === undefined) throw missing();
      return recordOf(revoked);
    },
  };
}

function findValid({ query }: Db) {
  const holds = and(isNull(tokens.revokedAt), or(isNull(tokens.expiresAt), gt(tokens.expiresAt, sql`now()`)));
  return query
    .select()
    .from(tokens)
    .where(and(eq(tokens.id, sql.placeholder('id')), holds))
    .prepare('valid_token');
}

function missing(): FirnError {
  return new FirnError('not-found', 'There is no such token.');
}

function recordOf({ isFirst: _, ...row }: typeof tokens.$inferSelect): TokenRecord {
  return dropNulls(row);
}
