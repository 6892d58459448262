import { createHash } from 'node:crypto';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { receiveSmallBlobs, type SmallBlob } from './receive-small-blobs.ts';

/** Files and bytes that are stored together. A batch takes this much memory and one more file. */
const batchMax = { files: 256, bytes: 8 * 1024 * 1024 };

/** Stores small files together as they come. Call `flush` at the end: until then some are in memory only. */
export class BlobBatch {
  readonly #ctx: IngestContext;
  readonly #repositoryId: string;
  #waiting: SmallBlob[] = [];
  #waitingBytes = 0;

  constructor(ctx: IngestContext, repositoryId: string) {
    this.#ctx = ctx;
    this.#repositoryId = repositoryId;
  }

  /** The sha256 of the bytes. Errors: those of `receiveSmallBlobs`, also for files before this one. */
  async add(bytes: Uint8Array): Promise<string> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.#waiting.push({ sha256, bytes });
    this.#waitingBytes += bytes.length;
    if (this.#waiting.length >= batchMax.files || this.#waitingBytes >= batchMax.bytes) await this.flush();
    return sha256;
  }

  async flush(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    await receiveSmallBlobs(this.#ctx, this.#repositoryId, batch);
  }
}
