import type { Timers } from './timers.ts';

interface Timer {
  readonly periodMs: number | undefined;
  dueMs: number;
  readonly run: () => void;
}

/** Time that advances only when a test says so. */
export class ManualTimers implements Timers {
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  nowMs(): number {
    return this.#nowMs;
  }

  every(periodMs: number, tick: () => void): () => void {
    return this.#add({ periodMs, dueMs: this.#nowMs + periodMs, run: tick });
  }

  after(delayMs: number, run: () => void): () => void {
    return this.#add({ periodMs: undefined, dueMs: this.#nowMs + delayMs, run });
  }

  /** Timers that would still fire. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Fires the timers that are due, in order. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const [next] = [...this.#timers].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined) break;
      this.#nowMs = next.dueMs;
      if (next.periodMs === undefined) this.#timers.delete(next);
      else next.dueMs += next.periodMs;
      next.run();
    }
    this.#nowMs = untilMs;
  }

  #add(timer: Timer): () => void {
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }
}
