import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApp } from './app.ts';
import { openTestGateway, type TestGateway } from './gateway.test-support.ts';
import { caller, type Call } from './http-client.test-support.ts';
import { ramp, safetensors } from './safetensors.test-support.ts';
import { startServer, type RunningServer } from './start-server.ts';

let gateway: TestGateway;
let call: Call;
let server: RunningServer;
const checkpoints = '/v1/repositories/acme/lm/runs/first/checkpoints';
const model = safetensors({ w: { shape: [512, 512], values: ramp(512 * 512, 1) } });

beforeAll(async () => {
  gateway = await openTestGateway({ limits: { stagedBytesPerRunMax: 2 * model.length - 1 } });
  const app = createApp(gateway);
  call = caller(app);
  server = await startServer({ app, host: '127.0.0.1', port: 0 });
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
  await call('POST', '/v1/repositories/acme/lm/runs', { name: 'first' });
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

/** Starts a PUT and reports its outcome; sends the body only when the server requests it. */
function putWhenAsked(
  path: string,
  body: Buffer,
): Promise<{ continued: boolean; status: number; retryAfter: string | undefined; code: string | undefined }> {
  return new Promise((resolve, reject) => {
    let continued = false;
    const request = http.request(`${server.url}${path}`, {
      method: 'PUT',
      headers: { expect: '100-continue', 'content-length': body.length },
    });
    request.on('error', reject);
    request.on('continue', () => {
      continued = true;
      request.end(body);
    });
    request.on('response', (response) => {
      let text = '';
      response.on('data', (data) => (text += String(data)));
      response.on('end', () => {
        request.destroy();
        const code = (JSON.parse(text) as { code?: string }).code;
        resolve({ continued, status: response.statusCode!, retryAfter: response.headers['retry-after'], code });
      });
    });
    request.flushHeaders();
  });
}

describe('uploads over a connection', () => {
  it('leaves nothing of a client that vanishes', async () => {
    const push = vi.spyOn(gateway.uploads, 'pushCheckpoint');
    const request = http.request(`${server.url}${checkpoints}/1`, {
      method: 'PUT',
      headers: { 'content-length': model.length },
    });
    request.on('error', () => undefined);
    request.write(model.subarray(0, model.length / 2));
    await vi.waitFor(() => expect(push).toHaveBeenCalled(), { timeout: 10_000 });
    request.destroy();
    await expect(push.mock.results[0]!.value).rejects.toMatchObject({ code: 'upload-aborted' });
    push.mockRestore();
    expect((await call('GET', checkpoints)).json.items).toEqual([]);
    expect(await objects()).toEqual([]);
  });

  it('refuses before the body what it can: an unknown run, a wrong length, a full stage', async () => {
    const unknown = await putWhenAsked('/v1/repositories/acme/lm/runs/none/checkpoints/1', model);
    expect(unknown).toMatchObject({ continued: false, status: 404, code: 'not-found' });

    await call('POST', checkpoints, { step: 2, files: [{ path: 'model.safetensors', sizeBytes: 10 }] });
    const wrong = await putWhenAsked(`${checkpoints}/2/files/model.safetensors`, model);
    expect(wrong).toMatchObject({ continued: false, status: 400, code: 'length-mismatch' });

    const first = await putWhenAsked(`${checkpoints}/3`, model);
    expect(first).toMatchObject({ continued: true, status: 202 });
    const full = await putWhenAsked(`${checkpoints}/4`, model);
    expect(full).toMatchObject({
      continued: false,
      status: 503,
      code: 'overloaded',
      retryAfter: expect.stringMatching(/^\d+$/),
    });
    expect((await call('GET', `${checkpoints}/4`)).status).toBe(404);
  });

  it('refuses a bad header in the middle of the body, with an answer', async () => {
    const answer = await fetch(`${server.url}${checkpoints}/5`, { method: 'PUT', body: Buffer.alloc(1_000_000, 0x41) });
    expect(answer.status).toBe(422);
    expect((await call('GET', `${checkpoints}/5`)).status).toBe(404);
  });

  it('streams up and down what was pushed', async () => {
    const up = await fetch(`${server.url}${checkpoints}/3/files/model.safetensors?as=uploaded`);
    expect(Buffer.from(await up.arrayBuffer()).equals(model)).toBe(true);
    await call('DELETE', `${checkpoints}/2`);
    await gateway.encode();
    const down = await fetch(`${server.url}${checkpoints}/3/files/model.safetensors`);
    expect(down.headers.get('content-length')).toBe(String(model.length));
    expect(Buffer.from(await down.arrayBuffer()).equals(model)).toBe(true);
    const head = await fetch(`${server.url}${checkpoints}/3/files/model.safetensors`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(model.length)]);
  });
});
