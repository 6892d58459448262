import { setTimeout as pause } from 'node:timers/promises';

/** Most unused time that may be made up for, in ms, so that a stall is not followed by a burst. */
const catchUpMsMax = 1000;

export interface RateClock {
  /** In ms; only differences matter. */
  now(): number;
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

const processClock: RateClock = {
  now: () => performance.now(),
  pause: (ms, signal) => pause(ms, undefined, { signal }),
};

/** Keeps several readers together below a number of bytes a second, averaged over a second. */
export class ReadRate {
  readonly #bytesPerMs: number;
  readonly #clock: RateClock;
  /** The time at which the rate allows the next read. */
  #paidAtMs = -Infinity;

  constructor(bytesPerSecond: number, clock: RateClock = processClock) {
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#clock = clock;
  }

  /** Counts bytes that were read, and resolves when the next read is allowed. Rejects with the signal's reason. */
  async spend(bytes: number, signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    this.#paidAtMs = Math.max(this.#paidAtMs, now - catchUpMsMax) + bytes / this.#bytesPerMs;
    if (this.#paidAtMs > now) await this.#clock.pause(this.#paidAtMs - now, signal);
  }
}
