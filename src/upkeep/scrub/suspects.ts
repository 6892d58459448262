import { AsyncLocalStorage } from 'node:async_hooks';
import type { ObjectReader, ObjectStore } from '../../store/object-store.ts';
import { forwardedStore } from '../../store/forwarded-store.ts';
import { examineObject, type ScrubContext } from './examine-object.ts';
import { damageOf } from './read-whole.ts';

/** Keys that wait to be examined, at most; what comes beyond is found by the next read, or round. */
const waitingMax = 1000;

/**
 * Objects of which a read was refused: each is read whole in the background, so that quarantine and log tell of damage
 * when it is met, not when the round comes by.
 */
export class Suspects {
  readonly #ctx: ScrubContext;
  readonly #waiting = new Set<string>();
  readonly #stopping = new AbortController();
  /** Whoever met it is not waited for by this, nor is it of their trace. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #examining: Promise<void> | undefined;

  constructor(ctx: ScrubContext) {
    this.#ctx = ctx;
  }

  add(key: string): void {
    if (this.#stopping.signal.aborted || this.#waiting.size >= waitingMax) return;
    this.#waiting.add(key);
    this.#examining ??= this.#outside(() => this.#examineAll()).finally(() => (this.#examining = undefined));
  }

  /** Breaks off what is being read. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#examining;
  }

  async #examineAll(): Promise<void> {
    for (const key of this.#waiting) {
      try {
        await examineObject(this.#ctx, key, this.#stopping.signal);
      } catch (error) {
        // Catalog or store out of reach: the next read that is refused asks again.
        if (!this.#stopping.signal.aborted) this.#ctx.onUnread(key, error);
      }
      this.#waiting.delete(key);
    }
  }
}

/** The store, which tells of objects that are missing or whose bytes are refused. */
export function watchedStore(store: ObjectStore, onRefused: (key: string) => void): ObjectStore {
  const telling = (key: string, error: unknown): unknown => {
    if (damageOf(error) !== undefined) onRefused(key);
    return error;
  };
  return forwardedStore(store, {
    async open(key) {
      try {
        return watchedReader(await store.open(key), (error) => telling(key, error));
      } catch (error) {
        throw telling(key, error);
      }
    },
  });
}

function watchedReader(reader: ObjectReader, telling: (error: unknown) => unknown): ObjectReader {
  const { forget } = reader;
  return {
    sizeBytes: reader.sizeBytes,
    async read(offsetBytes, lengthBytes, signal, room) {
      try {
        return await reader.read(offsetBytes, lengthBytes, signal, room);
      } catch (error) {
        throw telling(error);
      }
    },
    async *stream(startBytes, endBytes, signal) {
      try {
        yield* reader.stream(startBytes, endBytes, signal);
      } catch (error) {
        throw telling(error);
      }
    },
    ...(forget !== undefined && { forget: () => forget.call(reader) }),
    close: () => reader.close(),
  };
}
