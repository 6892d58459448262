import type { DeviceKind } from '../../../checkpoint/device-kind.ts';

/**
 * A process counts as alive for this long after a sign of life, in ms. One is given every ten seconds: two may be lost.
 */
export const livingMs = 35_000;

/** Signs of life of the processes that share the catalog. */
export interface ProcessRecords {
  /** Records a sign of life of a process and its current roles; the first one sets its start. */
  announce(process: {
    readonly id: string;
    readonly gateway: boolean;
    readonly worker: boolean;
    readonly version: string;
    /** The best that its evaluations run on; `cpu` when absent. */
    readonly device?: DeviceKind;
  }): Promise<void>;
  /** Records that the process ends. */
  leave(id: string): Promise<void>;
  /**
   * Processes of a role, those with a device of one kind if that is given, with a sign of life within `withinMs`, and
   * the age of the oldest and the newest of these signs.
   */
  living(
    role: 'gateway' | 'worker',
    withinMs: number,
    device?: DeviceKind,
  ): Promise<
    { readonly count: 0 } | { readonly count: number; readonly oldestSignMs: number; readonly newestSignMs: number }
  >;
  /** Removes processes that were silent for `silentMs`; returns their number. */
  forget(silentMs: number): Promise<number>;
}
