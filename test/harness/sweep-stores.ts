import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { readConfig } from '../../src/config.ts';
import { markOrphans } from '../../src/upkeep/garbage/mark-orphans.ts';
import { deletePending } from '../../src/upkeep/garbage/delete-pending.ts';
import { reclaimHidden } from '../../src/upkeep/reclaim-hidden.ts';
import { verifyHub, type VerifiedHub } from '../../src/upkeep/verify-hub.ts';
import { openStoredHub, type StoredHub } from '../../src/process/open-parts.ts';
import type { TestStores } from './test-stores.ts';

/** How long the catalog may take a killed process for a living one, in ms. */
const holdMsMax = 100_000;
/** Most keys in one sentence about remains. */
const keysToldMax = 10;

export type SweptStores = Pick<StoredHub, 'catalog' | 'store'>;

/**
 * Collects garbage older than `graceMs`, like the hub's upkeep. 0 collects every unnamed object and needs stores that
 * nobody writes to. Returns the number of deleted objects.
 */
export async function sweepStores(
  { catalog, store }: SweptStores,
  graceMs: number,
  signal?: AbortSignal,
): Promise<number> {
  await reclaimHidden({ catalog }, signal);
  await markOrphans({ catalog, store }, { graceMs }, signal);
  return (await deletePending({ catalog, store }, { graceMs }, signal)).objects;
}

export interface ClosingReport {
  /** Objects that nothing ever named, before the last sweep. */
  readonly orphans: number;
  readonly verified: VerifiedHub;
  /** One sentence each: damaged and lost objects, and remains of the sweep. */
  readonly problems: readonly string[];
}

/** Opens stores that no hub uses any more; the caller closes them. */
export function openStores({
  environment,
  dataDirectory,
}: Pick<TestStores, 'environment' | 'dataDirectory'>): Promise<StoredHub> {
  return openStoredHub(
    readConfig({ ...environment, FIRN_DATA_DIR: dataDirectory }),
    pino({ level: 'error' }, pino.destination(2)),
  );
}

/**
 * Sweeps until nothing is left, or until everything that a killed process held has expired: reservations of arriving
 * bodies, and leases.
 */
async function sweepUntilClean(hub: SweptStores): Promise<void> {
  for (const deadline = Date.now() + holdMsMax; ; await pause(holdMsMax / 20)) {
    await sweepStores(hub, 0);
    if ((await unnamedKeys(hub)).length === 0 || Date.now() > deadline) return;
  }
}

async function unnamedKeys({ catalog, store }: SweptStores): Promise<string[]> {
  const unnamed: string[] = [];
  for await (const { key } of store.list('')) if ((await catalog.objects.named([key])).length === 0) unnamed.push(key);
  return unnamed;
}

/**
 * Verifies that everything named exists and is right, sweeps without grace, verifies again, and checks that nothing
 * else is left. No hub may run.
 */
export async function closeStores(stores: Pick<TestStores, 'environment' | 'dataDirectory'>): Promise<ClosingReport> {
  const hub = await openStores(stores);
  try {
    const problems: string[] = [];
    await verifyHub(hub, (line) => problems.push(`before the sweep: ${line}`));
    const { objects: orphans } = await markOrphans(hub, { graceMs: 0, dryRun: true });
    await sweepUntilClean(hub);
    const verified = await verifyHub(hub, (line) => problems.push(`after the sweep: ${line}`));
    const left = await unnamedKeys(hub);
    if (left.length > 0)
      problems.push(
        `${left.length} objects are named by nothing and were not swept: ${left.slice(0, keysToldMax).join(' ')}`,
      );
    return { orphans, verified, problems };
  } finally {
    await hub.close();
  }
}
