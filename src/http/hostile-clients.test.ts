import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenAccess } from '../access/access.ts';
import { createToken } from '../access/create-token.ts';
import { operator } from '../access/principal.ts';
import { RequestLimits } from '../access/request-limits.ts';
import type { Catalog } from '../catalog/contract/catalog.ts';
import { parseGrant } from '../checkpoint/grant.ts';
import { createApp } from './app.ts';
import { openTestGateway, type TestGateway } from './gateway.test-support.ts';
import { caller, type Call } from './http-client.test-support.ts';
import { createOperationsApp } from './operations-app.ts';
import { RawConnection } from '../../test/acceptance/raw-connection.ts';
import { startServer, type RunningServer } from './start-server.ts';

const concurrent = 3;
/** Time that the database takes to look a token up, in ms. */
const lookupMs = 60;

let gateway: TestGateway;
let server: RunningServer;
let call: Call;
const headers = new Map<string, { authorization: string }>();

beforeAll(async () => {
  const limits = new RequestLimits({ tokenPerMinute: 100_000, anonymousPerMinute: 100_000, concurrent });
  const slowly = (catalog: Catalog) => {
    const access = tokenAccess({ catalog });
    return {
      principal: async (authorization: string | undefined) => (await pause(lookupMs), access.principal(authorization)),
    };
  };
  gateway = await openTestGateway({
    admittance: (catalog: Catalog) => ({ access: slowly(catalog), limits, trustProxy: false }),
  });
  const app = createApp(gateway);
  server = await startServer({ app, host: '127.0.0.1', port: 0 });
  call = caller(app);
  for (const grants of ['admin', 'write:acme', 'read:acme']) {
    const { text } = await createToken(gateway.catalog, operator, { name: grants, grants: [parseGrant(grants)] });
    headers.set(grants, { authorization: `Bearer ${text}` });
  }
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' }, headers.get('admin'));
  await call('POST', '/v1/repositories/acme/lm/runs', { name: 'r', fidelity: 'exact' }, headers.get('admin'));
  await call('POST', '/v1/repositories/acme/lm/runs/r/checkpoints', { step: 1 }, headers.get('admin'));
});
afterAll(async () => {
  await server.close(0);
  await gateway.close();
});

describe('a client that leaves', () => {
  it('while it is looked up takes no place among the requests in work', async () => {
    for (let tries = 0; tries < 3 * concurrent; tries++) {
      const leaving = new AbortController();
      const request = fetch(`${server.url}/v1/whoami`, { headers: headers.get('write:acme')!, signal: leaving.signal });
      await pause(lookupMs / 3);
      leaving.abort();
      await expect(request).rejects.toThrow();
    }
    await pause(3 * lookupMs);
    expect((await fetch(`${server.url}/v1/whoami`, { headers: headers.get('write:acme')! })).status).toBe(200);
  });

  it('in the middle of an upload is counted with what it sent', async () => {
    const path = '/v1/repositories/acme/lm/runs/r/checkpoints/1/files/cut.bin';
    const connection = await RawConnection.open(server.url);
    await connection.head('PUT', path, { ...headers.get('write:acme'), 'Content-Length': 1_000_000 });
    await connection.send(Buffer.alloc(300_000));
    // Long enough for the server to read it, even on a busy machine.
    await pause(1_000);
    await connection.destroy();
    await expect
      .poll(async () =>
        (await gateway.metrics.metrics()).split('\n').filter((line) => /method="PUT".*status="400"/.test(line)),
      )
      .toHaveLength(1);
    const sent = /firn_http_received_bytes_total\{route="[^"]*files[^"]*"\} (\d+)/.exec(
      await gateway.metrics.metrics(),
    );
    expect(Number(sent?.[1])).toBeGreaterThanOrEqual(300_000);
  });
});

describe('a client without a token', () => {
  it('sends no long JSON', async () => {
    const long = { name: 'r', note: 'x'.repeat(100_000) };
    expect((await call('POST', '/v1/repositories/acme/absent/runs', long)).json.code).toBe('payload-too-large');
    expect((await call('POST', '/v1/repositories/acme/absent/runs', long, headers.get('admin'))).json.code).not.toBe(
      'payload-too-large',
    );
  });

  it('is answered by a worker as by a gateway', async () => {
    const app = createOperationsApp({ ...gateway, log: gateway.log });
    const answer = await app.request('/metrics');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="firn"']);
    expect((await app.request('/metrics', { headers: { authorization: 'Bearer hf_bad' } })).status).toBe(401);
    expect((await app.request('/metrics', { headers: headers.get('read:acme')! })).status).toBe(403);
    expect((await app.request('/problems/zzz')).status).toBe(404);
  });
});

describe('tokens', () => {
  it('are listed to those alone who may make them, ids of others included', async () => {
    const admin = headers.get('admin')!;
    const all = (await call('GET', '/v1/tokens', undefined, admin)).json.items as { id: string }[];
    expect(all.length).toBeGreaterThanOrEqual(3);
    expect((await call('GET', '/v1/tokens?limit=1', undefined, headers.get('write:acme'))).json).toEqual({ items: [] });
    const paged: string[] = [];
    for (let after = ''; ;) {
      const { items, next } = (await call('GET', `/v1/tokens?limit=1${after}`, undefined, admin)).json as {
        items: { id: string }[];
        next?: string;
      };
      paged.push(...items.map(({ id }) => id));
      if (next === undefined) break;
      after = `&after=${next}`;
    }
    expect(paged).toEqual(all.map(({ id }) => id));
  });

  it('end in the future, and their making is told to the log', async () => {
    const admin = headers.get('admin')!;
    const past = { name: 'x', grants: ['read:acme'], expiresAt: '2020-01-01T00:00:00Z' };
    expect((await call('POST', '/v1/tokens', past, admin)).status).toBe(400);
    const made = await call(
      'POST',
      '/v1/tokens',
      { name: 'told', grants: ['read:acme'] },
      { ...admin, 'idempotency-key': 'k1' },
    );
    expect(made.status).toBe(201);
    expect(gateway.lines).toContainEqual(
      expect.objectContaining({ written: { tokenId: made.json.id, tokenName: 'told', grants: ['read:acme'] } }),
    );
    const again = await call(
      'POST',
      '/v1/tokens',
      { name: 'told', grants: ['read:acme'] },
      { ...admin, 'idempotency-key': 'k1' },
    );
    expect(again.json.id).not.toBe(made.json.id);
  });
});

it('a keyed creation of an upload is one upload', async () => {
  const begin = () =>
    call(
      'POST',
      '/v1/repositories/acme/lm/runs/r/checkpoints/1/uploads',
      { path: 'big.bin', sizeBytes: 10_000_000 },
      { ...headers.get('write:acme'), 'idempotency-key': 'once' },
    );
  const [first, second] = [await begin(), await begin()];
  expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
  expect(second.json).toEqual(first.json);
});

it('a keyed request gets Retry-After while an equal one is in work', async () => {
  const path = '/v1/repositories';
  const body = { namespace: 'acme', name: 'keyed' };
  const fingerprint = createHash('sha256')
    .update(`POST\n${path}\n${JSON.stringify(body)}`)
    .digest('hex');
  const { id } = (await call('GET', '/v1/whoami', undefined, headers.get('admin'))).json as { id: string };
  expect(await gateway.catalog.idempotency.begin(`${id} busy`, fingerprint, 60_000)).toBe('started');
  const answer = await call('POST', path, body, { ...headers.get('admin'), 'idempotency-key': 'busy' });
  expect([answer.status, answer.json.code, answer.headers.get('retry-after')]).toEqual([
    409,
    'idempotency-conflict',
    '5',
  ]);
  await gateway.catalog.idempotency.abandon(`${id} busy`, fingerprint);
  expect((await call('POST', path, body, { ...headers.get('admin'), 'idempotency-key': 'busy' })).status).toBe(201);
});

it('a hub without tokens answers requests that name its machine, and no others', async () => {
  const open = await openTestGateway();
  const app = createApp(open);
  const statusOf = async (origin: string) => (await app.request(`${origin}/v1/whoami`)).status;
  for (const host of ['localhost', 'localhost:8080', '127.0.0.1:9', '127.8.8.8', '[::1]:80', 'firn.localhost'])
    expect([host, await statusOf(`http://${host}`)]).toEqual([host, 200]);
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1'])
    expect([host, await statusOf(`http://${host}`)]).toEqual([host, 403]);
  await open.close();
});

it('a stored object that is missing is damage, and not a checkpoint that is absent', async () => {
  const admin = headers.get('admin')!;
  const checkpoint = '/v1/repositories/acme/lm/runs/r/checkpoints/1';
  await call('PUT', `${checkpoint}/files/a.bin`, Buffer.from('a'), admin);
  const repository = (await gateway.catalog.repositories.find('acme', 'lm'))!;
  const run = (await gateway.catalog.runs.find(repository.id, 'r'))!;
  const { id } = (await gateway.catalog.checkpoints.find(run.id, 1))!;
  await gateway.store.delete((await gateway.catalog.files.find(id, 'a.bin'))!.rawKey!);
  const answer = await call('GET', `${checkpoint}/files/a.bin?as=uploaded`, undefined, admin);
  expect([answer.status, answer.json.code]).toEqual([500, 'corrupt-object']);
});
