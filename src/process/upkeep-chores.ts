import type { Logger } from 'pino';
import type { Catalog } from '../catalog/contract/catalog.ts';
import { evalSetDirectory } from '../compress/eval-set/local-eval-set.ts';
import { expireReservations } from '../ingest/checkpoint/reservation/expire-reservations.ts';
import type { IngestContext } from '../ingest/ingest-context.ts';
import { expireHubFiles } from '../hub/upload/expire-hub-files.ts';
import { commitWaiting } from '../hub/commit/commit-native.ts';
import { publishWaiting } from '../hub/commit/publish-compressed.ts';
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
  /** Whether this is the only process; several processes take turns. */
  readonly alone: boolean;
  /** How long an object stays after its last name was removed. */
  readonly gcGraceMs: number;
  readonly onExpired: () => void;
  /** Reads objects without the quarantine. */
  readonly scrub: ScrubContext;
}

type Chore = (signal: AbortSignal) => Promise<number | void>;

/** Pause between two rounds of most chores, in ms. */
const pauseMs = 10 * 60 * 1000;
/** Pause between two searches for expired reservations and uploads, in ms. A reservation blocks its run until then. */
const expiryMs = 30 * 1000;
/**
 * A chore that any process began within this share of its pause does not begin again. It is less than the whole pause,
 * so that a small delay does not skip a turn.
 */
const turnShare = 0.5;
/** How long finished jobs stay for inspection, in ms. */
const jobRetentionMs = 7 * 24 * 3600 * 1000;
/** How long messages to webhooks stay for inspection, in ms; all attempts at one take two days. */
const deliveryRetentionMs = 14 * 24 * 3600 * 1000;
/** Pause between two searches for orphans, in ms. Each lists the whole store, and only kills leave orphans. */
const orphansEveryMs = 3600 * 1000;
/** An unfinished put that began this long ago, in ms, belongs to a dead process. */
const unfinishedGraceMs = 24 * 3600 * 1000;

/** Starts the chores. Each is independent: a failure is logged and does not stop the others. */
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

/** Chores that end what clients began and abandoned. */
function expiries({ ingest, onExpired }: UpkeepParts): Record<string, Chore> {
  return {
    expireReservations: async () => {
      const expired = await expireReservations(ingest);
      if (expired > 0) onExpired();
      return expired;
    },
    expireUploads: (signal) => expireUploads(ingest, signal),
    publishCompressed: () => publishWaiting(ingest.catalog),
    expireHubFiles: () => expireHubFiles(ingest),
  };
}

function ofTheHub({ catalog, store, log, gcGraceMs: graceMs, scrub }: UpkeepParts): Record<string, Chore> {
  const ago = async (ms: number): Promise<Date> => new Date((await catalog.now()).getTime() - ms);
  return {
    commitNative: () => commitWaiting(catalog),
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
    // Failed reads put objects into quarantine, even if no scrubber runs to release them.
    recheckDamaged: async (signal) => void (await recheckDamaged(scrub, signal)),
    sweepUnfinishedPuts: async (signal) => store.sweepUnfinished(await ago(unfinishedGraceMs), signal),
    pruneJobs: async () => catalog.jobs.prune(await ago(jobRetentionMs)),
    pruneDeliveries: async () => catalog.deliveries.prune(await ago(deliveryRetentionMs)),
    pruneIdempotency: async () => catalog.idempotency.prune(await catalog.now()),
    tidy: () => catalog.tidy(),
  };
}

/** Chores that the hub's processes do in turns, together as often as one process would. */
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
