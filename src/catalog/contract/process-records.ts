/** Signs of life of the processes that share the catalog. */
export interface ProcessRecords {
  /** Says that a process lives, and what it does now; its start is the first time it did. */
  announce(process: {
    readonly id: string;
    readonly gateway: boolean;
    readonly worker: boolean;
    readonly version: string;
  }): Promise<void>;
  /** Says that it ends. */
  leave(id: string): Promise<void>;
  /**
   * Those of a role that gave a sign of life within `withinMs`, and how old the oldest and the newest of these signs
   * are.
   */
  living(
    role: 'gateway' | 'worker',
    withinMs: number,
  ): Promise<
    { readonly count: 0 } | { readonly count: number; readonly oldestSignMs: number; readonly newestSignMs: number }
  >;
  /** Removes those that have been silent for so long; returns how many. */
  forget(silentMs: number): Promise<number>;
}
