import { FirnError } from '../checkpoint/firn-error.ts';
import { onAbort } from './on-abort.ts';
import { abortReason, throwIfAborted } from './until-aborted.ts';

export interface SlotsOptions {
  readonly count: number;
  readonly waitingMax: number;
  /** Message of the error when too many wait. */
  readonly refusal?: string;
}

/** A semaphore: a fixed number of holders at once; others wait in order of arrival. */
export class Slots {
  readonly #waitingMax: number;
  readonly #refusal: string;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor({ count, waitingMax, refusal = 'Too many requests wait for the storage.' }: SlotsOptions) {
    this.#free = count;
    this.#refusal = refusal;
    this.#waitingMax = waitingMax;
  }

  /**
   * Resolves with a function that releases the slot; calling it again does nothing. Rejects with `overloaded` when too
   * many wait, and with the signal's reason.
   */
  async take(signal?: AbortSignal): Promise<() => void> {
    throwIfAborted(signal);
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#giveBack();
    };
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#waitingMax) throw new FirnError('overloaded', this.#refusal);
    return new Promise((resolve, reject) => {
      const onTurn = (): void => {
        unwatch();
        resolve();
      };
      const unwatch = onAbort(signal, () => {
        this.#waiting.delete(onTurn);
        reject(abortReason(signal!));
      });
      this.#waiting.add(onTurn);
    });
  }

  #giveBack(): void {
    for (const onTurn of this.#waiting) {
      this.#waiting.delete(onTurn);
      onTurn();
      return;
    }
    this.#free++;
  }
}
