import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** The fault of one request. */
export type Fault =
  /** The connection breaks before the server receives the request. */
  | { readonly kind: 'lose-request' }
  /** The server executes the request, and the connection breaks before its answer arrives. */
  | { readonly kind: 'lose-answer' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** An answer that does not come from the server. */
  | { readonly kind: 'answer'; readonly status: number; readonly code: string }
  /** Half of the answer's body, then the connection breaks. */
  | { readonly kind: 'truncate' }
  /** Half of the answer's body, then nothing. */
  | { readonly kind: 'stall' }
  /** One byte of the answer's body is changed. */
  | { readonly kind: 'flip-answer' }
  /** One byte of the request's body is changed. */
  | { readonly kind: 'flip-request' };

export interface ProxiedRequest {
  /** Counts from 0. */
  readonly number: number;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

/**
 * For tests only: a proxy on loopback between a store and its server that breaks the requests that `choose` picks.
 * Forwards the Host header unchanged, because it is signed.
 */
export class FaultProxy {
  readonly #upstream: URL;
  readonly #server: Server;
  #port = 0;
  #requests = 0;
  /** The fault of each request; undefined for none. */
  choose: (request: ProxiedRequest) => Fault | undefined = () => undefined;

  private constructor(upstream: string) {
    this.#upstream = new URL(upstream);
    this.#server = createServer((req, res) => {
      this.#pass(req, res).catch(() => res.destroy());
    });
  }

  static async start(upstream: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(upstream);
    await proxy.accept();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Accepts connections, at the same address as before. */
  async accept(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Breaks every connection and refuses new ones. */
  async refuse(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const fault = this.choose({ number: this.#requests++, method: req.method!, url: req.url!, headers: req.headers });
    const body = await bodyOf(req);
    if (fault?.kind === 'lose-request') return void res.destroy();
    if (fault?.kind === 'answer') return answerError(res, fault);
    if (fault?.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    if (fault?.kind === 'flip-request') flip(body);
    const { status, headers, body: answer } = await this.#ask(req, body);
    if (fault?.kind === 'lose-answer') return void res.destroy();
    if (fault?.kind === 'flip-answer') flip(answer);
    res.writeHead(status, headers);
    if (fault?.kind !== 'truncate' && fault?.kind !== 'stall') return void res.end(answer);
    // An answer whose body is lost still has its headers.
    res.flushHeaders();
    res.write(answer.subarray(0, answer.length >> 1), () => {
      if (fault.kind === 'truncate') res.destroy();
    });
  }

  async #ask(
    req: IncomingMessage,
    body: Buffer,
  ): Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }> {
    const { hostname, port } = this.#upstream;
    const upstream = httpRequest({ hostname, port, method: req.method!, path: req.url!, headers: req.headers });
    upstream.end(body);
    const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
    return { status: answer.statusCode!, headers: answer.headers, body: await bodyOf(answer) };
  }
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of message as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}

function flip(bytes: Buffer): void {
  if (bytes.length > 0) bytes[bytes.length >> 1]! ^= 1;
}

function answerError(res: ServerResponse, { status, code }: { readonly status: number; readonly code: string }): void {
  const error = `<Error><Code>${code}</Code><Message>made to fail</Message></Error>`;
  const body = `<?xml version="1.0" encoding="UTF-8"?>${error}`;
  res.writeHead(status, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(body) });
  res.end(body);
}
