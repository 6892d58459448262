/** A worker's progress note about a checkpoint. Not stored: a new listener sees only later notes. */
export type ProgressNote =
  /**
   * A phase began or progressed: `search`, `encode`, `verify` and others. The unit of the counts depends on the phase.
   */
  | { readonly type: 'phase'; readonly phase: string; readonly doneCount?: number; readonly totalCount?: number }
  /** The checkpoint changed in the catalog: its state or its trials. */
  | { readonly type: 'changed' };

export type ProgressListener = (note: ProgressNote) => void;

/** Carries notes from workers to listeners inside one process. In other processes, followers poll the catalog. */
export interface ProgressBus {
  publish(checkpointId: string, note: ProgressNote): void;
  /** Returns a function that unsubscribes. */
  subscribe(checkpointId: string, listener: ProgressListener): () => void;
  /** Live subscriptions, for tests and metrics. */
  listenerCount(): number;
}

/** A bus without memory: a note without listener is dropped. A listener must not throw. */
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
