import type { S3Client } from '@aws-sdk/client-s3';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { createS3Client } from './s3-client.ts';
import { onAbort } from '../on-abort.ts';
import { s3Failure } from './s3-failure.ts';
import { s3Limits } from './s3-limits.ts';
import type { S3StoreOptions } from './s3-options.ts';
import { Slots } from '../slots.ts';
import { abortReason, throwIfAborted } from '../until-aborted.ts';

/**
 * One try of a request. Everything it reads of the answer it reads before it resolves: until then the connection is its
 * own.
 */
export type S3Try<T> = (client: S3Client, signal: AbortSignal, tries: number) => Promise<T>;

export interface S3CallOptions {
  /** For logs. */
  readonly request: string;
  readonly signal?: AbortSignal | undefined;
  readonly triesMax?: number;
}

/** Requests to the server: so many at once, each with a deadline, tried again while the failure may pass. */
export class S3Calls {
  readonly #client: S3Client;
  readonly #slots: Slots;
  readonly #tryMs: number;
  readonly #onRetry: NonNullable<S3StoreOptions['onRetry']>;

  constructor(options: S3StoreOptions) {
    this.#client = createS3Client(options);
    this.#slots = new Slots({ count: options.socketsMax, waitingMax: s3Limits.waitingMax });
    this.#tryMs = options.tryMs;
    this.#onRetry = options.onRetry ?? (() => undefined);
  }

  /**
   * Rejects with a FirnError: `unavailable` after the last try, what the answer means (s3-failure.ts), or the signal's
   * reason.
   */
  async run<T>(attempt: S3Try<T>, { request, signal, triesMax = s3Limits.triesMax }: S3CallOptions): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#tryOnce(attempt, tries, signal);
      } catch (err) {
        throwIfAborted(signal);
        const { error, passing } = s3Failure(err);
        if (!passing || tries >= triesMax) throw error;
        // Anything from nothing to the whole delay, so that those who failed together do not come back together.
        const delayMs = Math.random() * Math.min(s3Limits.delayMaxMs, s3Limits.firstDelayMaxMs * 2 ** (tries - 1));
        this.#onRetry({ request, tries, delayMs, error });
        await pause(delayMs, signal);
      }
    }
  }

  destroy(): void {
    this.#client.destroy();
  }

  async #tryOnce<T>(attempt: S3Try<T>, tries: number, signal: AbortSignal | undefined): Promise<T> {
    const giveBack = await this.#slots.take(signal);
    const stop = new AbortController();
    const unwatch = onAbort(signal, () => stop.abort(signal!.reason));
    const deadline = setTimeout(
      () => stop.abort(new FirnError('unavailable', 'The storage takes too long to answer.')),
      this.#tryMs,
    );
    try {
      return await attempt(this.#client, stop.signal, tries);
    } catch (err) {
      // What a broken connection says after an abort is not why it was broken.
      throw stop.signal.aborted ? abortReason(stop.signal) : err;
    } finally {
      clearTimeout(deadline);
      unwatch();
      giveBack();
    }
  }
}

function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const unwatch = onAbort(signal, () => {
      clearTimeout(timer);
      reject(abortReason(signal!));
    });
    const timer = setTimeout(() => {
      unwatch();
      resolve();
    }, delayMs);
  });
}
