import { discardReservation } from './discard-reservation.ts';
import type { IngestContext } from '../../ingest-context.ts';

/** Reservations discarded in one call; the next call continues. */
const reservationsPerCall = 100;

/**
 * Discards reservations without a sign of life for `reservationTtlMs`, so that they block neither their run nor its
 * staged bytes. A reservation with an arriving body at any gateway is alive. Returns the number discarded.
 */
export async function expireReservations(ctx: IngestContext): Promise<number> {
  const untouchedSince = new Date((await ctx.now()).getTime() - ctx.limits.reservationTtlMs);
  let discarded = 0;
  for (const { id } of await ctx.catalog.checkpoints.staleOpen(untouchedSince, reservationsPerCall)) {
    if (await discardReservation(ctx, id, { untouchedSince })) discarded++;
  }
  return discarded;
}
