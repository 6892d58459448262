/**
 * Messages between processes. They reach only current listeners, are never stored, and are lost while a connection is
 * down. A process that must know should also ask the catalog from time to time.
 */
export interface Notices {
  /**
   * Sends a notice on a channel, also to this process's own listeners. Never waits, never throws. A `body` of more than
   * `noticeBytesMax` bytes is dropped.
   */
  publish(channel: string, body: string): void;
  /** Returns a function that unsubscribes. A listener must not throw. */
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

  call(channel: string, body: string): void {
    for (const listener of this.#byChannel.get(channel) ?? []) listener(body);
  }
}

/** Notices within a single process. */
export function localNotices(): Notices {
  const listeners = new NoticeListeners();
  return {
    publish: (channel, body) => listeners.call(channel, body),
    subscribe: (channel, listener) => listeners.add(channel, listener),
    close: async () => undefined,
  };
}
