import { sql } from 'drizzle-orm';
import type { BodyReservation } from '../../contract/uploads/body-reservation-records.ts';
import type { Db } from '../../db/database.ts';
import { evalSets, namespaceQuotas, repositories, runs } from '../../db/schema.ts';
import { reservedSums, namedSums } from '../usage/usage-sums.ts';

/**
 * First key of the advisory locks that serialize reservations in a namespace; the second is the namespace's hash. Any
 * number that is not used elsewhere.
 */
const namespaceLockKey = 0x6669_726e;

/**
 * Bytes that an arriving body's namespace has left under its quota, not counting what the body reserved before;
 * infinite without a quota. Concurrent requests for one namespace wait for each other's transactions, so each sees the
 * others' reservations. Objects pending deletion do not count: deleting frees room at once.
 */
export async function roomOfNamespace(tx: Db, reservation: BodyReservation): Promise<number> {
  const own =
    'repositoryId' in reservation
      ? sql`select ${reservation.repositoryId}`
      : 'evalSetId' in reservation
        ? sql`select ${evalSets.repositoryId} from ${evalSets} where ${evalSets.id} = ${reservation.evalSetId}`
        : sql`select ${runs.repositoryId} from ${runs} where ${runs.id} = ${reservation.runId}`;
  const limited = sql`
    select ${namespaceQuotas.namespace} as namespace, ${namespaceQuotas.storedBytesMax}::text as bytes
    from ${namespaceQuotas} join ${repositories} on ${repositories.namespace} = ${namespaceQuotas.namespace}
    where ${repositories.id} in (${own})`;
  const [unlocked] = await tx.rows(limited);
  if (unlocked === undefined) return Number.POSITIVE_INFINITY;
  const namespace = unlocked['namespace'] as string;
  await tx.rows(sql`select 1 from pg_advisory_xact_lock(${namespaceLockKey}, hashtext(${namespace}))`);
  const [quota] = await tx.rows(limited);
  if (quota === undefined) return Number.POSITIVE_INFINITY;
  const scope = (id: ReturnType<typeof sql>) =>
    sql`${id} in (select ${repositories.id} from ${repositories} where ${repositories.namespace} = ${namespace})`;
  const [used] = await tx.rows(
    sql`select coalesce(sum(bytes), 0)::text as bytes
      from (${namedSums(scope)} union all ${reservedSums(scope, reservation.id)}) parts`,
  );
  return Number(quota['bytes']) - Number(used!['bytes']);
}
