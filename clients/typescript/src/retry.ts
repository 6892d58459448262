import { setTimeout as pause } from 'node:timers/promises';
import { FirnProblem } from './firn-problem.ts';
import { isNetworkError } from './network-error.ts';

/** Most tries of one request. */
const triesMax = 6;
/** Wait before the second try, in ms; it doubles with each. */
const firstWaitMs = 250;
/** Longest wait between two tries, in ms, also when the server asks for more. */
const waitMaxMs = 30_000;
/** Statuses that may be different the next time. */
const passing: ReadonlySet<number> = new Set([408, 423, 429, 500, 502, 503, 504]);

/** An answer that asks for another try, with its Retry-After in ms. */
export class TryAgain extends Error {
  readonly problem: FirnProblem;
  readonly afterMs: number | undefined;

  constructor(problem: FirnProblem, afterMs: number | undefined) {
    super(problem.message, { cause: problem });
    this.problem = problem;
    this.afterMs = afterMs;
  }
}

export interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((error: unknown, waitMs: number) => void) | undefined;
  /** Bytes that have arrived so far. Tries that bring some are not counted. */
  readonly progress?: () => number;
}

/**
 * Repeats work that another try may help: what throws `TryAgain`, or an error of the network. Gives up after six tries
 * in a row without progress, and throws the last error.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  { signal, onRetry, progress }: RetryOptions = {},
): Promise<T> {
  let before = progress?.() ?? 0;
  for (let failed = 1; ; failed++) {
    try {
      return await work();
    } catch (error) {
      const now = progress?.() ?? 0;
      if (now > before) failed = 1;
      before = now;
      if (failed >= triesMax || signal?.aborted === true || !mayPass(error))
        throw error instanceof TryAgain ? error.problem : error;
      const asked = error instanceof TryAgain ? error.afterMs : undefined;
      const waitMs = Math.min(waitMaxMs, asked ?? firstWaitMs * 2 ** (failed - 1));
      onRetry?.(error, waitMs);
      await pause(waitMs, undefined, signal === undefined ? {} : { signal });
    }
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof TryAgain || (!(error instanceof FirnProblem) && isNetworkError(error));
}

/** The error of an answer outside 2xx: `TryAgain` where the status may pass, else the problem itself. */
export function refusalOf(problem: FirnProblem, retryAfter: string | null | undefined): Error {
  if (!passing.has(problem.status)) return problem;
  const seconds = Number(retryAfter);
  return new TryAgain(problem, retryAfter && Number.isFinite(seconds) ? seconds * 1000 : undefined);
}
