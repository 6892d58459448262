import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A fault of the connection, applied to the server's bytes on their way to the client. */
export type LineFault =
  /** Bytes arrive later. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** No bytes arrive, in either direction. */
  | { readonly kind: 'stall' }
  /** Half of the next piece arrives, then the connection breaks. */
  | { readonly kind: 'truncate' };

/** A proxy on loopback between a client and its server, for any protocol over TCP, that can break connections. */
export class TcpProxy {
  readonly #upstream: { readonly host: string; readonly port: number };
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #port = 0;
  #fault: LineFault | undefined;

  private constructor(upstream: URL) {
    this.#upstream = { host: upstream.hostname, port: Number(upstream.port) };
    this.#server = createServer((client) => this.#join(client));
  }

  static async start(upstream: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(upstream));
    await proxy.accept();
    return proxy;
  }

  /** The server's URL through the proxy. */
  through(url: string): string {
    return Object.assign(new URL(url), { host: `127.0.0.1:${this.#port}` }).href;
  }

  /** Sets the fault of all later bytes; undefined for none. Stalled bytes then continue. */
  set fault(fault: LineFault | undefined) {
    this.#fault = fault;
    for (const socket of [...this.#pairs].flat())
      if (fault?.kind === 'stall') socket.pause();
      else socket.resume();
  }

  async accept(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Breaks every connection; accepts new ones. */
  reset(): void {
    for (const [client, server] of this.#pairs) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** Breaks every connection and accepts none. */
  async refuse(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.reset();
    await closed;
  }

  #join(client: Socket): void {
    const server = connect(this.#upstream);
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        server.destroy();
        this.#pairs.delete(pair);
      });
    }
    client.on('data', (piece) => void server.write(piece));
    // In order: a late piece delays later ones.
    let answering = Promise.resolve();
    server.on('data', (piece) => {
      answering = answering.then(() => this.#answer(client, piece));
    });
    if (this.#fault?.kind === 'stall') for (const socket of pair) socket.pause();
  }

  async #answer(client: Socket, piece: Buffer): Promise<void> {
    const fault = this.#fault;
    if (fault?.kind === 'slow') await pause(fault.ms);
    if (client.destroyed) return;
    if (fault?.kind !== 'truncate') return void client.write(piece);
    client.write(piece.subarray(0, piece.length >> 1), () => client.destroy());
  }
}
