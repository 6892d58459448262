import type { ScrubRound } from '../../catalog/contract/integrity-records.ts';
import type { ScrubContext } from './examine-object.ts';
import { recheckDamaged } from './recheck-damaged.ts';
import { scrubObjects } from './scrub-objects.ts';

/** Of the one scrubber among all processes. */
const choreName = 'scrub';
/** Whoever has shown no sign of life for so long has died, and another goes on. */
const defaultTurnMs = 2 * 60 * 1000;
/** Signs of life within that time. */
const signsPerTurn = 4;

export interface ScrubTimes {
  /** From the beginning of one round to that of the next. */
  readonly everyMs: number;
  /** A turn without a sign of life is another's after so long. */
  readonly turnMs?: number;
}

/**
 * Goes on with the round of reading every object, or begins one when it is time; reads what is in quarantine again
 * before. Nothing happens while another process is at it. Where it was is remembered page by page, so whoever comes
 * next goes on there. Returns how many objects it read. Rejects as `scrubObjects`: a storage out of reach ends the
 * turn, not the round.
 */
export async function scrubTurn(
  ctx: ScrubContext,
  { everyMs, turnMs = defaultTurnMs }: ScrubTimes,
  signal?: AbortSignal,
): Promise<number> {
  const { catalog } = ctx;
  if (!(await catalog.chores.begin(choreName, turnMs))) return 0;
  // A sign that is lost costs nothing but a second reader.
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

/** Undefined while it is too early for another. */
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
