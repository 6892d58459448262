import type { ScrubRound } from '../../catalog/contract/storage/integrity-records.ts';
import type { ScrubContext } from './examine-object.ts';
import { recheckDamaged } from './recheck-damaged.ts';
import { scrubObjects } from './scrub-objects.ts';

/** Name of the chore; one process scrubs at a time. */
const choreName = 'scrub';
/** A process without a sign of life for this long, in ms, counts as dead, and another continues. */
const defaultTurnMs = 2 * 60 * 1000;
/** Signs of life in that time. */
const signsPerTurn = 4;

export interface ScrubTimes {
  /** From the beginning of one round to that of the next, in ms. */
  readonly everyMs: number;
  /** How long a turn lasts without a sign of life, in ms. */
  readonly turnMs?: number;
}

/**
 * Continues the round of reading every object, or begins one when it is due; before that it reads the objects in
 * quarantine again. Does nothing while another process scrubs. The position is stored after each page, so that the next
 * process continues there. Returns the number of objects read. Rejects as `scrubObjects`: an unreachable storage ends
 * the turn, not the round.
 */
export async function scrubTurn(
  ctx: ScrubContext,
  { everyMs, turnMs = defaultTurnMs }: ScrubTimes,
  signal?: AbortSignal,
): Promise<number> {
  const { catalog } = ctx;
  if (!(await catalog.chores.begin(choreName, turnMs))) return 0;
  // If a sign of life is lost, the worst result is a second reader.
  const keeping = setInterval(() => void catalog.chores.keep(choreName).catch(() => undefined), turnMs / signsPerTurn);
  keeping.unref();
  try {
    await recheckDamaged(ctx, signal);
    const now = await catalog.now();
    const last = await catalog.objects.scrubRound();
    const round = last === undefined || last.endedAt !== undefined ? roundAfter(last, now, everyMs) : last;
    return round === undefined ? 0 : await goOn(ctx, round, signal);
  } finally {
    clearInterval(keeping);
  }
}

/** Undefined while the next round is not due. */
function roundAfter(last: ScrubRound | undefined, now: Date, everyMs: number): ScrubRound | undefined {
  if (last !== undefined && now.getTime() - last.begunAt.getTime() < everyMs) return undefined;
  return { begunAt: now, afterKey: '', objects: 0, bytes: 0 };
}

async function goOn(ctx: ScrubContext, from: ScrubRound, signal: AbortSignal | undefined): Promise<number> {
  const { objects: records } = ctx.catalog;
  let round = from;
  const { objects } = await scrubObjects(
    ctx,
    {
      afterKey: from.afterKey,
      onPage: async (afterKey, read) => {
        round = { ...from, afterKey, objects: from.objects + read.objects, bytes: from.bytes + read.bytes };
        await records.setScrubRound(round);
      },
    },
    signal,
  );
  await records.setScrubRound({ ...round, endedAt: await ctx.catalog.now() });
  return objects;
}
