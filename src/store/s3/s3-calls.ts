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
 * One try of a request. It must read the answer's body before it resolves, because the connection is reserved for it
 * until then.
 */
export type S3Try<T> = (client: S3Client, signal: AbortSignal, tries: number) => Promise<T>;

export interface S3CallOptions {
  /** Description for logs. */
  readonly request: string;
  readonly signal?: AbortSignal | undefined;
  readonly triesMax?: number;
}

/**
 * Requests to the server: a bounded number at once, each with a deadline, retried while the failure may be temporary.
 */
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
   * Rejects with a FirnError: `unavailable` after the last try, the translated failure (s3-failure.ts), or the signal's
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
        // A random part of the delay, so that requests that failed together are not retried together.
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
      // After an abort, report the reason of the abort and not the broken connection.
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
