import type { Logger } from 'pino';
import type { Catalog } from './catalog/catalog.ts';
import { evalSetDirectory } from './compress/local-eval-set.ts';
import { expireReservations } from './ingest/expire-reservations.ts';
import type { IngestContext } from './ingest/ingest-context.ts';
import { expireUploads } from './ingest/resumable/expire-uploads.ts';
import { sweepStaged } from './ingest/sweep-staged.ts';
import type { ObjectStore } from './store/object-store.ts';
import { reclaimHidden } from './upkeep/reclaim-hidden.ts';
import { runPeriodically, type Periodic } from './upkeep/run-periodically.ts';
import { sweepEvalSets } from './upkeep/sweep-eval-sets.ts';
import { sweepPackages } from './upkeep/sweep-packages.ts';

export interface UpkeepParts {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly log: Logger;
  readonly workDirectory: string;
  readonly ingest: IngestContext;
  /** Whether this process does the chores of catalog and store, or only those of its own disk. */
  readonly ofHub: boolean;
  /** By the catalog's clock, where this process is the only one; undefined where it is one of many, which take turns. */
  readonly aloneSince: Date | undefined;
  /** Whether objects are stamped by another machine's clock, as in a bucket. */
  readonly foreignStamps: boolean;
  readonly onExpired: () => void;
}

type Chore = (signal: AbortSignal) => Promise<number | void>;

/** How often reservations, orphans and old rows are looked for. */
const pauseMs = 10 * 60 * 1000;
/** A chore that any process has begun within this time is not begun again: less than the pause, so that no turn is missed for a moment. */
const turnMs = pauseMs / 2;
/** Finished jobs are kept this long, for whoever asks what happened. */
const jobRetentionMs = 7 * 24 * 3600 * 1000;
/** A package without a row may be one whose encode is about to commit; verifying it and evaluating it takes far less than this. */
const packageGraceMs = 24 * 3600 * 1000;
/** A put that began so long ago and has not ended is one of a process that died. */
const unfinishedGraceMs = 24 * 3600 * 1000;

/** Each chore on its own: one that fails is told and keeps none of the others from being done. */
export function startUpkeep(parts: UpkeepParts): Periodic {
  const { log } = parts;
  const onError = (error: unknown, chore: string): void => log.error({ err: error, chore }, 'upkeep met an error');
  const chores: Readonly<Record<string, Chore>> = { ...ofThisDisk(parts), ...(parts.ofHub && ofTheHub(parts)) };
  return runPeriodically(
    async (signal) => {
      for (const [chore, run] of Object.entries(chores)) {
        try {
          signal.throwIfAborted();
          const count = await run(signal);
          if (typeof count === 'number' && count > 0) log.info({ chore, count }, 'upkeep');
        } catch (error) {
          if (signal.aborted) return;
          onError(error, chore);
        }
      }
    },
    { pauseMs, onError: (error) => onError(error, 'all') },
  );
}

function ofThisDisk({ catalog, workDirectory }: UpkeepParts): Record<string, Chore> {
  return { sweepEvalSets: (signal) => sweepEvalSets(catalog, evalSetDirectory(workDirectory), signal) };
}

function ofTheHub({ catalog, store, ingest, aloneSince, foreignStamps, onExpired }: UpkeepParts): Record<string, Chore> {
  const ago = async (ms: number): Promise<Date> => new Date((await catalog.now()).getTime() - ms);
  const chores: Record<string, Chore> = {
    expireReservations: async () => {
      const expired = await expireReservations(ingest);
      if (expired > 0) onExpired();
      return expired;
    },
    expireUploads: (signal) => expireUploads(ingest, signal),
    reclaimHidden: (signal) => reclaimHidden({ catalog, store }, signal),
    sweepStaged: (signal) => sweepStaged(ingest, signal),
    // A package of a process that was the only one before this one, without a row, will never have one: where its stamp and that process's life are of one clock.
    sweepPackages: async (signal) => {
      const before = await ago(packageGraceMs);
      const isKnown = aloneSince !== undefined && !foreignStamps && aloneSince > before;
      return sweepPackages({ catalog, store }, isKnown ? aloneSince : before, signal);
    },
    sweepUnfinishedPuts: async (signal) => store.sweepUnfinished(await ago(unfinishedGraceMs), signal),
    pruneJobs: async () => catalog.jobs.prune(await ago(jobRetentionMs)),
    pruneIdempotency: async () => catalog.idempotency.prune(await catalog.now()),
    tidy: () => catalog.tidy(),
  };
  if (aloneSince !== undefined) return chores;
  return Object.fromEntries(
    Object.entries(chores).map(([name, run]) => [name, async (signal: AbortSignal) => ((await catalog.chores.begin(name, turnMs)) ? run(signal) : undefined)]),
  );
}
