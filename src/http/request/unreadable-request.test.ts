import net from 'node:net';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import type { AppEnv } from '../app-env.ts';
import { incomingBody } from './body/incoming-body.ts';
import { renderProblem, toFirnError } from '../answer/render-problem.ts';
import { requestId } from './request-id.ts';
import { startServer, type RunningServer } from '../start-server.ts';

let server: RunningServer | undefined;
afterEach(() => server?.close(0));

/** Everything that comes back until the server closes the connection. */
async function exchange(bytes: string, end: boolean): Promise<{ head: string; body: string }> {
  const app = new Hono<AppEnv>();
  app.use(requestId());
  app.onError((error, c) => renderProblem(c, toFirnError(error)));
  app.get('/download', (c) => c.text('sent'));
  app.put('/upload', async (c) => {
    for await (const _ of incomingBody(c, { bytesPerSecondMin: 0, windowMs: 60_000 }));
    return c.text('taken');
  });
  server = await startServer({ app, host: '127.0.0.1', port: 0 });
  const { port, hostname } = new URL(server.url);
  const socket = net.connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  if (end) socket.end(bytes);
  else socket.write(bytes);
  let text = '';
  for await (const piece of socket) text += String(piece);
  const [head, ...body] = text.split('\r\n\r\n');
  return { head: head!, body: body.join('\r\n\r\n') };
}

describe('bytes that are no request', () => {
  it.each([
    ['nonsense', 'hello hub, here is a file\r\n\r\n', false, 'invalid-request', /no HTTP request/],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'c'.repeat(20_000)}\r\n\r\n`,
      false,
      'invalid-request',
      /too large/,
    ],
    [
      'a body longer than announced',
      'PUT /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcdef',
      false,
      'length-mismatch',
      /more bytes/,
    ],
    [
      'a body that ends early',
      'PUT /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\nabc',
      true,
      'invalid-request',
      /ended inside/,
    ],
  ])('%s: answered with a problem, and the connection ends', async (_, bytes, end, code, sentence) => {
    const { head, body } = await exchange(bytes, end);
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toMatch(/^Content-Type: application\/problem\+json$/im);
    expect(head).toMatch(/^Connection: close$/im);
    const problem = JSON.parse(body) as { code: string; detail: string; requestId: string };
    expect(problem).toMatchObject({ status: 400, code, detail: expect.stringMatching(sentence) });
    expect(head.toLowerCase()).toContain(`x-request-id: ${problem.requestId}`);
  });

  it('after a whole request: that one is answered as ever, and the connection ends', async () => {
    const { head, body } = await exchange('GET /download HTTP/1.1\r\nHost: x\r\n\r\n\x01\x02\x03', false);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/^Connection: close$/im);
    expect(body).toBe('sent');
  });
});
