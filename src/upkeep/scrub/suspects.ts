import { AsyncLocalStorage } from 'node:async_hooks';
import type { ObjectReader, ObjectStore } from '../../store/object-store.ts';
import { forwardedStore } from '../../store/watch/forwarded-store.ts';
import { examineObject, type ScrubContext } from './examine-object.ts';
import { damageOf } from './read-whole.ts';

/** Most keys that wait for examination; the next read or round finds the others. */
const waitingMax = 1000;

/**
 * Objects with a failed read. Each is read whole in the background, so that quarantine and log learn of damage at once
 * and not only in the next round.
 */
export class Suspects {
  readonly #ctx: ScrubContext;
  readonly #waiting = new Set<string>();
  readonly #stopping = new AbortController();
  /** Examinations run outside the reader's async context: they are no part of its trace. */
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

  /** Aborts the current examination. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#examining;
  }

  async #examineAll(): Promise<void> {
    for (const key of this.#waiting) {
      try {
        await examineObject(this.#ctx, key, this.#stopping.signal);
      } catch (error) {
        // Catalog or store are unreachable: the next failed read adds the key again.
        if (!this.#stopping.signal.aborted) this.#ctx.onUnread(key, error);
      }
      this.#waiting.delete(key);
    }
  }
}

/** The store, reporting objects that are missing or damaged. */
export function watchedStore(store: ObjectStore, onRefused: (key: string) => void): ObjectStore {
  const noted = (key: string, error: unknown): unknown => {
    if (damageOf(error) !== undefined) onRefused(key);
    return error;
  };
  return forwardedStore(store, {
    async open(key) {
      try {
        return watchedReader(await store.open(key), (error) => noted(key, error));
      } catch (error) {
        throw noted(key, error);
      }
    },
  });
}

function watchedReader(reader: ObjectReader, note: (error: unknown) => unknown): ObjectReader {
  const { forget } = reader;
  return {
    sizeBytes: reader.sizeBytes,
    async read(offsetBytes, lengthBytes, signal, room) {
      try {
        return await reader.read(offsetBytes, lengthBytes, signal, room);
      } catch (error) {
        throw note(error);
      }
    },
    async *stream(startBytes, endBytes, signal) {
      try {
        yield* reader.stream(startBytes, endBytes, signal);
      } catch (error) {
        throw note(error);
      }
    },
    ...(forget !== undefined && { forget: () => forget.call(reader) }),
    close: () => reader.close(),
  };
}
