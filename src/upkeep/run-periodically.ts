/** A chore that repeats until stopped. */
export interface Periodic {
  /** Resolves when the run under way, if any, has ended. */
  stop(): Promise<void>;
}

/** Runs `chore` at once and then `pauseMs` after each end; a failure is reported and does not end the repetition. */
export function runPeriodically(chore: (signal: AbortSignal) => Promise<void>, options: { readonly pauseMs: number; readonly onError: (error: unknown) => void }): Periodic {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    running = chore(stopping.signal)
      .catch((error: unknown) => { if (!stopping.signal.aborted) options.onError(error); })
      .then(() => {
        if (stopping.signal.aborted) return;
        timer = setTimeout(run, options.pauseMs);
        timer.unref();
      });
  };
  run();
  return {
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
