import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, type FileHandle } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { receiveRange } from './receive-range.ts';

const [start, end] = [1000, 3_001_000];
const body = Buffer.from(Array.from({ length: end - start }, (_, i) => (i * 7 + (i >> 8)) & 0xff));
const head = (more = '', status = '206 Partial Content'): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n` +
  `content-range: bytes ${start}-${end - 1}/9000000\r\n${more}\r\n`;

let folder: string;
let handle: FileHandle;
let server: Server | undefined;
let asked: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-receive-'));
  handle = await open(join(folder, 'file'), 'w+');
  asked = '';
});
afterEach(async () => {
  await handle.close();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Receives from a server that answers so; the bytes that were told as written beside the outcome. */
async function receive(
  answer: (socket: Socket) => unknown,
  { signal, headers = {} }: { signal?: AbortSignal; headers?: Record<string, string> } = {},
): Promise<{ outcome: boolean | Error; written: number }> {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      asked = bytes.toString('latin1');
      void answer(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let written = 0;
  const range = { path: '/files/a?dtype=f16', start, end, etag: '"e"', ...(signal && { signal }) };
  const outcome = await receiveRange({ url, headers }, range, handle, (bytes) => (written += bytes)).catch(
    (error: unknown) => error as Error,
  );
  return { outcome, written };
}

async function expectAllWritten({ outcome, written }: { outcome: boolean | Error; written: number }): Promise<void> {
  expect(outcome).toBe(true);
  expect(written).toBe(body.length);
  expect((await readFile(join(folder, 'file'))).subarray(start).equals(body)).toBe(true);
}

test('a range is written where it belongs, and the request says what is wanted', async () => {
  await expectAllWritten(
    await receive((socket) => socket.end(Buffer.concat([Buffer.from(head()), body])), {
      headers: { authorization: 'Bearer hf_x' },
    }),
  );
  expect(asked.split('\r\n')).toEqual(
    expect.arrayContaining([
      'GET /files/a?dtype=f16 HTTP/1.1',
      'authorization: Bearer hf_x',
      `range: bytes=${start}-${end - 1}`,
      'if-match: "e"',
      'connection: close',
    ]),
  );
});

test('an answer may come in pieces of any size, its head byte by byte', async () => {
  await expectAllWritten(
    await receive(async (socket) => {
      socket.setNoDelay(true);
      for (const byte of Buffer.from(head())) {
        socket.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      for (let at = 0, size = 1; at < body.length; at += size, size = (size * 13) % 400_009) {
        socket.write(body.subarray(at, at + size));
        await new Promise(setImmediate);
      }
      // The connection stays open: the length says where the range ends.
    }),
  );
});

test.each<[string, string]>([
  ['a refusal', 'HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}'],
  ['the whole file', head('', '200 OK')],
  ['another range', head().replace(`${start}-`, `${start + 1}-`)],
  ['a range of another length', head().replace(`Length: ${body.length}`, 'Length: 10')],
  ['two lengths', head('content-length: 3000000\r\n')],
  ['no length', head().replace(/Content-Length.*\r\n/, '')],
  ['chunks', head('Transfer-Encoding: chunked\r\n')],
  ['compressed bytes', head('Content-Encoding: gzip\r\n')],
  ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ['a head without end', `HTTP/1.1 206 OK\r\nx: ${'x'.repeat(100_000)}`],
])('%s is left to the client that says what is wrong', async (_, answer) => {
  const { outcome, written } = await receive((socket) => socket.write(answer));
  expect(outcome).toBe(false);
  expect(written).toBe(0);
});

test('bytes beyond the range are not written', async () => {
  const { outcome } = await receive((socket) => socket.write(Buffer.concat([Buffer.from(head()), body, Buffer.of(1)])));
  const { size } = await handle.stat();
  expect(outcome).not.toBeInstanceOf(Error);
  expect(size).toBeLessThanOrEqual(end);
});

test('a break after some bytes is an error of the network, and these bytes are there', async () => {
  const { outcome, written } = await receive(async (socket) => {
    socket.write(head());
    socket.write(body.subarray(0, 1_500_000));
    await pause(100);
    socket.destroy();
  });
  expect(outcome).toMatchObject({ code: 'ECONNRESET' });
  expect(written).toBeGreaterThan(0);
  const there = (await readFile(join(folder, 'file'))).subarray(start, start + written);
  expect(there.equals(body.subarray(0, written))).toBe(true);
});

test('a signal ends it', async () => {
  const { outcome } = await receive((socket) => socket.write(head()), { signal: AbortSignal.timeout(100) });
  expect(outcome).toMatchObject({ name: 'AbortError' });
});

test('a header that would be two is refused before anything is sent', async () => {
  const { outcome } = await receive((socket) => socket.write(head()), { headers: { 'x-a': 'b\r\nhost: c' } });
  expect(outcome).toMatchObject({ code: 'ERR_INVALID_CHAR' });
  expect(asked).toBe('');
});

test('an error of the disk is told as it is', async () => {
  await handle.close();
  handle = await open(join(folder, 'file'), 'r');
  const { outcome } = await receive((socket) => socket.write(Buffer.concat([Buffer.from(head()), body])));
  expect(outcome).toMatchObject({ code: 'EBADF' });
});

test('https and names in the address are left to the other client', async () => {
  const range = { path: '/a', start, end, etag: undefined };
  for (const url of ['https://127.0.0.1:1', 'http://user:word@127.0.0.1:1'])
    expect(await receiveRange({ url, headers: {} }, range, handle, () => undefined)).toBe(false);
});
