import { discardReservation } from './discard-reservation.ts';
import type { IngestContext } from '../ingest-context.ts';

/** Reservations given up in one call; the next call goes on. */
const reservationsPerCall = 100;

/**
 * Gives up reservations whose client has shown no sign of life for `reservationTtlMs`, so that they hold up neither
 * their run nor its bytes. One whose body is arriving anywhere is alive. Returns how many were given up.
 */
export async function expireReservations(ctx: IngestContext): Promise<number> {
  const untouchedSince = new Date((await ctx.now()).getTime() - ctx.limits.reservationTtlMs);
  let discarded = 0;
  for (const { id } of await ctx.catalog.checkpoints.staleOpen(untouchedSince, reservationsPerCall)) {
    if (await discardReservation(ctx, id, { untouchedSince })) discarded++;
  }
  return discarded;
}
