import { setTimeout as pause } from 'node:timers/promises';

/** Time that was not used is made up for so long at most, in ms: after a stall there is no burst. */
const catchUpMsMax = 1000;

export interface RateClock {
  /** In ms, only differences count. */
  now(): number;
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

const processClock: RateClock = {
  now: () => performance.now(),
  pause: (ms, signal) => pause(ms, undefined, { signal }),
};

/** Holds several readers together below a number of bytes a second, on average over a second. */
export class ReadRate {
  readonly #bytesPerMs: number;
  readonly #clock: RateClock;
  /** When everything read so far has been paid for. */
  #paidAtMs = -Infinity;

  constructor(bytesPerSecond: number, clock: RateClock = processClock) {
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#clock = clock;
  }

  /** Counts bytes that were read, and resolves when the next may be. Rejects with the signal's reason. */
  async spend(bytes: number, signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    this.#paidAtMs = Math.max(this.#paidAtMs, now - catchUpMsMax) + bytes / this.#bytesPerMs;
    if (this.#paidAtMs > now) await this.#clock.pause(this.#paidAtMs - now, signal);
  }
}
