import { setTimeout as pause } from 'node:timers/promises';
import { markOrphans } from '../../src/upkeep/garbage/mark-orphans.ts';
import { verifyHub, type VerifiedHub } from '../../src/upkeep/verify-hub.ts';
import { onServer } from '../postgres/create-database.ts';
import { openStores, sweepStores, type SweptStores } from './sweep-stores.ts';
import type { TestStores } from './test-stores.ts';

/** How long the catalog may take a killed process for a living one, in ms, and how often a sweep is tried. */
const holdMsMax = 100_000;
const sweepEveryMs = 1_000;
/** Most keys in one sentence about remains. */
const keysToldMax = 10;

export interface ClosingReport {
  /** Objects that nothing ever named, before the last sweep. */
  readonly orphans: number;
  readonly verified: VerifiedHub;
  /** One sentence each: damaged and lost objects, and remains of the sweep. */
  readonly problems: readonly string[];
}

/**
 * No process lives, so no body is arriving. On a server, the reservations of killed processes would last for a minute;
 * the embedded catalog forgets them when it is opened.
 */
async function expireArrivingBodies({ environment }: Pick<TestStores, 'environment'>): Promise<void> {
  const url = environment['FIRN_DATABASE_URL'];
  if (url !== undefined) await onServer(url, 'update body_reservations set expires_at = now()');
}

/** Sweeps until nothing is left, or until everything that a killed process held has expired, such as leases. */
async function sweepUntilClean(hub: SweptStores): Promise<void> {
  for (const deadline = Date.now() + holdMsMax; ; await pause(sweepEveryMs)) {
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
  await expireArrivingBodies(stores);
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
