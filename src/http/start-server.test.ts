import { createHash } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { AppEnv } from './app-env.ts';
import { incomingBody } from './request/body/incoming-body.ts';
import { renderProblem, toFirnError } from './answer/render-problem.ts';
import { requestId } from './request/request-id.ts';
import { startServer, type RunningServer } from './start-server.ts';
import { streamResponse } from './answer/stream-response.ts';

const chunkBytes = 64 * 1024;
const pace = { bytesPerSecondMin: 0, windowMs: 60_000 };

interface Seen {
  read: number;
  produced: number;
  released: number;
  logged: number;
  error: unknown;
}

/** An app with one upload and some downloads, which tells what happened to them. */
function probeApp(seen: Seen): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(requestId());
  app.put('/refused', () => {
    throw new FirnError('storage-full', 'No room.');
  });
  app.put('/upload', async (c) => {
    const digest = createHash('sha256');
    try {
      for await (const chunk of incomingBody(c, pace, Number(c.req.query('idleMs') ?? 60_000))) {
        digest.update(chunk);
        seen.read += chunk.length;
        if (c.req.query('stopAt') !== undefined && seen.read >= Number(c.req.query('stopAt')))
          throw new FirnError('payload-too-large', 'Enough.');
        if (c.req.query('slow') !== undefined) await delay(20);
      }
    } catch (error) {
      seen.error = error;
      throw error;
    }
    return c.text(digest.digest('hex'));
  });
  app.get('/download', (c) => {
    const sizeBytes = Number(c.req.query('chunks')) * chunkBytes;
    const failAt = Number(c.req.query('failAt') ?? Infinity);
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < sizeBytes; sent += chunkBytes) {
        if (sent >= failAt) throw new FirnError('corrupt-object', 'A chunk is damaged.');
        seen.produced += chunkBytes;
        yield new Uint8Array(chunkBytes).fill(7);
      }
    }
    return streamResponse(c, {
      status: 200,
      headers: {},
      sizeBytes,
      chunks,
      idleMs: Number(c.req.query('idleMs') ?? 60_000),
      release: async () => {
        seen.released++;
      },
      log: { info: () => undefined, error: () => void seen.logged++ },
    });
  });
  app.get('/endless', (c) =>
    c.body(
      new ReadableStream({
        pull: (controller) =>
          new Promise<void>((resolve) => {
            c.env.stopping!.addEventListener('abort', () => {
              controller.close();
              resolve();
            });
          }),
      }),
    ),
  );
  app.onError((error, c) => renderProblem(c, toFirnError(error)));
  return app;
}

let server: RunningServer;
let seen: Seen;
const start = async (): Promise<URL> => {
  seen = { read: 0, produced: 0, released: 0, logged: 0, error: undefined };
  server = await startServer({ app: probeApp(seen), host: '127.0.0.1', port: 0 });
  return new URL(server.url);
};
afterEach(() => server.close(0));

/** Waits for a condition that another task makes true; fails by the test's own timeout. */
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await delay(5);
};

function put(url: URL, headers: http.OutgoingHttpHeaders): http.ClientRequest {
  return http.request(url, { method: 'PUT', headers });
}

const answerOf = (request: http.ClientRequest): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.on('data', (data) => {
        text += String(data);
      });
      response.on('end', () => resolve({ status: response.statusCode!, text }));
      response.on('error', reject);
    });
  });

describe('uploads', () => {
  it('reads a body with and without a length', async () => {
    const url = await start();
    const body = Buffer.alloc(3_000_000, 5);
    const expected = createHash('sha256').update(body).digest('hex');
    const fixed = await fetch(new URL('/upload', url), { method: 'PUT', body });
    expect(await fixed.text()).toBe(expected);
    const chunked = await fetch(new URL('/upload', url), {
      method: 'PUT',
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(await chunked.text()).toBe(expected);
  });

  it('gives 100 Continue only when the body is wanted', async () => {
    const url = await start();
    const refused = put(new URL('/refused', url), { expect: '100-continue', 'content-length': 10 });
    let continued = false;
    refused.on('continue', () => {
      continued = true;
    });
    refused.flushHeaders();
    expect((await answerOf(refused)).status).toBe(507);
    expect(continued).toBe(false);
    refused.destroy();

    const wanted = put(new URL('/upload', url), { expect: '100-continue', 'content-length': 5 });
    wanted.on('continue', () => wanted.end('hello'));
    wanted.flushHeaders();
    expect(await answerOf(wanted)).toEqual({ status: 200, text: createHash('sha256').update('hello').digest('hex') });
  });

  it('ends with upload-aborted when the client vanishes', async () => {
    const url = await start();
    const request = put(new URL('/upload', url), { 'content-length': 1_000_000 });
    request.on('error', () => undefined);
    request.write(Buffer.alloc(1000));
    await until(() => seen.read > 0);
    request.destroy();
    await until(() => seen.error !== undefined);
    expect(seen.error).toMatchObject({ code: 'upload-aborted' });
  });

  it('ends with upload-aborted when a chunked body breaks off', async () => {
    const url = await start();
    const socket = net.connect(Number(url.port), url.hostname);
    socket.write('PUT /upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    await until(() => seen.read > 0);
    socket.destroy();
    await until(() => seen.error !== undefined);
    expect(seen.error).toMatchObject({ code: 'upload-aborted' });
  });

  it('gives up a client that falls silent', async () => {
    const url = await start();
    const request = put(new URL('/upload?idleMs=50', url), { 'content-length': 1000 });
    request.on('error', () => undefined);
    request.write('x');
    await until(() => seen.error !== undefined);
    expect(seen.error).toMatchObject({ code: 'upload-aborted' });
    request.destroy();
  });

  it('answers a problem when it stops reading in the middle', async () => {
    const url = await start();
    const response = await fetch(new URL('/upload?stopAt=1000', url), { method: 'PUT', body: Buffer.alloc(300_000) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'payload-too-large' });
  });

  it('reads no faster than it works', async () => {
    const url = await start();
    const request = put(new URL('/upload?slow=1', url), { 'content-length': 64 * 1024 * 1024 });
    request.on('error', () => undefined);
    let handedOver = 0;
    const chunk = Buffer.alloc(1024 * 1024);
    const push = (): void => {
      while (
        handedOver < 64 &&
        request.write(chunk, () => {
          handedOver++;
        })
      ) {
        /* until the socket is full */
      }
    };
    request.on('drain', push);
    push();
    await until(() => seen.read > 1024 * 1024);
    expect(request.writableLength + (64 - handedOver) * chunk.length).toBeGreaterThan(30 * 1024 * 1024);
    request.destroy();
    await until(() => seen.error !== undefined);
  });
});

describe('downloads', () => {
  it('streams the whole length and lets go', async () => {
    const url = await start();
    const response = await fetch(new URL('/download?chunks=40', url));
    expect(response.headers.get('content-length')).toBe(String(40 * chunkBytes));
    expect((await response.arrayBuffer()).byteLength).toBe(40 * chunkBytes);
    await until(() => seen.released === 1);
  });

  it('answers a problem when the very first bytes are damaged', async () => {
    const url = await start();
    const response = await fetch(new URL('/download?chunks=4&failAt=0', url));
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'corrupt-object' });
    expect(seen.released).toBe(1);
  });

  it('cuts the connection when later bytes are damaged', async () => {
    const url = await start();
    const response = await fetch(new URL(`/download?chunks=400&failAt=${200 * chunkBytes}`, url));
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    await until(() => seen.released === 1);
  });

  it('stops producing when the client does not read, and frees everything when it leaves', async () => {
    const url = await start();
    const socket = net.connect(Number(url.port), url.hostname);
    socket.write('GET /download?chunks=16000 HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.pause();
    await until(() => seen.produced > 0);
    let before = -1;
    // Settled: nothing was produced during a whole pause.
    while (before !== seen.produced) {
      before = seen.produced;
      await delay(100);
    }
    expect(seen.produced).toBeLessThan(64 * 1024 * 1024);
    socket.destroy();
    await until(() => seen.released === 1);
    expect(seen.logged).toBe(0);
  });

  it('gives up a client that stops reading', async () => {
    const url = await start();
    const socket = net.connect(Number(url.port), url.hostname);
    socket.on('error', () => undefined);
    socket.write('GET /download?chunks=16000&idleMs=100 HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.pause();
    await until(() => seen.released === 1);
    socket.destroy();
  });
});

describe('draining', () => {
  it('ends endless answers and lets finite ones finish', async () => {
    const url = await start();
    const endless = await fetch(new URL('/endless', url));
    const upload = put(new URL('/upload', url), { 'content-length': 6 });
    upload.write('abc');
    await until(() => seen.read === 3);
    const closing = server.close(10_000);
    expect(await endless.text()).toBe('');
    upload.end('def');
    expect((await answerOf(upload)).status).toBe(200);
    await closing;
    await expect(fetch(new URL('/upload', url), { method: 'PUT' })).rejects.toThrow();
  });

  it('cuts what does not finish in time', async () => {
    const url = await start();
    const upload = put(new URL('/upload', url), { 'content-length': 6 });
    upload.on('error', () => undefined);
    upload.write('abc');
    await until(() => seen.read === 3);
    await server.close(10);
    await until(() => seen.error !== undefined);
    expect(seen.error).toMatchObject({ code: 'upload-aborted' });
  });
});
