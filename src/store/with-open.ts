import type { ObjectReader, ObjectStore } from './object-store.ts';

/** The store, opened otherwise; all else goes to it. */
export function withOpen(store: ObjectStore, open: (key: string) => Promise<ObjectReader>): ObjectStore {
  return {
    put: (key, body, options) => store.put(key, body, options),
    stat: (key) => store.stat(key),
    open,
    delete: (key) => store.delete(key),
    deleteMany: (keys) => store.deleteMany(keys),
    list: (prefix) => store.list(prefix),
    sweepUnfinished: (before, signal) => store.sweepUnfinished(before, signal),
    probe: () => store.probe(),
    close: () => store.close(),
  };
}
