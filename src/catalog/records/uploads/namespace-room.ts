import { sql } from 'drizzle-orm';
import type { BodyReservation } from '../../contract/uploads/body-reservation-records.ts';
import type { Db } from '../../db/database.ts';
import { evalSets, namespaceQuotas, repositories, runs } from '../../db/schema.ts';
import { namedSums, reservedSums, type UsageScope } from '../usage/usage-sums.ts';

/**
 * First key of the advisory locks that serialize reservations in a namespace; the second is the namespace's hash. Any
 * number that is not used elsewhere.
 */
const namespaceLockKey = 0x6669_726e;

/**
 * Bytes that an arriving body's namespace has left under its quota, not counting what the body reserved before;
 * infinite without a quota.
 */
export async function roomOfNamespace(tx: Db, reservation: BodyReservation): Promise<number> {
  const own =
    'repositoryId' in reservation
      ? sql`select ${reservation.repositoryId}`
      : 'evalSetId' in reservation
        ? sql`select ${evalSets.repositoryId} from ${evalSets} where ${evalSets.id} = ${reservation.evalSetId}`
        : sql`select ${runs.repositoryId} from ${runs} where ${runs.id} = ${reservation.runId}`;
  const [owner] = await tx.rows(sql`
    select ${namespaceQuotas.namespace} as namespace
    from ${namespaceQuotas} join ${repositories} on ${repositories.namespace} = ${namespaceQuotas.namespace}
    where ${repositories.id} in (${own})`);
  return owner === undefined
    ? Number.POSITIVE_INFINITY
    : roomUnderQuota(tx, owner['namespace'] as string, { exceptId: reservation.id });
}

/**
 * Bytes that a namespace has left under its quota, not counting the reservation `exceptId`; infinite without a quota.
 * Concurrent requests for one namespace wait for each other's transactions, so each sees what the others took. Objects
 * pending deletion do not count: deleting frees room at once.
 */
export async function roomUnderQuota(
  tx: Db,
  namespace: string,
  { exceptId = '' }: { readonly exceptId?: string } = {},
): Promise<number> {
  await lockNamespace(tx, namespace);
  const [quota] = await tx.rows(sql`
    select ${namespaceQuotas.storedBytesMax}::text as bytes
    from ${namespaceQuotas} where ${namespaceQuotas.namespace} = ${namespace}`);
  if (quota === undefined) return Number.POSITIVE_INFINITY;
  const scope: UsageScope = (id) =>
    sql`${id} in (select ${repositories.id} from ${repositories} where ${repositories.namespace} = ${namespace})`;
  return Number(quota['bytes']) - (await takenBytes(tx, scope, exceptId));
}

/** Bytes that a repository takes of a quota: everything stored for it, and room reserved for what is arriving. */
export function bytesOfRepository(tx: Db, repositoryId: string): Promise<number> {
  return takenBytes(tx, (id) => sql`${id} = ${repositoryId}`);
}

async function takenBytes(tx: Db, scope: UsageScope, exceptId?: string): Promise<number> {
  const [sum] = await tx.rows(
    sql`select coalesce(sum(bytes), 0)::text as bytes
      from (${namedSums(scope)} union all ${reservedSums(scope, exceptId)}) parts`,
  );
  return Number(sum!['bytes']);
}

/** Locks what a namespace may take until the transaction ends: its quota, and the room under it. */
export async function lockNamespace(tx: Db, namespace: string): Promise<void> {
  await tx.rows(sql`select 1 from pg_advisory_xact_lock(${namespaceLockKey}, hashtext(${namespace}))`);
}
