import type { FileHandle } from 'node:fs/promises';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { Hub } from '../open-hub.ts';
import type { RangeRequest } from './fetch-range.ts';

/** Bytes that one read of the connection may bring: few reads, and few writes to the file. */
const receiveBytes = 1024 * 1024;
/** Longest head of an answer, in bytes; Node's own client has the same limit. */
const headBytesMax = 16 * 1024;
/** A connection without a byte for this long is given up, in ms. */
const idleMaxMs = 10 * 60_000;

/**
 * Receives a byte range over plain HTTP and writes it to the file at the same offset. Every byte comes into one buffer
 * that is used again, which takes a third of the processor time of Node's HTTP client: that one allocates and copies
 * each 64 KiB. `onWritten` gets the bytes of each write, in order.
 *
 * True if the whole range is written. False if the answer is anything but this range in one piece, or the hub is
 * reached otherwise: then Node's client asks again, and says what is wrong. Throws if the connection breaks; the
 * bytes that `onWritten` got are there.
 */
export async function receiveRange(
  hub: Pick<Hub, 'url' | 'headers'>,
  range: RangeRequest,
  handle: FileHandle,
  onWritten: (bytes: number) => void,
): Promise<boolean> {
  const url = new URL(hub.url + range.path);
  if (url.protocol !== 'http:' || url.username !== '') return false;
  const ask = requestOf(url, { ...hub.headers, ...rangeHeaders(range) });
  return new Promise((resolve, reject) => {
    const reader = new RangeReader(range, handle, onWritten);
    const end = (outcome: boolean | Error): void => {
      socket.destroy();
      if (typeof outcome === 'boolean') resolve(outcome);
      else reject(outcome);
    };
    const take = (bytes: Buffer): void =>
      void reader.take(bytes).then((state) => {
        if (state === 'more') socket.resume();
        else end(state === 'whole');
      }, end);
    const buffer = Buffer.allocUnsafeSlow(receiveBytes);
    const options: TcpNetConnectOpts = {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? 80 : Number(url.port),
      ...(range.signal && { signal: range.signal }),
      onread: {
        buffer,
        callback: (length: number) => {
          take(buffer.subarray(0, length));
          // The next bytes would replace these before they are written.
          return false;
        },
      },
    };
    const socket = connect(options);
    whenOver(socket, (error) => void reader.idle().then(() => end(error), end));
    socket.write(ask);
  });
}

/** Calls back when the connection fails, ends or is silent. */
function whenOver(socket: Socket, onOver: (error: Error) => void): void {
  socket.once('error', onOver);
  socket.once('close', () => onOver(Object.assign(new Error('The answer was cut off.'), { code: 'ECONNRESET' })));
  socket.setTimeout(idleMaxMs, () =>
    socket.destroy(Object.assign(new Error('the connection was silent'), { code: 'ETIMEDOUT' })),
  );
}

function rangeHeaders({ start, end, etag }: RangeRequest): Record<string, string> {
  return { range: `bytes=${start}-${end - 1}`, ...(etag !== undefined && { 'if-match': etag }) };
}

function requestOf({ host, pathname, search }: URL, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ host, ...headers, connection: 'close' }).map(([name, value]) => {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return `${name}: ${value}\r\n`;
  });
  return `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Reads one answer as its bytes come. */
class RangeReader {
  readonly #range: RangeRequest;
  readonly #handle: FileHandle;
  readonly #onWritten: (bytes: number) => void;
  #head: Buffer | undefined = Buffer.alloc(0);
  #at: number;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(range: RangeRequest, handle: FileHandle, onWritten: (bytes: number) => void) {
    this.#range = range;
    this.#handle = handle;
    this.#onWritten = onWritten;
    this.#at = range.start;
  }

  /** Resolves when the bytes are not needed any more: `other` if this is not the answer that was asked for. */
  async take(bytes: Buffer): Promise<'more' | 'whole' | 'other'> {
    const body = this.#head === undefined ? bytes : this.#afterHead(bytes);
    if (body === undefined) return this.#head!.length > headBytesMax ? 'other' : 'more';
    if (body === 'other' || body.length > this.#range.end - this.#at) return 'other';
    this.#writing = this.#write(body);
    await this.#writing;
    return this.#at === this.#range.end ? 'whole' : 'more';
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  /** What follows the head of the answer; undefined while that is not complete. */
  #afterHead(bytes: Buffer): Buffer | 'other' | undefined {
    // Copied: the buffer is about to be used again.
    this.#head = Buffer.concat([this.#head!, bytes]);
    const stop = this.#head.indexOf('\r\n\r\n');
    if (stop < 0) return undefined;
    const head = this.#head.toString('latin1', 0, stop);
    const body = this.#head.subarray(stop + 4);
    if (stop > headBytesMax || !isRange(head, this.#range)) return 'other';
    this.#head = undefined;
    return body;
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let from = 0; from < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, from, bytes.length - from, this.#at);
      from += bytesWritten;
      this.#at += bytesWritten;
      this.#onWritten(bytesWritten);
    }
  }
}

/** Whether this is the head of an answer whose body is exactly the range, as it is. */
function isRange(head: string, { start, end }: RangeRequest): boolean {
  const [status, ...lines] = head.split('\r\n');
  if (!/^HTTP\/1\.1 206( |$)/.test(status!)) return false;
  const values = (name: string): string[] =>
    lines.flatMap((line) => {
      const colon = line.indexOf(':');
      return line.slice(0, colon).toLowerCase() === name ? [line.slice(colon + 1).trim()] : [];
    });
  const only = (name: string, test: (value: string) => boolean): boolean => {
    const found = values(name);
    return found.length === 1 && test(found[0]!);
  };
  return (
    only('content-length', (value) => value === String(end - start)) &&
    only('content-range', (value) => value.startsWith(`bytes ${start}-${end - 1}/`)) &&
    values('transfer-encoding').length === 0 &&
    values('content-encoding').length === 0
  );
}
