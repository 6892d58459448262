import { and, asc, count, eq, getTableColumns, gt, inArray, isNull, or, sql, type SQL } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { VisibleRepositories } from '../../contract/repository-records.ts';
import { webhooksOfNamespaceMax, type Webhook, type WebhookRecords } from '../../contract/webhooks/webhook-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { repositories, webhooks } from '../../db/schema.ts';

const { repositoryId: _repositoryId, ...ofWebhook } = getTableColumns(webhooks);
const columns = { ...ofWebhook, repository: repositories.name };

/** See `WebhookRecords`. */
export function webhookRecords(db: Db): WebhookRecords {
  const select = ({ query }: Db) =>
    query.select(columns).from(webhooks).leftJoin(repositories, eq(repositories.id, webhooks.repositoryId));
  const get = async (within: Db, id: string): Promise<Webhook | undefined> => {
    const [found] = await select(within).where(eq(webhooks.id, id));
    return found && dropNulls(found);
  };
  return {
    create: (input) =>
      db.transaction(async (tx) => {
        if (input.repositoryId !== undefined) await refuseDeleted(tx, input.repositoryId);
        // One at a time in a namespace, so that their number is exact.
        await tx.rows(sql`select 1 from pg_advisory_xact_lock(hashtextextended(${`webhooks ${input.namespace}`}, 0))`);
        const [present] = await tx.query
          .select({ count: count() })
          .from(webhooks)
          .where(eq(webhooks.namespace, input.namespace));
        if (present!.count >= webhooksOfNamespaceMax)
          throw new FirnError('conflict', `A namespace has at most ${webhooksOfNamespaceMax} webhooks.`);
        const [created] = await tx.query.insert(webhooks).values(input).returning({ id: webhooks.id });
        return (await get(tx, created!.id))!;
      }),
    get: (id) => get(db, id),
    async lock(id) {
      const [locked] = await db.query
        .select({ id: webhooks.id })
        .from(webhooks)
        .where(eq(webhooks.id, id))
        .for('update');
      if (locked === undefined) throw missing();
      return (await get(db, id))!;
    },
    async list(page, of) {
      const later = page.after === undefined ? undefined : gt(webhooks.id, page.after);
      const found = await select(db)
        .where(and(later, among(of)))
        .orderBy(asc(webhooks.id))
        .limit(pageLimit(page));
      return found.map(dropNulls);
    },
    change: (id, change) =>
      db.transaction(async (tx) => {
        if (Object.keys(change).length > 0) await tx.query.update(webhooks).set(change).where(eq(webhooks.id, id));
        const changed = await get(tx, id);
        if (changed === undefined) throw missing();
        return changed;
      }),
    async delete(id) {
      const gone = await db.query.delete(webhooks).where(eq(webhooks.id, id)).returning({ id: webhooks.id });
      if (gone.length === 0) throw missing();
    },
  };
}

async function refuseDeleted({ query }: Db, repositoryId: string): Promise<void> {
  const [live] = await query
    .select({ id: repositories.id })
    .from(repositories)
    .where(and(eq(repositories.id, repositoryId), isNull(repositories.deletedAt)))
    .for('share');
  if (live === undefined) throw new FirnError('not-found', 'There is no such repository.');
}

function among(of: VisibleRepositories): SQL | undefined {
  if (of === 'all') return undefined;
  // A namespace of one's own has the webhooks of its repositories, too.
  const places = [
    ...(of.namespaces.length > 0 ? [inArray(webhooks.namespace, [...of.namespaces])] : []),
    ...of.repositories.map(({ namespace, name }) =>
      and(eq(webhooks.namespace, namespace), eq(repositories.name, name)),
    ),
  ];
  return places.length === 0 ? sql`false` : or(...places);
}

function missing(): FirnError {
  return new FirnError('not-found', 'There is no such webhook.');
}
