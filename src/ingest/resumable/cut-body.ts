/**
 * A body that is read as several, one after the other. Where it breaks, the one being read ends as if nothing more had
 * been sent, so that what arrived can be kept.
 */
export class CutBody {
  readonly #source: AsyncIterator<Uint8Array>;
  #next: Uint8Array | undefined;
  #ended = false;
  #failure: unknown;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#source = body[Symbol.asyncIterator]();
  }

  /** Why the body broke, if it did. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Throws that, if it did. */
  throwFailure(): void {
    // Whatever a source rejects with is passed on as it is.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits for the next byte; false at the end, and where the body broke. */
  async hasMore(): Promise<boolean> {
    while (this.#next === undefined && !this.#ended) {
      try {
        const { done, value } = await this.#source.next();
        if (done === true) this.#ended = true;
        else if (value.length > 0) this.#next = value;
      } catch (err) {
        this.#ended = true;
        this.#failure = err;
      }
    }
    return this.#next !== undefined;
  }

  /** At most so many of the next bytes, as they come. */
  async *take(bytesMax: number): AsyncGenerator<Uint8Array> {
    for (let left = bytesMax; left > 0 && (await this.hasMore());) {
      const taken = this.#next!.subarray(0, left);
      this.#next = taken.length < this.#next!.length ? this.#next!.subarray(taken.length) : undefined;
      left -= taken.length;
      yield taken;
    }
  }

  /** Reads no more. Never rejects. */
  async close(): Promise<void> {
    await Promise.resolve(this.#source.return?.()).catch(() => undefined);
  }
}
