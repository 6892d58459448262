/** A chore that repeats until it is stopped. */
export interface Periodic {
  /** Aborts the current run, if any, and resolves when it has ended, or after `deadlineMs`. No run follows. */
  stop(deadlineMs: number): Promise<void>;
}

/** Runs `chore` at once and then `pauseMs` after each end; a failure is reported and does not end the repetition. */
export function runPeriodically(
  chore: (signal: AbortSignal) => Promise<void>,
  options: { readonly pauseMs: number; readonly onError: (error: unknown) => void },
): Periodic {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    running = once().then(() => {
      if (stopping.signal.aborted) return;
      timer = setTimeout(run, options.pauseMs);
      timer.unref();
    });
  };
  const once = async (): Promise<void> => {
    try {
      await chore(stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) options.onError(error);
    }
  };
  run();
  return {
    stop: async (deadlineMs) => {
      stopping.abort();
      clearTimeout(timer);
      let late: NodeJS.Timeout | undefined;
      await Promise.race([
        running,
        new Promise<void>((resolve) => {
          late = setTimeout(resolve, deadlineMs);
        }),
      ]);
      clearTimeout(late);
    },
  };
}
