import { eq, sql } from 'drizzle-orm';
import type { Db } from '../../db/database.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { namespaceQuotas, repositories } from '../../db/schema.ts';
import { textList } from '../../db/text-list.ts';
import { storedParts, type Quota, type Usage, type UsageRecords } from '../../contract/storage/usage-records.ts';
import { lockNamespace } from '../uploads/namespace-room.ts';
import { usageSums } from './usage-sums.ts';

/**
 * See `UsageRecords`. Each verb sums up in one statement, so that a body or package that moves from one part to another
 * is counted once.
 */
export function usageRecords(db: Db): UsageRecords {
  return {
    async namespaces(page, names) {
      const quotas = await namespacesOf(db, { limit: pageLimit(page), after: page.after ?? '' }, names);
      if (quotas.size === 0) return [];
      const ids = sql`(select ${repositories.id} from ${repositories}
        where ${repositories.namespace} in ${textList([...quotas.keys()])})`;
      const sums = await db.rows(sql`
        select ${repositories.namespace} as namespace, part, sum(bytes)::text as bytes
        from (${usageSums((id) => sql`${id} in ${ids}`)}) parts
        join ${repositories} on ${repositories.id} = parts.repository_id group by 1, 2`);
      return [...quotas].map(([namespace, storedBytesMax]) => ({
        namespace,
        ...usageOf(sums.filter((row) => row['namespace'] === namespace)),
        ...(storedBytesMax !== undefined && { quota: { storedBytesMax } }),
      }));
    },
    async repository(id) {
      return usageOf(
        await db.rows(
          sql`select part, sum(bytes)::text as bytes from (${usageSums((own) => sql`${own} = ${id}`)}) parts
            group by 1`,
        ),
      );
    },
    async hub() {
      return usageOf(
        await db.rows(
          sql`select part, sum(bytes)::text as bytes from (${usageSums(() => sql`true`)}) parts group by 1`,
        ),
      );
    },
    quota: (namespace) => quotaOf(db, namespace),
    async lockQuota(namespace) {
      await lockNamespace(db, namespace);
      return quotaOf(db, namespace);
    },
    async setQuota(namespace, quota) {
      await db.transaction(async (tx) => {
        await lockNamespace(tx, namespace);
        if (quota === undefined) await tx.query.delete(namespaceQuotas).where(eq(namespaceQuotas.namespace, namespace));
        else
          await tx.query
            .insert(namespaceQuotas)
            .values({ namespace, ...quota })
            .onConflictDoUpdate({ target: namespaceQuotas.namespace, set: quota });
      });
    },
    async addTransfers(added) {
      if (added.length === 0) return;
      // Always in the same order, so that two gateways never deadlock on each other's rows.
      const rows = [...added]
        .sort((a, b) => (a.repositoryId < b.repositoryId ? -1 : 1))
        .map((row) => sql`(${row.repositoryId}::text, ${row.received}::bigint, ${row.sent}::bigint)`);
      await db.rows(sql`
        insert into transfers (repository_id, day, received_bytes, sent_bytes)
        select added.id, (now() at time zone 'utc')::date, added.received, added.sent
        from (values ${sql.join(rows, sql`, `)}) added (id, received, sent)
        join ${repositories} on ${repositories.id} = added.id order by added.id
        on conflict (repository_id, day) do update
        set received_bytes = transfers.received_bytes + excluded.received_bytes,
          sent_bytes = transfers.sent_bytes + excluded.sent_bytes`);
    },
  };
}

/** Names and quotas of one page, in order. */
async function namespacesOf(
  db: Db,
  { limit, after }: { readonly limit: number; readonly after: string },
  names?: readonly string[],
): Promise<Map<string, number | undefined>> {
  if (names?.length === 0) return new Map();
  const among = names === undefined ? sql`` : sql`and namespace in ${textList(names)}`;
  const found = await db.rows(sql`
    select namespace, ${namespaceQuotas.storedBytesMax}::text as stored_bytes_max
    from (select ${repositories.namespace} from ${repositories}
      union select ${namespaceQuotas.namespace} from ${namespaceQuotas}) known
    left join ${namespaceQuotas} using (namespace)
    where namespace > ${after} ${among} order by namespace limit ${limit}`);
  return new Map(
    found.map((row) => [
      row['namespace'] as string,
      row['stored_bytes_max'] === null ? undefined : Number(row['stored_bytes_max']),
    ]),
  );
}

function usageOf(sums: readonly Readonly<Record<string, unknown>>[]): Usage {
  const bytes = (part: string): number => Number(sums.find((row) => row['part'] === part)?.['bytes'] ?? 0);
  const stored = Object.fromEntries(storedParts.map((part) => [part, bytes(part)])) as Record<
    (typeof storedParts)[number],
    number
  >;
  return {
    logical: bytes('logical'),
    stored,
    compressed: {
      count: bytes('compressed'),
      rawBytes: bytes('compressedRaw'),
      storedBytes: bytes('compressedStored'),
    },
    reserved: bytes('reserved'),
    received: bytes('received'),
    sent: bytes('sent'),
  };
}

async function quotaOf({ query }: Db, namespace: string): Promise<Quota | undefined> {
  const [found] = await query
    .select({ storedBytesMax: namespaceQuotas.storedBytesMax })
    .from(namespaceQuotas)
    .where(eq(namespaceQuotas.namespace, namespace));
  return found;
}
