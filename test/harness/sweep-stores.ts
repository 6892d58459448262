import pino from 'pino';
import { readConfig } from '../../src/config.ts';
import { markOrphans } from '../../src/upkeep/garbage/mark-orphans.ts';
import { deletePending } from '../../src/upkeep/garbage/delete-pending.ts';
import { reclaimHidden } from '../../src/upkeep/reclaim-hidden.ts';
import { openStoredHub, type StoredHub } from '../../src/process/open-parts.ts';
import type { TestStores } from './test-stores.ts';

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
