/**
 * The results of the most recent reads, by name. Holds a fixed number of results and drops the least recently requested
 * one. A failed read is not cached.
 */
export class LastReads {
  readonly #countMax: number;
  readonly #reads = new Map<string, Promise<Uint8Array>>();

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /** The bytes are shared: nobody may write to them. */
  get(name: string, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const bytes = this.#reads.get(name) ?? this.#begin(name, read);
    this.#reads.delete(name);
    this.#reads.set(name, bytes);
    for (const oldest of this.#reads.keys()) {
      if (this.#reads.size <= this.#countMax) break;
      this.#reads.delete(oldest);
    }
    return bytes;
  }

  clear(): void {
    this.#reads.clear();
  }

  async #begin(name: string, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    try {
      return await read();
    } catch (error) {
      this.#reads.delete(name);
      throw error;
    }
  }
}
