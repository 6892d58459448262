/** The worker's clock; tests pass one that they advance. */
export interface Timers {
  /** Monotonic, in ms. */
  nowMs(): number;
  /** Calls `tick` every `periodMs` until the returned function is called. Does not keep the process alive. */
  every(periodMs: number, tick: () => void): () => void;
  /** Calls `run` once, unless the returned function is called before. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  every(periodMs, tick) {
    const timer = setInterval(tick, periodMs).unref();
    return () => clearInterval(timer);
  },
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
