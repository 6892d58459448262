import { FirnError } from '../../../checkpoint/firn-error.ts';

/** Slowest pace of a body while the server waits for it. */
export interface BodyPace {
  /** 0: no lower limit except `bodyIdleMs`. */
  readonly bytesPerSecondMin: number;
  /** Length of a window, in ms, after which the pace is checked. */
  readonly windowMs: number;
}

/**
 * As long as a client may be silent, so that one that pauses for less and then continues does not count as too slow.
 */
export const paceWindowMs = 60_000;

/**
 * Checks the pace of one body, window by window. Only the time that the server waited counts, so that a slow reader is
 * not blamed on the client.
 */
export class PaceCheck {
  readonly #pace: BodyPace;
  #waitedMs = 0;
  #bytes = 0;

  constructor(pace: BodyPace) {
    this.#pace = pace;
  }

  /**
   * Counts a chunk and the time that the server waited for it. `body-too-slow` if a window ends with fewer bytes than
   * the pace requires.
   */
  add(bytes: number, waitedMs: number): void {
    this.#bytes += bytes;
    this.#waitedMs += waitedMs;
    const { bytesPerSecondMin, windowMs } = this.#pace;
    if (this.#waitedMs < windowMs) return;
    if (this.#bytes * 1000 < bytesPerSecondMin * this.#waitedMs) throw tooSlow(bytesPerSecondMin);
    this.#waitedMs = 0;
    this.#bytes = 0;
  }
}

function tooSlow(bytesPerSecondMin: number): FirnError {
  return new FirnError(
    'body-too-slow',
    `The body arrives at less than ${bytesPerSecondMin} bytes a second, so the server waits no longer. Send ` +
      'it again over a faster connection, ' +
      'or use a resumable upload, which keeps what was acknowledged and goes on at its Upload-Offset.',
  );
}
