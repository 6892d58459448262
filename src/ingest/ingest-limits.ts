/** Limits of uploads. */
export interface IngestLimits {
  /** Largest file of a checkpoint, in bytes. */
  readonly fileBytesMax: number;
  readonly filesPerCheckpointMax: number;
  /** Longest JSON part of a safetensors header, in bytes. */
  readonly headerBytesMax: number;
  /** Raw bytes of one run's unfinished checkpoints, arriving bodies included. */
  readonly stagedBytesPerRunMax: number;
  /** The same over all runs. */
  readonly stagedBytesMax: number;
  /** Largest graph of an eval set, in bytes. */
  readonly graphBytesMax: number;
  /** Largest batches file of an eval set, in bytes. */
  readonly batchesBytesMax: number;
  /** A reservation without a sign of life for this long is discarded, in ms. */
  readonly reservationTtlMs: number;
  /** Uploads in several requests that may be open at once for one checkpoint or eval set. */
  readonly openUploadsMax: number;
  /** An upload in several requests that receives nothing for this long is ended, in ms. */
  readonly uploadTtlMs: number;
}

const gibibyte = 2 ** 30;
const hourMs = 3_600_000;

export const defaultIngestLimits: IngestLimits = {
  /** Hubs ask for shards below 50 GB. */
  fileBytesMax: 64 * gibibyte,
  /** A thousand shards with as many sensitivity files, and the other files of a model. */
  filesPerCheckpointMax: 4096,
  /** The limit of hub clients; enough for a quarter of a million tensors. */
  headerBytesMax: 25_000_000,
  /** Two of the largest files: one being compressed while the next arrives. */
  stagedBytesPerRunMax: 128 * gibibyte,
  /** Several runs at once; a full disk is refused separately. */
  stagedBytesMax: 512 * gibibyte,
  /** Protocol buffers are limited to 2 GiB. */
  graphBytesMax: 2 * gibibyte,
  /** Every trial reads all batches, and more of them would not make a threshold more reliable. */
  batchesBytesMax: 8 * gibibyte,
  /** Longer than a large file takes over a slow line. A reservation blocks the later checkpoints of its run. */
  reservationTtlMs: 6 * hourMs,
  /** Several times the parallel uploads of hub clients; each may be left behind by a client that died. */
  openUploadsMax: 256,
  /** Long enough for somebody to come back the next day. */
  uploadTtlMs: 24 * hourMs,
};
