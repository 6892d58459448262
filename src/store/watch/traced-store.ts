import type { Tracer } from '../../telemetry/tracer.ts';
import { forwardedStore } from './forwarded-store.ts';
import type { ObjectReader, ObjectStore } from '../object-store.ts';

/**
 * The store with a span for every put, open, stat and deletion. All reads of an open object are one span, from open to
 * close.
 */
export function tracedStore(store: ObjectStore, tracer: Tracer): ObjectStore {
  return forwardedStore(store, {
    put: (key, body, options) =>
      tracer.span('store.put', keyed(key), async (span) => {
        const stored = await store.put(key, body, options);
        span.set({ 'firn.bytes': stored.sizeBytes });
        return stored;
      }),
    stat: (key) => tracer.span('store.stat', keyed(key), () => store.stat(key)),
    open: (key) => openTraced(store, tracer, key),
    delete: (key) => tracer.span('store.delete', keyed(key), () => store.delete(key)),
    deleteMany: (keys) =>
      keys.length === 0
        ? store.deleteMany(keys)
        : tracer.span('store.delete', { onlyInside: true, attributes: { 'firn.objects': keys.length } }, () =>
            store.deleteMany(keys),
          ),
  });
}

function keyed(key: string) {
  return { onlyInside: true, attributes: { 'firn.object.key': key } };
}

/**
 * The span ends when the reader is closed, not when `open` resolves. A reader that is never closed produces no span.
 */
function openTraced(store: ObjectStore, tracer: Tracer, key: string): Promise<ObjectReader> {
  return new Promise((resolve, reject) => {
    tracer
      .span('store.get', keyed(key), async (span) => {
        const reader = await store.open(key);
        const read = { calls: 0, bytes: 0 };
        const closed = new Promise<void>((close) => resolve(countedReader(reader, read, close)));
        await closed;
        span.set({ 'firn.reads': read.calls, 'firn.bytes': read.bytes });
      })
      .catch(reject);
  });
}

function countedReader(
  reader: ObjectReader,
  read: { calls: number; bytes: number },
  onClose: () => void,
): ObjectReader {
  return {
    sizeBytes: reader.sizeBytes,
    async read(...range) {
      const bytes = await reader.read(...range);
      read.calls += 1;
      read.bytes += bytes.length;
      return bytes;
    },
    async *stream(...range) {
      read.calls += 1;
      for await (const piece of reader.stream(...range)) {
        read.bytes += piece.length;
        yield piece;
      }
    },
    ...(reader.forget !== undefined && { forget: () => reader.forget!() }),
    async close() {
      onClose();
      await reader.close();
    },
  };
}
