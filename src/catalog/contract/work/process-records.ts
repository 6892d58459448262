/** Signs of life of the processes that share the catalog. */
export interface ProcessRecords {
  /** Records a sign of life of a process and its current roles; the first one sets its start. */
  announce(process: {
    readonly id: string;
    readonly gateway: boolean;
    readonly worker: boolean;
    readonly version: string;
  }): Promise<void>;
  /** Records that the process ends. */
  leave(id: string): Promise<void>;
  /**
   * Processes of a role with a sign of life within `withinMs`, and the age of the oldest and the newest of these signs.
   */
  living(
    role: 'gateway' | 'worker',
    withinMs: number,
  ): Promise<
    { readonly count: 0 } | { readonly count: number; readonly oldestSignMs: number; readonly newestSignMs: number }
  >;
  /** Removes processes that were silent for `silentMs`; returns their number. */
  forget(silentMs: number): Promise<number>;
}
