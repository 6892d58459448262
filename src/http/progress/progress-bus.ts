/** What a worker says while it works on a checkpoint. Not stored: whoever connects later sees the next one. */
export type ProgressNote =
  /** A phase began or moved on: `search`, `encode`, `verify` and the like. Counts are of whatever the phase counts. */
  | { readonly type: 'phase'; readonly phase: string; readonly doneCount?: number; readonly totalCount?: number }
  /** Something about the checkpoint changed in the catalog: its state or its trials. */
  | { readonly type: 'changed' };

export type ProgressListener = (note: ProgressNote) => void;

/**
 * Carries notes from workers to listeners inside one process. Across processes followers fall back to polling the
 * catalog.
 */
export interface ProgressBus {
  publish(checkpointId: string, note: ProgressNote): void;
  /** Returns the function that ends it. */
  subscribe(checkpointId: string, listener: ProgressListener): () => void;
  /** Live subscriptions, for tests and metrics. */
  listenerCount(): number;
}

/** A bus without memory: a note with no listener is dropped. A listener must not throw. */
export function createProgressBus(): ProgressBus {
  const listeners = new Map<string, Set<ProgressListener>>();
  return {
    publish(checkpointId, note) {
      for (const listener of listeners.get(checkpointId) ?? []) listener(note);
    },
    subscribe(checkpointId, listener) {
      const set = listeners.get(checkpointId) ?? new Set();
      listeners.set(checkpointId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(checkpointId) === set) listeners.delete(checkpointId);
      };
    },
    listenerCount: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  };
}
