import { createHash } from 'node:crypto';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { Hub } from '../../hub/hub.ts';
import type { SmallBlob } from '../../hub/upload/receive-small-blobs.ts';

/** Files and bytes that are stored together. Their memory is this and one more file. */
const batchMax = { files: 256, bytes: 8 * 1024 * 1024 };

/** Stores the inline files of a commit in batches as they pass. Call `flush` at the end: until then some are in memory. */
export class InlineFiles {
  readonly #hub: Pick<Hub, 'receiveSmallBlobs'>;
  readonly #repository: Repository;
  #waiting: SmallBlob[] = [];
  #waitingBytes = 0;

  constructor(hub: Pick<Hub, 'receiveSmallBlobs'>, repository: Repository) {
    this.#hub = hub;
    this.#repository = repository;
  }

  /** The sha256 of the bytes. Errors: those of `receiveSmallBlobs`, also of files before this one. */
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
    await this.#hub.receiveSmallBlobs(this.#repository, batch);
  }
}
