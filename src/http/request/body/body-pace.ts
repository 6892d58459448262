import { FirnError } from '../../../checkpoint/firn-error.ts';

/** Bytes of a body that have to arrive while the server waits for them. */
export interface BodyPace {
  /** 0: as slowly as the client likes, but for `bodyIdleMs`. */
  readonly bytesPerSecondMin: number;
  /** How long the server waits, in ms, before it judges what came meanwhile. */
  readonly windowMs: number;
}

/** As long as a client may be silent: one that pauses for less and then sends on is not taken for one that drips. */
export const paceWindowMs = 60_000;

/**
 * Adds up what came of one body, window by window. Only time that the server waited counts: a client is not blamed for
 * a slow reader.
 */
export class PaceCheck {
  readonly #pace: BodyPace;
  #waitedMs = 0;
  #bytes = 0;

  constructor(pace: BodyPace) {
    this.#pace = pace;
  }

  /**
   * Counts a chunk that the server waited so long for. `body-too-slow` when a window ends with fewer bytes than the
   * pace asks for.
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
    `The body arrives at less than ${bytesPerSecondMin} bytes a second, so the server waits no longer. Send it again over a faster connection, ` +
      'or use a resumable upload, which keeps what was acknowledged and goes on at its Upload-Offset.',
  );
}
