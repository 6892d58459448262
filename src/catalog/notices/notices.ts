/**
 * Words between processes: to whoever listens at that moment, never stored, and lost while a connection is. Whoever
 * needs to know asks the catalog now and then, too.
 */
export interface Notices {
  /**
   * Says something on a channel; to this process's own listeners as well. Never waits, never throws. `body` has at most
   * `noticeBytesMax` bytes, longer ones are dropped.
   */
  publish(channel: string, body: string): void;
  /** Returns the function that ends it. A listener must not throw. */
  subscribe(channel: string, listener: (body: string) => void): () => void;
  close(): Promise<void>;
}

/** Postgres refuses payloads of 8000 bytes and more. */
export const noticeBytesMax = 7_999;

/** Listeners by channel. */
export class NoticeListeners {
  readonly #byChannel = new Map<string, Set<(body: string) => void>>();

  add(channel: string, listener: (body: string) => void): () => void {
    const listeners = this.#byChannel.get(channel) ?? new Set();
    this.#byChannel.set(channel, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  tell(channel: string, body: string): void {
    for (const listener of this.#byChannel.get(channel) ?? []) listener(body);
  }
}
