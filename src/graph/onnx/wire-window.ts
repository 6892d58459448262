import type { GraphSource } from './graph-source.ts';
import { varintBytesMax, type WireCursor } from './wire-cursor.ts';

/** Bytes of the file in memory at once. */
const windowBytes = 256 * 1024;
/** Most bytes between the start of a field and its payload: the tag, and a length or a number. */
const fieldHeadBytesMax = 2 * varintBytesMax;

/** Reads a file from start to end through a window; skipped bytes are not read. */
export class WireWindow {
  /** Place in the file to read next. */
  at = 0;
  private readonly source: GraphSource;
  private readonly signal: AbortSignal | undefined;
  private readonly buffer: Uint8Array;
  /** The part of the file in the buffer. */
  private start = 0;
  private end = 0;

  constructor(source: GraphSource, signal?: AbortSignal) {
    this.source = source;
    this.signal = signal;
    this.buffer = new Uint8Array(Math.min(windowBytes, source.sizeBytes));
  }

  /** True when the head of the field at `at` is in the window; `load` brings it there. */
  get holdsFieldHead(): boolean {
    return this.at >= this.start && Math.min(this.at + fieldHeadBytesMax, this.source.sizeBytes) <= this.end;
  }

  /** Bytes of the file if all of them are in the window; valid until the next `load` or `copy`. */
  view(startBytes: number, endBytes: number): Uint8Array | undefined {
    return startBytes >= this.start && endBytes <= this.end
      ? this.buffer.subarray(startBytes - this.start, endBytes - this.start)
      : undefined;
  }

  /** A cursor at `at` that ends at `endBytes` or at the end of the window; `follow` moves to the cursor's place. */
  cursor(endBytes: number): WireCursor {
    return { bytes: this.buffer, at: this.at - this.start, end: Math.min(endBytes, this.end) - this.start };
  }

  follow(cursor: WireCursor): void {
    this.at = this.start + cursor.at;
  }

  /** Passes the bytes from `startBytes` to `endBytes` on in pieces that are valid until the next one. */
  async copy(startBytes: number, endBytes: number, to: (piece: Uint8Array) => void): Promise<void> {
    for (let at = startBytes; at < endBytes;) {
      if (at < this.start || at >= this.end) await this.load(at);
      const piece = this.buffer.subarray(at - this.start, Math.min(endBytes, this.end) - this.start);
      to(piece);
      at += piece.byteLength;
    }
  }

  async load(startBytes = this.at): Promise<void> {
    this.signal?.throwIfAborted();
    const length = Math.min(this.buffer.byteLength, this.source.sizeBytes - startBytes);
    await this.source.fill(this.buffer.subarray(0, length), startBytes);
    this.start = startBytes;
    this.end = startBytes + length;
  }
}
