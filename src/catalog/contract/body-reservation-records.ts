/**
 * A body on its way in one request, of a file of a checkpoint or of a part of an eval set. What comes in several is in
 * upload-records.ts.
 */
export type BodyReservation = BytesToReserve &
  ({ readonly runId: string; readonly checkpointId: string } | { readonly evalSetId: string });
export interface BytesToReserve {
  /** Of this body alone. */
  readonly id: string;
  /** Bytes it is known to take in the store. */
  readonly sizeBytes: number;
  /** More that would be welcome, where it may still grow. */
  readonly aheadBytes?: number;
  /** How long its room stays without a `renew`. */
  readonly ttlMs: number;
}
export interface BodyReservationRecords {
  /**
   * Gives a body room, in place of what it had, if everything staged and arriving then stays within the limits, of its
   * run and in all, and everything stored and arriving within the quota of its namespace; else says which is in the way
   * and leaves it what it had. Of an eval set only the quota counts. Two that ask at once never get the same room, in
   * whatever processes they are.
   */
  take(
    reservation: BodyReservation,
    limits: { readonly runBytesMax: number; readonly bytesMax: number },
  ): Promise<{ readonly takenBytes: number } | 'run-full' | 'full' | 'over-quota'>;
  renew(id: string, ttlMs: number): Promise<void>;
  /** Call it in the transaction that records the body, so that its bytes are never counted twice, nor missed. */
  release(id: string): Promise<void>;
  /** Whether a body of the checkpoint is arriving anywhere. */
  has(checkpointId: string): Promise<boolean>;
}
