import type { Logger } from 'pino';
import type { Catalog } from '../catalog/contract/catalog.ts';
import { evalSetDirectory } from '../compress/eval-set/local-eval-set.ts';
import { expireReservations } from '../ingest/checkpoint/expire-reservations.ts';
import type { IngestContext } from '../ingest/ingest-context.ts';
import { expireUploads } from '../ingest/resumable/expire-uploads.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { markOrphans } from '../upkeep/garbage/mark-orphans.ts';
import { deletePending } from '../upkeep/garbage/delete-pending.ts';
import { reclaimHidden } from '../upkeep/reclaim-hidden.ts';
import { runPeriodically, type Periodic } from '../upkeep/run-periodically.ts';
import type { ScrubContext } from '../upkeep/scrub/examine-object.ts';
import { recheckDamaged } from '../upkeep/scrub/recheck-damaged.ts';
import { sweepEvalSets } from '../upkeep/sweep-eval-sets.ts';

export interface UpkeepParts {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly log: Logger;
  readonly workDirectory: string;
  readonly ingest: IngestContext;
  /** Whether this process does the chores of catalog and store, or only those of its own disk. */
  readonly ofHub: boolean;
  /** Whether this process is the only one, or one of many, which take turns. */
  readonly alone: boolean;
  /** How long an object stays after nothing names it any more. */
  readonly gcGraceMs: number;
  readonly onExpired: () => void;
  /** What reads objects as they are, not behind the quarantine. */
  readonly scrub: ScrubContext;
}

type Chore = (signal: AbortSignal) => Promise<number | void>;

/** How often orphans and old rows are looked for. */
const pauseMs = 10 * 60 * 1000;
/**
 * How often reservations and uploads are looked for whose time is over, in ms: a reservation holds up its run until
 * then.
 */
const expiryMs = 30 * 1000;
/**
 * A chore that any process has begun within this part of its pause is not begun again: less than all of it, so that no
 * turn is missed for a moment.
 */
const turnShare = 0.5;
/** Finished jobs are kept this long, for whoever asks what happened. */
const jobRetentionMs = 7 * 24 * 3600 * 1000;
/** Orphans are looked for by listing the whole store, and only kills leave any. */
const orphansEveryMs = 3600 * 1000;
/** A put that began so long ago and has not ended is one of a process that died. */
const unfinishedGraceMs = 24 * 3600 * 1000;

/** Each chore on its own: one that fails is told and keeps none of the others from being done. */
export function startUpkeep(parts: UpkeepParts): Periodic {
  const slow = repeat(
    parts,
    { ...ofThisDisk(parts), ...(parts.ofHub && inTurns(parts, ofTheHub(parts), pauseMs)) },
    pauseMs,
  );
  const fast = parts.ofHub ? repeat(parts, inTurns(parts, expiries(parts), expiryMs), expiryMs) : undefined;
  return { stop: async (deadlineMs) => void (await Promise.all([slow.stop(deadlineMs), fast?.stop(deadlineMs)])) };
}

function repeat({ log }: UpkeepParts, chores: Readonly<Record<string, Chore>>, everyMs: number): Periodic {
  const onError = (error: unknown, chore: string): void => log.error({ err: error, chore }, 'upkeep met an error');
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
    { pauseMs: everyMs, onError: (error) => onError(error, 'all') },
  );
}

function ofThisDisk({ catalog, workDirectory }: UpkeepParts): Record<string, Chore> {
  return { sweepEvalSets: (signal) => sweepEvalSets(catalog, evalSetDirectory(workDirectory), signal) };
}

/** Of what clients have begun and left. */
function expiries({ ingest, onExpired }: UpkeepParts): Record<string, Chore> {
  return {
    expireReservations: async () => {
      const expired = await expireReservations(ingest);
      if (expired > 0) onExpired();
      return expired;
    },
    expireUploads: (signal) => expireUploads(ingest, signal),
  };
}

function ofTheHub({ catalog, store, log, gcGraceMs: graceMs, scrub }: UpkeepParts): Record<string, Chore> {
  const ago = async (ms: number): Promise<Date> => new Date((await catalog.now()).getTime() - ms);
  return {
    reclaimHidden: (signal) => reclaimHidden({ catalog }, signal),
    markOrphans: async (signal) => {
      if (!(await catalog.chores.begin('list the store', orphansEveryMs))) return 0;
      return (await markOrphans({ catalog, store }, { graceMs }, signal)).objects;
    },
    deletePending: async (signal) => {
      const { objects, failed, error, named } = await deletePending({ catalog, store }, { graceMs }, signal);
      if (failed > 0) log.error({ err: error, objects: failed }, 'objects could not be deleted; they are tried again');
      if (named.length > 0) log.error({ keys: named }, 'objects pending deletion are named again and were left alone');
      return objects;
    },
    // Reads put objects into quarantine, whether or not there is a scrubber that takes them out.
    recheckDamaged: async (signal) => void (await recheckDamaged(scrub, signal)),
    sweepUnfinishedPuts: async (signal) => store.sweepUnfinished(await ago(unfinishedGraceMs), signal),
    pruneJobs: async () => catalog.jobs.prune(await ago(jobRetentionMs)),
    pruneIdempotency: async () => catalog.idempotency.prune(await catalog.now()),
    tidy: () => catalog.tidy(),
  };
}

/** Chores of the hub that its processes do by turns, each as often as if there were one process. */
function inTurns(
  { catalog, alone }: UpkeepParts,
  chores: Readonly<Record<string, Chore>>,
  everyMs: number,
): Readonly<Record<string, Chore>> {
  if (alone) return chores;
  const turnMs = everyMs * turnShare;
  return Object.fromEntries(
    Object.entries(chores).map(([name, run]) => [
      name,
      async (signal: AbortSignal) => ((await catalog.chores.begin(name, turnMs)) ? run(signal) : undefined),
    ]),
  );
}
