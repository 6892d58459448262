/**
 * Reads one body as several consecutive ones. If the body breaks, the current part ends as if the client had sent
 * nothing more, so that the received bytes can be stored.
 */
export class CutBody {
  readonly #source: AsyncIterator<Uint8Array>;
  #next: Uint8Array | undefined;
  #ended = false;
  #failure: unknown;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#source = body[Symbol.asyncIterator]();
  }

  /** The error that broke the body, if any. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Throws that error, if any. */
  throwFailure(): void {
    // The source's rejection passes unchanged, whatever its type.
    // oxlint-disable-next-line typescript/only-throw-error
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits for the next byte; false at the end of the body and after it broke. */
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

  /** At most `bytesMax` of the next bytes, as they arrive. */
  async *take(bytesMax: number): AsyncGenerator<Uint8Array> {
    for (let left = bytesMax; left > 0 && (await this.hasMore());) {
      const taken = this.#next!.subarray(0, left);
      this.#next = taken.length < this.#next!.length ? this.#next!.subarray(taken.length) : undefined;
      left -= taken.length;
      yield taken;
    }
  }

  /** Stops reading. Never rejects. */
  async close(): Promise<void> {
    await Promise.resolve(this.#source.return?.()).catch(() => undefined);
  }
}
