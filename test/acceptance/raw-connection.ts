import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Answer } from './hub-api.ts';

/** Longest wait for an answer, in ms. */
const answerDeadlineMs = 20_000;

/** A connection whose bytes the test chooses, for bodies that no normal client would send. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #pieces: Buffer[] = [];
  readonly #closed: Promise<unknown>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#closed = once(socket, 'close');
    socket.on('data', (piece: Buffer) => this.#pieces.push(piece));
    // After a reset the answer is missing, which the test sees.
    socket.on('error', () => undefined);
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Sends a request's head; the caller sends the body. */
  async head(method: string, path: string, headers: Readonly<Record<string, string | number>>): Promise<void> {
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    await this.send(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`));
  }

  /** Resolves when the operating system has the bytes. */
  send(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => void this.#socket.write(bytes, () => resolve()));
  }

  /** Sends one chunk of a chunked body; an empty one ends it. */
  chunk(bytes: Uint8Array): Promise<void> {
    return this.send(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]));
  }

  /** Ends the sending side, and still receives. */
  finish(): void {
    this.#socket.end();
  }

  /** Closes the connection at once. */
  async destroy(): Promise<void> {
    this.#socket.destroy();
    await this.#closed;
  }

  /** The first answer, once it is complete; undefined if the connection ended without one. */
  async answer(): Promise<Answer | undefined> {
    const deadline = setTimeout(() => this.#socket.destroy(), answerDeadlineMs);
    try {
      for (;;) {
        const answer = parseAnswer(Buffer.concat(this.#pieces));
        if (answer !== undefined || this.#socket.destroyed) return answer;
        await Promise.race([once(this.#socket, 'data'), this.#closed]);
      }
    } finally {
      clearTimeout(deadline);
    }
  }
}

/** Parses an answer with a Content-Length or in chunks; undefined while a part of it is missing. */
function parseAnswer(bytes: Buffer): Answer | undefined {
  const headBytes = bytes.indexOf('\r\n\r\n');
  if (headBytes < 0) return undefined;
  const [statusLine, ...lines] = bytes.subarray(0, headBytes).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine!)?.[1]);
  const headers = new Headers(
    lines.map(
      (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as [string, string],
    ),
  );
  const rest = bytes.subarray(headBytes + 4);
  const body =
    headers.get('transfer-encoding') === 'chunked'
      ? dechunk(rest)
      : lengthBody(rest, Number(headers.get('content-length') ?? 0));
  return body === undefined ? undefined : { status, headers, bytes: body };
}

function lengthBody(rest: Buffer, length: number): Buffer | undefined {
  return rest.length < length ? undefined : rest.subarray(0, length);
}

function dechunk(rest: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(rest.subarray(at, lineEnd).toString(), 16);
    if (length === 0) return Buffer.concat(pieces);
    if (rest.length < lineEnd + 2 + length + 2) return undefined;
    pieces.push(rest.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}
