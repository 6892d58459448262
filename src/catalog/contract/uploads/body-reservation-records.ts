/**
 * A body arriving in one request, for a file of a checkpoint, a part of an eval set, or a file of a repository's
 * commits (`repositoryId`). Uploads in several requests are in upload-records.ts.
 */
export type BodyReservation = BytesToReserve &
  (
    | { readonly runId: string; readonly checkpointId: string }
    | { readonly evalSetId: string }
    | { readonly repositoryId: string }
  );
export interface BytesToReserve {
  /** Unique to this body. */
  readonly id: string;
  /** Bytes that it is known to take in the store. */
  readonly sizeBytes: number;
  /** Further bytes to reserve if there is room, for a body that may still grow. */
  readonly aheadBytes?: number;
  /** How long the reservation lasts without a `renew`. */
  readonly ttlMs: number;
}
export interface BodyReservationRecords {
  /**
   * Reserves room for a body, replacing its earlier reservation. Staged and arriving bytes must stay within the limits,
   * per run and in total, and stored and arriving bytes within the quota of the namespace. Otherwise it returns the
   * limit that was exceeded, and the earlier reservation stays. For an eval set only the quota counts, for a file of
   * commits the quota and the total. Concurrent calls
   * never get the same room, even from different processes.
   */
  take(
    reservation: BodyReservation,
    limits: { readonly runBytesMax: number; readonly bytesMax: number },
  ): Promise<{ readonly takenBytes: number } | 'run-full' | 'full' | 'over-quota'>;
  renew(id: string, ttlMs: number): Promise<void>;
  /** Call it in the transaction that records the body, so that its bytes are counted exactly once. */
  release(id: string): Promise<void>;
  /** Whether any process receives a body of the checkpoint. */
  has(checkpointId: string): Promise<boolean>;
}
