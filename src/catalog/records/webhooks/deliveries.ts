import { and, desc, eq, getTableColumns, inArray, lt, sql } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { AttemptEnd, Delivery, DeliveryRecords } from '../../contract/webhooks/delivery-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { pruneRowsMax } from '../../db/prune-limit.ts';
import { webhookDeliveries as table, webhooks } from '../../db/schema.ts';

/** Longest error text stored with a message, in characters. */
const errorLengthMax = 500;
/** What PostgreSQL numbers rows with. */
const idPattern = /^\d{1,18}$/;

/** See `DeliveryRecords`. */
export function deliveryRecords(db: Db): DeliveryRecords {
  const { query } = db;
  return {
    ping: (webhookId) =>
      db.transaction(async (tx) => {
        const [webhook] = await tx.query
          .select({ id: webhooks.id, now: sql<string>`(extract(epoch from now()) * 1000)::bigint::text` })
          .from(webhooks)
          .where(eq(webhooks.id, webhookId))
          .for('share');
        if (webhook === undefined) throw new FirnError('not-found', 'There is no such webhook.');
        const timestamp = new Date(Number(webhook.now)).toISOString();
        const body = JSON.stringify({ type: 'ping', timestamp, data: { webhook: webhookId } });
        const [written] = await tx.query.insert(table).values({ webhookId, event: 'ping', body }).returning();
        return deliveryOf(written!);
      }),
    async takeDue({ limit, perWebhook, leaseMs }) {
      const due = await db.rows(sql`
        select due.id::text as id from ${webhooks} cross join lateral (
          select ${table.id} from ${table}
          where ${table.webhookId} = ${webhooks.id} and ${table.state} = 'pending' and ${table.nextAt} <= now()
            and (${webhooks.active} or ${table.event} = 'ping')
          order by ${table.nextAt} limit ${perWebhook}) due
        limit ${limit}`);
      if (due.length === 0) return [];
      const taken = await query
        .update(table)
        .set({
          attempts: sql`${table.attempts} + 1`,
          nextAt: sql`now() + ${leaseMs}::double precision * interval '1 millisecond'`,
        })
        .from(webhooks)
        .where(
          and(
            inArray(
              table.id,
              due.map(({ id }) => BigInt(id as string)),
            ),
            eq(webhooks.id, table.webhookId),
            eq(table.state, 'pending'),
            sql`${table.nextAt} <= now()`,
          ),
        )
        .returning({ ...getTableColumns(table), url: webhooks.url, secret: webhooks.secret });
      return taken.map(({ url, secret, ...row }) => ({ ...deliveryOf(row), webhook: { url, secret } }));
    },
    end: ({ id, attempts }, end) =>
      db.transaction(async (tx) => {
        const ended = await tx.query
          .update(table)
          .set({ ...endOf(end), status: end.status ?? null, error: end.error?.slice(0, errorLengthMax) ?? null })
          .where(and(eq(table.id, BigInt(id)), eq(table.attempts, attempts), eq(table.state, 'pending')))
          .returning({ webhookId: table.webhookId });
        if (end.as !== 'gone') return;
        for (const { webhookId } of ended)
          await tx.query.update(webhooks).set({ active: false }).where(eq(webhooks.id, webhookId));
      }),
    async list(webhookId, page) {
      if (page.after !== undefined && !idPattern.test(page.after)) return [];
      const earlier = page.after === undefined ? undefined : lt(table.id, BigInt(page.after));
      const found = await query
        .select()
        .from(table)
        .where(and(eq(table.webhookId, webhookId), earlier))
        .orderBy(desc(table.id))
        .limit(pageLimit(page));
      return found.map(deliveryOf);
    },
    async get(webhookId, id) {
      if (!idPattern.test(id)) return undefined;
      const [found] = await query
        .select()
        .from(table)
        .where(and(eq(table.webhookId, webhookId), eq(table.id, BigInt(id))));
      return found && deliveryOf(found);
    },
    async redeliver(webhookId, id) {
      const known = idPattern.test(id)
        ? await query
            .update(table)
            .set({ state: 'pending', attempts: 0, nextAt: sql`now()`, status: null, error: null, finishedAt: null })
            .where(and(eq(table.webhookId, webhookId), eq(table.id, BigInt(id))))
            .returning()
        : [];
      if (known.length === 0) throw new FirnError('not-found', 'There is no such message.');
      return deliveryOf(known[0]!);
    },
    async prune(before) {
      const old = query.select({ id: table.id }).from(table).where(lt(table.createdAt, before)).limit(pruneRowsMax);
      return (await query.delete(table).where(inArray(table.id, old)).returning({ id: table.id })).length;
    },
  };
}

function endOf(end: AttemptEnd) {
  if (end.as === 'retry') return { nextAt: sql`now() + ${end.delayMs}::double precision * interval '1 millisecond'` };
  return { state: end.as === 'delivered' ? ('delivered' as const) : ('failed' as const), finishedAt: sql`now()` };
}

function deliveryOf({ id, ...row }: typeof table.$inferSelect): Delivery {
  return { ...dropNulls(row), id: id.toString() };
}
