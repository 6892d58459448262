import { FirnError } from '../../checkpoint/firn-error.ts';
import { onAbort } from '../on-abort.ts';
import { s3Limits } from './s3-limits.ts';
import { putWhole, S3Upload, type S3Target } from './s3-upload.ts';
import type { Slots } from '../slots.ts';

/** Initial buffer of a put, in bytes: most objects are small. */
const firstBufferBytes = 256 * 1024;
/** Factor by which the buffer grows until it holds a part. */
const growth = 4;

export interface PartWriterOptions {
  readonly target: S3Target;
  readonly partBytes: number;
  /** Limits the parts in flight over all puts. */
  readonly slots: Slots;
  /** Called with an upload's id before its first part is sent. */
  readonly onUpload: (id: string) => void;
}

/**
 * Gathers bytes into parts and sends each while the next one fills. Bytes that fit in one part become one plain object.
 * Memory is one part and the parts in flight. A failure aborts `signal`, so that the producer need not wait for more
 * bytes; call `abort` then.
 */
export class S3PartWriter {
  readonly #options: PartWriterOptions;
  readonly #stop = new AbortController();
  readonly #unwatch: () => void;
  readonly #underWay = new Set<Promise<void>>();
  readonly #spare: Buffer[] = [];
  #part: Buffer;
  #fillBytes = 0;
  #parts = 0;
  #upload: S3Upload | undefined;
  #writtenBytes = 0;

  constructor(options: PartWriterOptions, signal?: AbortSignal) {
    this.#options = options;
    this.#part = Buffer.allocUnsafeSlow(Math.min(options.partBytes, firstBufferBytes));
    if (signal?.aborted === true) this.#stop.abort(signal.reason);
    this.#unwatch = onAbort(signal, () => this.#stop.abort(signal!.reason));
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Copies the bytes, so the caller may change them afterwards. Waits while too many parts are in flight. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      // Only now is it certain that the full part is not the last.
      if (this.#fillBytes === this.#options.partBytes) await this.#send();
      if (this.#fillBytes === this.#part.length) this.#grow();
      const piece = bytes.subarray(at, at + this.#part.length - this.#fillBytes);
      this.#part.set(piece, this.#fillBytes);
      this.#fillBytes += piece.length;
      at += piece.length;
    }
    this.#writtenBytes += bytes.length;
  }

  /** Sends the remaining bytes. `commit` runs around the last step; the object exists once it has resolved. */
  async finish(commit: (last: () => Promise<void>) => Promise<void>): Promise<void> {
    if (this.#upload === undefined) {
      const whole = this.#part.subarray(0, this.#fillBytes);
      await commit(() => putWhole(this.#options.target, whole, this.signal));
      return;
    }
    await this.#send();
    await Promise.all(this.#underWay);
    const upload = this.#upload;
    await commit(() => upload.complete(this.signal));
  }

  /** Stops listening to the signal, after the put has ended. */
  close(): void {
    this.#unwatch();
  }

  /** Cancels pending requests and aborts the upload. Never rejects. */
  async abort(reason: unknown): Promise<void> {
    this.#stop.abort(reason);
    await Promise.allSettled(this.#underWay);
    await this.#upload?.abort();
  }

  #grow(): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#options.partBytes, growth * this.#part.length));
    grown.set(this.#part);
    this.#part = grown;
  }

  async #send(): Promise<void> {
    const { target, slots, onUpload, partBytes } = this.#options;
    if (this.#parts === s3Limits.partsMax)
      throw new FirnError('storage-full', 'The storage takes no file as large as this.');
    if (this.#upload === undefined) {
      this.#upload = await S3Upload.begin(target, this.signal);
      onUpload(this.#upload.id);
    }
    const giveBack = await slots.take(this.signal);
    const part = this.#part;
    const bytes = part.subarray(0, this.#fillBytes);
    const sending = this.#upload
      .putPart(++this.#parts, bytes, this.signal)
      .then(() => void this.#spare.push(part))
      .catch((err: unknown) => {
        this.#stop.abort(err);
        throw err;
      })
      .finally(() => {
        this.#underWay.delete(sending);
        giveBack();
      });
    sending.catch(() => undefined);
    this.#underWay.add(sending);
    this.#part = this.#spare.pop() ?? Buffer.allocUnsafeSlow(partBytes);
    this.#fillBytes = 0;
  }
}
