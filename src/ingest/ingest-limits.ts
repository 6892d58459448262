/** What uploads may ask of the server. */
export interface IngestLimits {
  /** Largest file of a checkpoint, in bytes. */
  readonly fileBytesMax: number;
  readonly filesPerCheckpointMax: number;
  /** Longest JSON part of a safetensors header, in bytes. */
  readonly headerBytesMax: number;
  /** Raw bytes of one run's checkpoints that are not ready yet, arriving bodies included. */
  readonly stagedBytesPerRunMax: number;
  /** The same over all runs. */
  readonly stagedBytesMax: number;
  /** Largest graph of an eval set, in bytes. */
  readonly graphBytesMax: number;
  /** Largest batches file of an eval set, in bytes. */
  readonly batchesBytesMax: number;
  /** A reservation without a sign of life for this long is given up, in ms. */
  readonly reservationTtlMs: number;
  /** Uploads in several requests that may be open at once for one checkpoint or eval set. */
  readonly openUploadsMax: number;
  /** Such an upload to which nothing has come for this long is given up, in ms. */
  readonly uploadTtlMs: number;
}

const gibibyte = 2 ** 30;
const hourMs = 3_600_000;

export const defaultIngestLimits: IngestLimits = {
  /** Hubs ask for shards below 50 GB. */
  fileBytesMax: 64 * gibibyte,
  /** A thousand shards with as many sensitivity files, and what lies beside a model. */
  filesPerCheckpointMax: 4096,
  /** What hub clients read at most; a quarter of a million tensors. */
  headerBytesMax: 25_000_000,
  /** Two of the largest files: one being compressed while the next arrives. */
  stagedBytesPerRunMax: 128 * gibibyte,
  /** Some runs at once; a full disk is refused on its own account. */
  stagedBytesMax: 512 * gibibyte,
  /** Protocol buffers end at 2 GiB. */
  graphBytesMax: 2 * gibibyte,
  /** Batches are read for every trial; more would be no threshold's better measure. */
  batchesBytesMax: 8 * gibibyte,
  /** Longer than a large file takes over a slow line; a reservation holds up the later checkpoints of its run. */
  reservationTtlMs: 6 * hourMs,
  /** As many as hub clients send at once, some times over; each may have been left behind by a client that died. */
  openUploadsMax: 256,
  /** A night and a day for somebody to come back. */
  uploadTtlMs: 24 * hourMs,
};
