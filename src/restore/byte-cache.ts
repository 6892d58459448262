/** Hits and misses of one cache, or of several that share the counts; for metrics. */
export interface CacheCounts {
  hits: number;
  misses: number;
  evictions: number;
}

export function newCacheCounts(): CacheCounts {
  return { hits: 0, misses: 0, evictions: 0 };
}

/** A least-recently-used cache bounded by the bytes of its values. Values are shared: nobody may change them. */
export class ByteCache<Value> {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, { value: Value; bytes: number }>();
  readonly #counts: CacheCounts;
  #usedBytes = 0;

  constructor(maxBytes: number, counts = newCacheCounts()) {
    this.#maxBytes = maxBytes;
    this.#counts = counts;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#counts.misses += 1;
      return undefined;
    }
    this.#counts.hits += 1;
    // A Map iterates in order of insertion, so the least recently used entry stays first.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /**
   * Caches `value`, which takes `bytes` bytes, and drops the least recently used entries until the bound holds. A value
   * larger than the bound is not cached.
   */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key);
    if (bytes > this.#maxBytes) return;
    this.#entries.set(key, { value, bytes });
    this.#usedBytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#usedBytes <= this.#maxBytes) return;
      this.delete(oldest);
      this.#counts.evictions += 1;
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#usedBytes -= entry.bytes;
  }
}
