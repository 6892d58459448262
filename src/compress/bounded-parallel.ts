/**
 * Runs `work` over `items`, at most `limit` at once; stops starting new ones at the first failure and rejects with it.
 */
export async function forEachBounded<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failed = false;
  const lane = async (): Promise<void> => {
    for (;;) {
      if (failed) return;
      const next = iterator.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: limit }, lane));
  const failure = lanes.find((settled) => settled.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}

/** Maps in order, at most `limit` results in flight; memory stays at `limit` results. */
export async function* mapBounded<T, R>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const inFlight: Promise<R>[] = [];
  try {
    for (const item of items) {
      const started = work(item);
      started.catch(() => undefined);
      inFlight.push(started);
      if (inFlight.length >= limit) yield await inFlight.shift()!;
    }
    while (inFlight.length > 0) yield await inFlight.shift()!;
  } finally {
    await Promise.allSettled(inFlight);
  }
}
