import type { ProcessRecords } from '../catalog/contract/process-records.ts';
import { runPeriodically, type Periodic } from './run-periodically.ts';

/** Pause between two signs of life, in ms. */
const pauseMs = 10_000;
/** Whoever gave a sign of life within this time lives, in ms: two may be lost. */
export const livingMs = 35_000;
/** Whoever has been silent for so long is forgotten, in ms. */
const forgottenMs = 24 * 3600 * 1000;

export interface Announcement {
  readonly id: string;
  readonly version: string;
  readonly gateway: boolean;
  /** Whether it takes jobs now: one whose claim loop stands still says that it does not. */
  readonly worker: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Tells the catalog again and again that this process lives, and once, at the stop, that it does not any more. */
export function announceProcess(
  records: ProcessRecords,
  { id, version, gateway, worker, onError }: Announcement,
): Periodic {
  const announcing = runPeriodically(
    async () => {
      await records.announce({ id, version, gateway, worker: worker() });
      await records.forget(forgottenMs);
    },
    { pauseMs, onError },
  );
  return {
    async stop(deadlineMs) {
      await announcing.stop(deadlineMs);
      // Without it the others see it silent soon.
      await records.leave(id).catch(onError);
    },
  };
}
