import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Trial } from '../../catalog/contract/trial-records.ts';
import type { Waiting } from '../../ingest/checkpoint/what-it-waits-for.ts';
import type { ProgressBus, ProgressNote } from './progress-bus.ts';

export type CheckpointEvent =
  | { readonly type: 'state'; readonly checkpoint: Checkpoint; readonly waitsFor?: Waiting }
  | { readonly type: 'phase'; readonly note: Extract<ProgressNote, { type: 'phase' }> }
  /** `ordinal` counts the checkpoint's trials from 1. */
  | { readonly type: 'trial'; readonly trial: Trial; readonly ordinal: number }
  /** Sent after a time without events, so that proxies do not close the connection. */
  | { readonly type: 'quiet' };

export interface FollowOptions {
  readonly catalog: Catalog;
  readonly progress: ProgressBus;
  readonly checkpointId: string;
  /** Number of trials that the follower knows already. */
  readonly trialsSeen: number;
  /** What the checkpoint waits for; undefined unless it is queued. */
  readonly waitsFor: (checkpoint: Checkpoint) => Promise<Waiting | undefined>;
  readonly signal: AbortSignal;
  /** Interval of polling the catalog while the bus is silent, in ms. */
  readonly pollMs: number;
  /** Time without events before a `quiet` event, in ms. */
  readonly quietMs: number;
  /** Whether the follower may still read the checkpoint; checked at this interval, in ms. */
  readonly mayGoOn: () => Promise<boolean>;
  readonly recheckMs: number;
}

/** Most phase notes waiting for a slow follower. Older ones are dropped, because only the newest matters. */
const waitingNotesMax = 64;

const terminalStates: readonly string[] = ['ready', 'failed', 'cancelled'];

/**
 * Events of a checkpoint from now on. Ends after its terminal state, when it is deleted, when its follower may no
 * longer read it, or when the signal fires. State and trials come from the catalog, so no event is missed even if
 * another process does the work; phases come from the bus.
 */
export async function* followCheckpoint(options: FollowOptions): AsyncGenerator<CheckpointEvent> {
  const { catalog, checkpointId, signal, quietMs } = options;
  const mailbox = openMailbox(options);
  let sent: string | undefined;
  let trialsSeen = options.trialsSeen;
  let quietSince = Date.now();
  let checkedAt = quietSince;
  try {
    while (!signal.aborted) {
      if (Date.now() - checkedAt >= options.recheckMs) {
        if (!(await options.mayGoOn())) return;
        checkedAt = Date.now();
      }
      // Read the state before the trials: then all trials of a terminal state are recorded.
      const checkpoint = await catalog.checkpoints.get(checkpointId);
      if (checkpoint === undefined) return;
      const events: CheckpointEvent[] = mailbox.take().map((note) => ({ type: 'phase', note }));
      for (const trial of (await catalog.trials.list(checkpointId)).slice(trialsSeen))
        events.push({ type: 'trial', trial, ordinal: ++trialsSeen });
      const waitsFor = await options.waitsFor(checkpoint);
      const { state } = checkpoint;
      // A state is sent again if the checkpoint waits for something else.
      const now = [state, waitsFor?.step, waitsFor?.state].join(' ');
      if (now !== sent) events.push({ type: 'state', checkpoint, ...(waitsFor && { waitsFor }) });
      sent = now;
      if (events.length === 0 && Date.now() - quietSince >= quietMs) events.push({ type: 'quiet' });
      if (events.length > 0) quietSince = Date.now();
      yield* events;
      if (terminalStates.includes(state)) return;
      await mailbox.wait();
    }
  } finally {
    mailbox.close();
  }
}

function openMailbox({ progress, checkpointId, signal, pollMs }: FollowOptions) {
  const notes: Extract<ProgressNote, { type: 'phase' }>[] = [];
  let changed = false;
  let wake = (): void => undefined;
  const unsubscribe = progress.subscribe(checkpointId, (note) => {
    changed = true;
    if (note.type === 'phase') notes.push(note);
    if (notes.length > waitingNotesMax) notes.shift();
    wake();
  });
  return {
    take: () => notes.splice(0),
    /** Resolves at the next note, after `pollMs`, or when the signal fires. */
    async wait(): Promise<void> {
      if (!changed && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(done, pollMs);
          function done(): void {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            resolve();
          }
          signal.addEventListener('abort', done);
          wake = done;
        });
      }
      wake = () => undefined;
      changed = false;
    },
    close: unsubscribe,
  };
}
