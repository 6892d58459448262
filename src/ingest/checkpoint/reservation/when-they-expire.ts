import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { IngestContext } from '../../ingest-context.ts';

type Context = Pick<IngestContext, 'catalog'> & {
  readonly limits: Pick<IngestContext['limits'], 'reservationTtlMs'>;
};

/**
 * When each of these checkpoints that is open is given up, by id: `reservationTtlMs` after its last sign of life. One
 * query, none if no checkpoint is open.
 */
export async function whenTheyExpire(
  { catalog, limits }: Context,
  checkpoints: readonly Pick<Checkpoint, 'id' | 'state'>[],
): Promise<ReadonlyMap<string, Date>> {
  const open = checkpoints.filter(({ state }) => state === 'open').map(({ id }) => id);
  const signs = open.length === 0 ? new Map<string, Date>() : await catalog.checkpoints.signsOfLife(open);
  return new Map([...signs].map(([id, at]) => [id, new Date(at.getTime() + limits.reservationTtlMs)]));
}
