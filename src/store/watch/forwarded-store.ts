import type { ObjectStore } from '../object-store.ts';

/** The store with some of its methods replaced. */
export function forwardedStore(store: ObjectStore, changed: Partial<ObjectStore>): ObjectStore {
  return {
    put: (key, body, options) => store.put(key, body, options),
    stat: (key) => store.stat(key),
    open: (key) => store.open(key),
    delete: (key) => store.delete(key),
    deleteMany: (keys) => store.deleteMany(keys),
    list: (prefix) => store.list(prefix),
    sweepUnfinished: (before, signal) => store.sweepUnfinished(before, signal),
    probe: () => store.probe(),
    close: () => store.close(),
    ...changed,
  };
}
