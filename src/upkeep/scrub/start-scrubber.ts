import type { Logger } from 'pino';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { Tracer } from '../../telemetry/tracer.ts';
import { runPeriodically, type Periodic } from '../run-periodically.ts';
import { damageToLog } from './damage-to-log.ts';
import type { ScrubContext } from './examine-object.ts';
import { ReadRate } from './read-rate.ts';
import { scrubTurn } from './scrub-turn.ts';

/**
 * Interval between two checks whether a round is due, in ms. It is longer than a turn, so that a process that ends one
 * turn does not always get the next.
 */
const pauseMs = 10 * 60 * 1000;

export interface ScrubberParts {
  readonly catalog: Catalog;
  /** The store without the quarantine. */
  readonly store: ObjectStore;
  readonly log: Logger;
  readonly tracer: Tracer;
  readonly bytesPerSecond: number;
  /** From the beginning of one round to that of the next, in ms. */
  readonly everyMs: number;
  readonly onRead: (bytes: number) => void;
}

/**
 * Reads every object in the background, in one process at a time, and logs damaged ones with everything that they make
 * unreadable.
 */
export function startScrubber({
  catalog,
  store,
  log,
  tracer,
  bytesPerSecond,
  everyMs,
  onRead,
}: ScrubberParts): Periodic {
  const ctx: ScrubContext = {
    catalog,
    store,
    rate: new ReadRate(bytesPerSecond),
    onRead,
    ...damageToLog(log),
  };
  return runPeriodically(
    async (signal) => {
      const objects = await tracer.span('scrub', {}, async (span) => {
        const read = await scrubTurn(ctx, { everyMs }, signal);
        span.set({ 'firn.objects': read });
        return read;
      });
      if (objects > 0) log.info({ chore: 'scrub', count: objects }, 'upkeep');
    },
    {
      pauseMs,
      onError: (error) => {
        const isPassing = error instanceof FirnError && (error.code === 'unavailable' || error.code === 'overloaded');
        log[isPassing ? 'warn' : 'error'](
          { err: error, chore: 'scrub' },
          'the round of reading every object was broken off and goes on later',
        );
      },
    },
  );
}
