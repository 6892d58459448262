import net from 'node:net';
import { once } from 'node:events';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import { createApp } from './app.ts';
import { openTestGateway, type TestGateway } from './gateway.test-support.ts';
import { caller, type Call } from './http-client.test-support.ts';
import { jsonBytesMax } from './request/body/json-body.ts';
import { startServer, type RunningServer } from './start-server.ts';

let gateway: TestGateway;
let call: Call;
let server: RunningServer;
/** The failure of the next listing of repositories. */
let failure: Error | undefined;

beforeAll(async () => {
  gateway = await openTestGateway();
  const { repositories } = gateway.catalog;
  const list: typeof repositories.list = (...asked) =>
    failure === undefined ? repositories.list(...asked) : Promise.reject(failure);
  const app = createApp({ ...gateway, catalog: { ...gateway.catalog, repositories: { ...repositories, list } } });
  call = caller(app);
  server = await startServer({ app, host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close(0);
  await gateway.close();
});
beforeEach(() => {
  failure = undefined;
  gateway.errors.length = 0;
});

describe('problems', () => {
  it('has a code, a type that resolves, and the request id', async () => {
    const answer = await call('GET', '/v1/repositories/a/b', undefined, { 'x-request-id': 'mine-1' });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json).toEqual({
      type: '/problems/not-found',
      title: 'Not found',
      status: 404,
      code: 'not-found',
      detail: 'There is no such repository.',
      requestId: 'mine-1',
    });
    expect(answer.headers.get('x-request-id')).toBe('mine-1');
    expect((await call('GET', answer.json.type)).json).toEqual({
      code: 'not-found',
      status: 404,
      title: 'Not found',
      cause: expect.stringContaining('may not see it'),
      remedy: expect.stringContaining('spelling'),
      example: expect.any(String),
    });
    expect((await call('GET', '/problems/none')).status).toBe(404);
  });

  it.each(['', 'a b', 'x'.repeat(129), 'a"b'])('does not take the request id %j', async (id) => {
    const answer = await call('GET', '/v1/repositories/a/b', undefined, { 'x-request-id': id });
    expect(answer.json.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    new Error('select * from secrets failed at /srv/data'),
    new FirnError('internal', 'the table "secrets" is gone', { detail: '/srv/data' }),
    new FirnError('native-failure', 'status 17 at /srv/data'),
  ])('says one fixed sentence about %s and logs the rest', async (error) => {
    failure = error;
    const answer = await call('GET', '/v1/repositories');
    expect(answer.status).toBe(500);
    expect(answer.json.detail).toMatch(/^The server failed to answer/);
    expect(answer.bytes.toString()).not.toMatch(/secrets|srv|status 17/);
    expect(gateway.errors).toHaveLength(1);
    expect(gateway.errors[0]).toMatchObject({ requestId: answer.json.requestId });
  });

  it('keeps detail and cause of a planned error to the log', async () => {
    failure = new FirnError('corrupt-object', 'Stored bytes are damaged.', {
      detail: 'objects/ab/cd',
      cause: new Error('EIO'),
    });
    const answer = await call('GET', '/v1/repositories');
    expect(answer.json).toMatchObject({ status: 500, code: 'corrupt-object', detail: 'Stored bytes are damaged.' });
    expect(answer.bytes.toString()).not.toMatch(/objects|EIO/);
    expect(gateway.errors[0]).toMatchObject({ detail: 'objects/ab/cd' });
  });

  it('asks to come back later when there is too much to do', async () => {
    failure = new FirnError('overloaded', 'Too much is waiting.');
    const answer = await call('GET', '/v1/repositories');
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true]);
  });
});

describe('unknown paths and methods', () => {
  it.each([
    ['DELETE', '/v1/repositories', 'GET, HEAD, POST'],
    ['POST', '/v1/repositories/a/b/runs/r/checkpoints/1', 'DELETE, GET, HEAD, PUT'],
    ['DELETE', '/v1/repositories/a/b/runs/r/checkpoints/1/files/x/y', 'GET, HEAD, PUT'],
    ['PATCH', '/healthz', 'GET, HEAD'],
    ['HEAD', '/v1/repositories/a/b/runs/r/checkpoints/1/commit', 'POST'],
  ])('answers 405 with Allow to %s %s', async (method, path, allow) => {
    const answer = await call(method, path);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  });

  it.each(['/v2', '/v1', '/v1/', '/v1/nothing', '/.env', '/v1/repositories/a/b/c'])(
    'answers 404 at %s',
    async (path) => {
      expect((await call('GET', path)).json.code).toBe('not-found');
    },
  );
});

describe('what stands beside the versioned paths', () => {
  it.each(['/openapi.json', '/problems/not-found'])('refuses a query parameter at %s', async (path) => {
    expect((await call('GET', `${path}?x=1`)).json).toMatchObject({
      code: 'invalid-request',
      detail: 'This operation has no query parameter "x". It has none: leave it out.',
    });
  });

  it.each(['/healthz', '/readyz', '/metrics'])('lets probes and scrapers add keys at %s', async (path) => {
    expect((await call('GET', `${path}?x=1`)).status).toBe(200);
  });

  it.each([
    ['/problems/{code}', '/problems/%ff'],
    ['/problems/{code}', '/problems/%'],
    ['/problems/{code}', '/problems/none'],
    ['/openapi.json', '/openapi.json?x=1'],
  ])('the document has the status that %s answers', async (path, asked) => {
    const document = (await call('GET', '/openapi.json')).json;
    const { status } = await call('GET', asked);
    expect(Object.keys(document.paths[path].get.responses)).toContain(String(status));
  });
});

describe('JSON bodies', () => {
  const send = (body: string, headers: Record<string, string>) =>
    fetch(`${server.url}/v1/repositories`, { method: 'POST', body, headers });
  it.each([
    ['{', { 'content-type': 'application/json' }, 400, 'invalid-request'],
    ['', { 'content-type': 'application/json' }, 400, 'invalid-request'],
    ['{}', { 'content-type': 'text/plain' }, 415, 'unsupported-media-type'],
    ['a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported-media-type'],
    [' '.repeat(jsonBytesMax + 1), { 'content-type': 'application/json' }, 413, 'payload-too-large'],
  ])('refuses a bad one', async (body, headers, status, code) => {
    const answer = await send(body, headers);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code]);
  });

  it('counts a body without a length', async () => {
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)),
    });
    const answer = await fetch(`${server.url}/v1/repositories`, {
      method: 'POST',
      body: stream,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    } as RequestInit);
    expect(answer.status).toBe(413);
  });

  it('needs a type for a body', async () => {
    const answer = await fetch(`${server.url}/v1/repositories`, { method: 'POST', body: new Uint8Array([123, 125]) });
    expect(answer.status).toBe(415);
  });
});

describe('Idempotency-Key', () => {
  const body = (name: string) => ({ namespace: 'once', name });

  it('repeats the first answer for the same request', async () => {
    const first = await call('POST', '/v1/repositories', body('a'), { 'idempotency-key': 'k1' });
    const second = await call('POST', '/v1/repositories', body('a'), { 'idempotency-key': 'k1' });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect([second.status, second.json, second.headers.get('location')]).toEqual([
      201,
      first.json,
      '/v1/repositories/once/a',
    ]);
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  it('belongs to one request only', async () => {
    await call('POST', '/v1/repositories', body('b'), { 'idempotency-key': 'k2' });
    const other = await call('POST', '/v1/repositories', body('c'), { 'idempotency-key': 'k2' });
    expect([other.status, other.json.code]).toEqual([409, 'idempotency-conflict']);
    expect((await call('GET', '/v1/repositories/once/c')).status).toBe(404);
  });

  it('lets a refused request be sent again', async () => {
    const refused = await call('POST', '/v1/repositories/once/later/runs', { name: 'r' }, { 'idempotency-key': 'k3' });
    expect(refused.status).toBe(404);
    await call('POST', '/v1/repositories', body('later'));
    expect(
      (await call('POST', '/v1/repositories/once/later/runs', { name: 'r' }, { 'idempotency-key': 'k3' })).status,
    ).toBe(201);
  });

  it.each(['', 'with space', 'ü', 'x'.repeat(256)])('refuses the key %j', async (key) => {
    expect((await call('POST', '/v1/repositories', body('d'), { 'idempotency-key': key })).status).toBe(400);
  });

  it('works over a connection, with a body that was read for the fingerprint', async () => {
    const send = () =>
      fetch(`${server.url}/v1/repositories`, {
        method: 'POST',
        body: JSON.stringify(body('wire')),
        headers: { 'content-type': 'application/json', 'idempotency-key': 'k4' },
      });
    expect([(await send()).status, (await send()).headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  });
});

describe('operations', () => {
  it('is healthy, ready and counted', async () => {
    expect((await call('GET', '/healthz')).json).toEqual({ status: 'ok' });
    expect((await call('GET', '/readyz')).json).toEqual({ status: 'ready', checks: { catalog: 'ok', store: 'ok' } });
    await (await fetch(`${server.url}/v1/repositories`)).text();
    let metrics = '';
    while (!/firn_http_sent_bytes_total\{route="\/v1\/repositories"\} [1-9]/.test(metrics))
      metrics = (await call('GET', '/metrics')).bytes.toString();
    expect(metrics).toMatch(/firn_http_requests_total\{method="GET",route="\/v1\/repositories",status="200"\} [1-9]/);
    expect(metrics).toMatch(/firn_http_received_bytes_total\{route="\/v1\/repositories"\} [1-9]/);
    expect(metrics).not.toContain('/v1/repositories/once');
  });

  it('says which part is not ready, and not why', async () => {
    const broken = createApp({
      ...gateway,
      metrics: new Registry(),
      probes: {
        needed: { catalog: async () => undefined, store: () => Promise.reject(new Error('EIO /srv')) },
        wanted: {},
      },
    });
    const answer = await caller(broken)('GET', '/readyz');
    expect([answer.status, answer.json]).toEqual([
      503,
      { status: 'not-ready', checks: { catalog: 'ok', store: 'failed' } },
    ]);
    expect(gateway.errors).toMatchObject([{ probe: 'store' }]);
  });

  it('describes itself to programs and people', async () => {
    const document = (await call('GET', '/openapi.json')).json;
    expect(document.openapi).toBe('3.1.0');
    const page = (await call('GET', '/')).bytes.toString();
    const operations = Object.entries(document.paths as Record<string, Record<string, unknown>>).flatMap(
      ([path, item]) =>
        Object.keys(item)
          .filter((key) => key !== 'parameters')
          .map((method) => `<code>${method.toUpperCase()}</code></td><td><code>${path}</code>`),
    );
    expect(operations.length).toBeGreaterThan(40);
    expect(operations.filter((operation) => !page.includes(operation))).toEqual([]);
    expect(page).not.toMatch(/https?:\/\//);
  });
});

describe('request targets as they come over the wire', () => {
  /** Sends a request line unchanged, which no client library does. */
  async function raw(target: string): Promise<string> {
    const { port, hostname } = new URL(server.url);
    const socket = net.connect(Number(port), hostname);
    socket.end(`GET ${target} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`);
    let answer = '';
    socket.on('data', (data) => {
      answer += String(data);
    });
    await once(socket, 'close');
    return answer.split('\r\n')[0]!;
  }

  it.each([
    ['/v1/repositories/once/../../healthz', 404],
    ['/v1/../healthz', 200],
    ['/v1/repositories/%2e%2e/%2e%2e/healthz', 200],
    ['/v1/repositories/..%2f..%2fhealthz/x', 400],
    ['//v1/repositories', 404],
    ['/v1//repositories', 404],
    ['/v1/repositories/once/a%00', 400],
    ['/v1/repositories/once/%ff', 400],
    ['/v1/repositories/once/a\\b', 400],
    ['/v1/repositories/once/a/runs/r/checkpoints/1/files/../../../../../../../../etc/passwd', 404],
    ['/v1/repositories/once/a/runs/r/checkpoints/1/files/%2e%2e%2f%2e%2e%2fetc/passwd', 404],
    ['/v1/repositories/once/a/runs/r/checkpoints/1/files//etc/passwd', 404],
    ['http://localhost/v1/repositories/once/none', 404],
    ['http://elsewhere/v1/repositories/once/none', 403],
    ['*', 400],
    ['no-slash', 400],
  ])('answers %s with %i', async (target, status) => {
    expect(await raw(target)).toContain(` ${status} `);
  });
});
