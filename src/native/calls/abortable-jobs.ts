/**
 * The jobs that each signal cancels. A signal has one listener, however many jobs share it (Node warns from the
 * eleventh on), and none once they have settled.
 */
export class AbortableJobs {
  readonly #cancel: (job: number) => void;
  readonly #entries = new WeakMap<AbortSignal, { readonly jobs: Set<number>; readonly onAbort: () => void }>();

  constructor(cancel: (job: number) => void) {
    this.#cancel = cancel;
  }

  add(signal: AbortSignal, job: number): void {
    (this.#entries.get(signal) ?? this.#listen(signal)).jobs.add(job);
  }

  remove(signal: AbortSignal, job: number): void {
    const entry = this.#entries.get(signal);
    entry?.jobs.delete(job);
    if (entry?.jobs.size !== 0) return;
    signal.removeEventListener('abort', entry.onAbort);
    this.#entries.delete(signal);
  }

  #listen(signal: AbortSignal) {
    const jobs = new Set<number>();
    const entry = { jobs, onAbort: () => jobs.forEach((job) => this.#cancel(job)) };
    this.#entries.set(signal, entry);
    signal.addEventListener('abort', entry.onAbort, { once: true });
    return entry;
  }
}
