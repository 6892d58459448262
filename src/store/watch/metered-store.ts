import { forwardedStore } from './forwarded-store.ts';
import type { ObjectReader, ObjectStore } from '../object-store.ts';

export type StoreOperation = 'put' | 'stat' | 'open' | 'read' | 'delete' | 'list' | 'sweep';

/** One finished call of a store. */
export interface StoreCall {
  readonly operation: StoreOperation;
  /** For a put, the time until the body is durable; for a stream, the time spent waiting for its pieces. */
  readonly seconds: number;
  /** Bytes of content, read or written. */
  readonly bytes: number;
  readonly failed: boolean;
}

/** The store, reporting every call as it ends. Probes are not reported, because they do not touch stored objects. */
export function meteredStore(store: ObjectStore, onCall: (call: StoreCall) => void): ObjectStore {
  const timed = async <T>(
    operation: StoreOperation,
    work: () => Promise<T>,
    bytesOf: (result: T) => number = () => 0,
  ): Promise<T> => {
    const startedMs = performance.now();
    const end = (bytes: number, failed: boolean): void =>
      onCall({ operation, seconds: (performance.now() - startedMs) / 1000, bytes, failed });
    try {
      const result = await work();
      end(bytesOf(result), false);
      return result;
    } catch (error) {
      end(0, true);
      throw error;
    }
  };
  const waiting = <T>(
    pieces: AsyncIterable<T>,
    operation: StoreOperation,
    bytesOf: (piece: T) => number,
  ): AsyncIterable<T> =>
    timedPieces(pieces, (seconds, bytes, failed) => onCall({ operation, seconds, bytes, failed }), bytesOf);
  const meteredReader = (reader: ObjectReader): ObjectReader => ({
    sizeBytes: reader.sizeBytes,
    read: (...range) =>
      timed(
        'read',
        () => reader.read(...range),
        ({ length }) => length,
      ),
    stream: (...range) => waiting(reader.stream(...range), 'read', ({ length }) => length),
    ...(reader.forget !== undefined && { forget: () => reader.forget!() }),
    close: () => reader.close(),
  });
  return forwardedStore(store, {
    put: (key, body, options) =>
      timed(
        'put',
        () => store.put(key, body, options),
        ({ sizeBytes }) => sizeBytes,
      ),
    stat: (key) => timed('stat', () => store.stat(key)),
    open: (key) => timed('open', async () => meteredReader(await store.open(key))),
    delete: (key) => timed('delete', () => store.delete(key)),
    deleteMany: (keys) => timed('delete', () => store.deleteMany(keys)),
    list: (prefix) => waiting(store.list(prefix), 'list', () => 0),
    sweepUnfinished: (before, signal) => timed('sweep', () => store.sweepUnfinished(before, signal)),
  });
}

/**
 * Passes pieces on and reports, once, the time spent waiting for them. The consumer's time between pieces does not
 * count.
 */
async function* timedPieces<T>(
  pieces: AsyncIterable<T>,
  onEnd: (seconds: number, bytes: number, failed: boolean) => void,
  bytesOf: (piece: T) => number,
): AsyncGenerator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  let waitedMs = 0;
  let bytes = 0;
  let failed = false;
  try {
    for (;;) {
      const askedMs = performance.now();
      const result = await iterator.next().finally(() => (waitedMs += performance.now() - askedMs));
      if (result.done === true) return;
      bytes += bytesOf(result.value);
      yield result.value;
    }
  } catch (error) {
    failed = true;
    throw error;
  } finally {
    await iterator.return?.();
    onEnd(waitedMs / 1000, bytes, failed);
  }
}
