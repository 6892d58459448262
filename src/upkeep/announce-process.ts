import type { ProcessRecords } from '../catalog/contract/work/process-records.ts';
import type { DeviceKind } from '../checkpoint/device-kind.ts';
import { runPeriodically, type Periodic } from './run-periodically.ts';

/** Pause between two signs of life, in ms. */
const pauseMs = 10_000;
/** A process that was silent for this long is removed, in ms. */
const forgottenMs = 24 * 3600 * 1000;

export interface Announcement {
  readonly id: string;
  readonly version: string;
  readonly gateway: boolean;
  /** Whether it takes jobs now; false if its claim loop stands still. */
  readonly worker: () => boolean;
  /** The best that its evaluations run on. */
  readonly device: () => Promise<DeviceKind>;
  readonly onError: (error: unknown) => void;
}

/** Reports to the catalog periodically that this process lives, and once, when it stops, that it does not any more. */
export function announceProcess(
  records: ProcessRecords,
  { id, version, gateway, worker, device, onError }: Announcement,
): Periodic {
  const announcing = runPeriodically(
    async () => {
      await records.announce({ id, version, gateway, worker: worker(), device: await device() });
      await records.forget(forgottenMs);
    },
    { pauseMs, onError },
  );
  return {
    async stop(deadlineMs) {
      await announcing.stop(deadlineMs);
      // If this fails, the others soon notice the silence.
      await records.leave(id).catch(onError);
    },
  };
}
