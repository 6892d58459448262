import { once } from 'node:events';
import { createServer, request as send, Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface Exchange {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  readonly status: number;
}

export type Direction = 'up' | 'down';

/** A proxy in front of a hub that changes nothing. */
export interface RecordingProxy {
  readonly url: string;
  /** Every answered request, in the order of the answers. */
  readonly exchanges: readonly Exchange[];
  /** Resolves as soon as this many more bytes of bodies have gone in a direction. */
  passed(direction: Direction, sizeBytes: number): Promise<void>;
  close(): Promise<void>;
}

interface Waiter {
  readonly direction: Direction;
  readonly atBytes: number;
  resolve(): void;
}

/**
 * Passes requests to `target` and their answers back, and keeps what was asked. The client's Host field goes through,
 * so the addresses that the hub builds lead to the proxy again. A connection that the client drops is dropped at the
 * hub, too.
 */
export async function openRecordingProxy(target: string): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  const passed = { up: 0, down: 0 };
  const waiters = new Set<Waiter>();
  const agent = new Agent({ keepAlive: true });
  const sockets = new Set<Socket>();

  const count = (direction: Direction): Transform =>
    new Transform({
      transform(chunk: Buffer, _, done) {
        passed[direction] += chunk.length;
        for (const waiter of waiters) {
          if (waiter.direction !== direction || passed[direction] < waiter.atBytes) continue;
          waiters.delete(waiter);
          waiter.resolve();
        }
        done(null, chunk);
      },
    });

  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = '', url = '' } = req;
    const onward = send(new URL(url, target), { method, agent, headers: req.rawHeaders, setHost: false });
    res.once('close', () => {
      if (!res.writableFinished) onward.destroy();
    });
    const answered = once(onward, 'response') as Promise<[IncomingMessage]>;
    // The hub may answer, and close, before it has read the whole body.
    const sent = pipeline(req, count('up'), onward).catch(() => undefined);
    const [answer] = await answered;
    exchanges.push({ method, path: url.split('?', 1)[0]!, status: answer.statusCode! });
    res.writeHead(answer.statusCode!, answer.rawHeaders);
    await pipeline(answer, count('down'), res);
    await sent;
  }

  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (req, res) => {
    pass(req, res).catch(() => res.destroy());
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    passed: (direction, sizeBytes) =>
      new Promise((resolve) => waiters.add({ direction, atBytes: passed[direction] + sizeBytes, resolve })),
    async close() {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
