import { setInterval as everyMs } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawConnection } from '../../test/acceptance/raw-connection.ts';
import { createApp } from './app.ts';
import { openTestGateway, type TestGateway } from './gateway.test-support.ts';
import { caller, type Call } from './http-client.test-support.ts';
import { startServer, type RunningServer } from './start-server.ts';

/** A pace with a window so short that the test does not wait long. */
const bodyPace = { bytesPerSecondMin: 10_000, windowMs: 300 };
const dripMs = 20;
const bytes = Buffer.from(Array.from({ length: 400_000 }, (_, at) => at % 251));
const checkpoint = '/v1/repositories/acme/lm/runs/first/checkpoints/1';

let gateway: TestGateway;
let call: Call;
let server: RunningServer;

beforeAll(async () => {
  gateway = await openTestGateway({ bodyPace });
  const app = createApp(gateway);
  call = caller(app);
  server = await startServer({ app, host: '127.0.0.1', port: 0 });
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
  await call('POST', '/v1/repositories/acme/lm/runs', { name: 'first' });
  await call('POST', '/v1/repositories/acme/lm/runs/first/checkpoints', { step: 1 });
});
afterAll(async () => {
  await server.close(0);
  await gateway.close();
});

const objects = async (): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of gateway.store.list('')) keys.push(key);
  return keys;
};

/** Sends the first bytes at once and the others one by one, until the server answers. */
async function drip(
  method: string,
  path: string,
  { fast, headers }: { fast: number; headers: Record<string, string | number> },
) {
  const connection = await RawConnection.open(server.url);
  await connection.head(method, path, headers);
  await connection.send(bytes.subarray(0, fast));
  const answered = connection.answer();
  let isAnswered = false;
  void answered.finally(() => (isAnswered = true));
  let sent = fast;
  for await (const _ of everyMs(dripMs)) {
    if (isAnswered) break;
    await connection.send(bytes.subarray(sent, ++sent));
  }
  const answer = await answered;
  await connection.destroy();
  return {
    status: answer?.status,
    headers: answer?.headers,
    problem: JSON.parse(answer?.bytes.toString() ?? '{}') as Record<string, unknown>,
    sent,
  };
}

describe('a body that drips', () => {
  it('is answered with what to do, and leaves nothing behind', async () => {
    const slow = await drip('PUT', `${checkpoint}/files/a.bin`, {
      fast: 10,
      headers: { 'Content-Length': bytes.length },
    });
    expect([slow.status, slow.problem.code, slow.headers?.get('connection')]).toEqual([408, 'body-too-slow', 'close']);
    expect(slow.problem.detail).toMatch(/10000 bytes a second.*resumable upload/);
    expect(await objects()).toEqual([]);
    expect((await call('GET', `${checkpoint}/files/a.bin?as=uploaded`)).status).toBe(404);
  });

  it('of JSON is answered the same', async () => {
    const headers = { 'Content-Length': 1000, 'Content-Type': 'application/json' };
    expect((await drip('POST', '/v1/repositories', { fast: 10, headers })).problem.code).toBe('body-too-slow');
  });

  it('of a resumable upload loses nothing that was acknowledged, and the upload goes on', async () => {
    const tus = { 'tus-resumable': '1.0.0' };
    const created = await call('POST', `${checkpoint}/uploads?path=b.bin`, undefined, {
      ...tus,
      'upload-length': String(bytes.length),
    });
    const href = created.headers.get('location')!;
    const bytesOf = { ...tus, 'content-type': 'application/offset+octet-stream' };
    const slow = await drip('PATCH', href, {
      fast: 300_000,
      headers: { ...bytesOf, 'Upload-Offset': 0, 'Content-Length': bytes.length },
    });
    expect([slow.status, slow.problem.code]).toEqual([408, 'body-too-slow']);
    const offset = Number((await call('HEAD', href, undefined, tus)).headers.get('upload-offset'));
    expect(offset).toBeGreaterThanOrEqual(300_000);
    expect(offset).toBeLessThanOrEqual(slow.sent);
    const rest = await call('PATCH', href, bytes.subarray(offset), { ...bytesOf, 'upload-offset': String(offset) });
    expect(rest.status).toBe(204);
    expect((await call('GET', `${checkpoint}/files/b.bin?as=uploaded`)).bytes.equals(bytes)).toBe(true);
  });

  it('of a part is answered the same, and the part can be sent again', async () => {
    const announced = { path: 'c.bin', sizeBytes: bytes.length, partBytes: 2 ** 18 };
    const { id, href } = (await call('POST', `${checkpoint}/uploads`, announced)).json as { id: string; href: string };
    const part = href ?? `/v1/repositories/acme/lm/uploads/${id}`;
    const slow = await drip('PUT', `${part}/parts/2`, {
      fast: 100,
      headers: { 'Content-Length': bytes.length - 2 ** 18 },
    });
    expect([slow.status, slow.problem.code]).toEqual([408, 'body-too-slow']);
    expect((await call('PUT', `${part}/parts/2`, bytes.subarray(2 ** 18))).status).toBe(200);
    expect((await call('PUT', `${part}/parts/1`, bytes.subarray(0, 2 ** 18))).status).toBe(200);
    expect((await call('POST', `${part}/complete`)).status).toBe(200);
    expect((await call('GET', `${checkpoint}/files/c.bin?as=uploaded`)).bytes.equals(bytes)).toBe(true);
  });
});
