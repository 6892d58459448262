import { FirnError } from '../checkpoint/firn-error.ts';

/**
 * The same pieces, except that an abort ends the wait for the next one at once, even if the source never answers again.
 * Throws the signal's reason if that is a FirnError, else `cancelled`. The source's `return` is called, not awaited.
 */
export async function* untilAborted(
  source: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (signal === undefined) {
    yield* source;
    return;
  }
  const iterator = source[Symbol.asyncIterator]();
  // One listener for the whole stream: racing a long-lived promise would add a reaction to it for every piece.
  let stop: ((reason: FirnError) => void) | undefined;
  const onAbort = (): void => stop?.(abortReason(signal));
  signal.addEventListener('abort', onAbort);
  let finished = false;
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        stop = reject;
        if (signal.aborted) onAbort();
        else
          iterator.next().then(resolve, (err: unknown) => {
            finished = true;
            reject(err as Error);
          });
      });
      if (next.done === true) {
        finished = true;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (!finished) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

export function abortReason(signal: AbortSignal): FirnError {
  return signal.reason instanceof FirnError
    ? signal.reason
    : new FirnError('cancelled', 'The operation was cancelled.', { cause: signal.reason });
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortReason(signal);
}
