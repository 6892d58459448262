import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenAccess } from '../../access/access.ts';
import { createToken } from '../../access/create-token.ts';
import { operator } from '../../access/principal.ts';
import { parseGrant } from '../../checkpoint/grant.ts';
import { storedSize } from '../../store/frame/object-frame.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Answer, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';
import { startServer } from '../start-server.ts';

let gateway: TestGateway;
let app: ReturnType<typeof createApp>;
let call: Call;
const model = (seed: number): Buffer => safetensors({ w: { shape: [32, 32], values: ramp(1024, seed) } });

beforeAll(async () => {
  gateway = await openTestGateway({
    admittance: (catalog) => ({ access: tokenAccess({ catalog }), trustProxy: false }),
  });
  app = createApp(gateway);
  call = caller(app);
  for (const name of ['acme/lm', 'acme/vision', 'beta/lm']) {
    const [namespace, repository] = name.split('/');
    await ok('POST', '/v1/repositories', {
      namespace,
      name: repository,
      visibility: name === 'beta/lm' ? 'public' : 'private',
    });
    await ok('POST', `/v1/repositories/${name}/runs`, { name: 'train' });
  }
});
afterAll(() => gateway.close());

const headers = new Map<string, Record<string, string>>();
async function ask(grant: string | undefined, method: string, path: string, body?: object | Buffer): Promise<Answer> {
  if (grant === undefined) return call(method, path, body);
  if (!headers.has(grant)) {
    const { text } = await createToken(gateway.catalog, operator, { name: grant, grants: [parseGrant(grant)] });
    headers.set(grant, { authorization: `Bearer ${text}` });
  }
  return call(method, path, body, headers.get(grant));
}
async function ok(method: string, path: string, body?: object | Buffer): Promise<Answer['json']> {
  const answer = await ask('admin', method, path, body);
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.bytes.toString()}`);
  return answer.json;
}
const usage = async (namespace: string) =>
  (await ok('GET', '/v1/usage')).items.find((item: { namespace: string }) => item.namespace === namespace);

describe('usage', () => {
  it('tells logical and stored bytes apart after an upload, its compression and its deletion', async () => {
    const runs = '/v1/repositories/acme/lm/runs/train';
    for (const step of [1, 2]) await ok('PUT', `${runs}/checkpoints/${step}`, model(step));
    const staged = 2 * storedSize(model(1).length);
    expect(await usage('acme')).toMatchObject({
      logicalBytes: 2 * model(1).length,
      storedBytes: staged,
      stored: { stagedBytes: staged, packageBytes: 0 },
      compressed: { checkpointCount: 0, rawBytes: 0, storedBytes: 0 },
    });
    await gateway.encode();
    const ready = await usage('acme');
    expect(ready).toMatchObject({
      logicalBytes: 2 * model(1).length,
      stored: { stagedBytes: 0, pendingDeletionBytes: staged },
    });
    const results = await Promise.all(
      [1, 2].map(async (step) => (await ok('GET', `${runs}/checkpoints/${step}`)).result),
    );
    expect(ready.stored.packageBytes + ready.stored.rawBytes).toBe(results[0].storedBytes + results[1].storedBytes);
    expect(results[1].kind).toBe('delta');
    const [raw, kept] = [2 * model(1).length, results[0].storedBytes + results[1].storedBytes];
    expect(ready.compressed).toEqual({
      checkpointCount: 2,
      rawBytes: raw,
      storedBytes: kept,
      ratio: Math.round((100 * raw) / kept) / 100,
    });

    // The second checkpoint builds on the first.
    await ok('DELETE', `${runs}/checkpoints/1`);
    const hidden = await usage('acme');
    expect(hidden).toMatchObject({
      logicalBytes: model(1).length,
      storedBytes: ready.storedBytes,
      stored: { hiddenBytes: results[0].storedBytes },
    });
    await ok('DELETE', `${runs}/checkpoints/2`);
    expect(await usage('acme')).toMatchObject({
      logicalBytes: 0,
      compressed: { checkpointCount: 0, rawBytes: 0, storedBytes: 0 },
      storedBytes: ready.storedBytes,
      stored: { hiddenBytes: 0, pendingDeletionBytes: ready.storedBytes },
    });
    expect(await ok('GET', '/v1/repositories/acme/lm/usage')).toMatchObject({ storedBytes: ready.storedBytes });
    expect(await ok('GET', '/v1/repositories/acme/vision/usage')).toMatchObject({ storedBytes: 0, logicalBytes: 0 });
  });

  it('is shown for namespaces that a token may read as a whole, page by page', async () => {
    const listed = async (grant: string, query = '') => {
      const { json } = await ask(grant, 'GET', `/v1/usage${query}`);
      return [json.items.map(({ namespace }: { namespace: string }) => namespace), json.next];
    };
    expect(await listed('read')).toEqual([['acme', 'beta'], undefined]);
    expect(await listed('read', '?limit=1')).toEqual([['acme'], 'acme']);
    expect(await listed('read', '?limit=1&after=acme')).toEqual([['beta'], 'beta']);
    expect(await listed('read:acme')).toEqual([['acme'], undefined]);
    expect(await listed('admin:acme/lm')).toEqual([[], undefined]);
    expect((await ask(undefined, 'GET', '/v1/usage')).status).toBe(401);
    expect((await ask('read:acme/lm', 'GET', '/v1/repositories/acme/lm/usage')).status).toBe(200);
    expect((await ask('read:acme/lm', 'GET', '/v1/repositories/acme/vision/usage')).status).toBe(404);
  });

  it('counts sent and received bytes, and keeps them while the catalog is unreachable', async () => {
    const server = await startServer({ app, host: '127.0.0.1', port: 0 });
    try {
      const before = await ok('GET', '/v1/repositories/beta/lm/usage');
      const token = headers.get('admin')!;
      const path = `${server.url}/v1/repositories/beta/lm/runs/train/checkpoints/1`;
      const put = await fetch(path, { method: 'PUT', body: new Uint8Array(model(9)), headers: token });
      expect(put.status).toBe(202);
      await put.arrayBuffer();
      for (const name of ['none', 'lm'])
        await (await fetch(`${server.url}/v1/repositories/beta/${name}`)).arrayBuffer();
      await server.close(1000);
      const { addTransfers } = gateway.catalog.usage;
      gateway.catalog.usage.addTransfers = () => Promise.reject(new Error('out of reach'));
      await expect(gateway.transfers.flush()).rejects.toThrow('out of reach');
      gateway.catalog.usage.addTransfers = addTransfers;
      await gateway.transfers.flush();
      await gateway.transfers.flush();
      const { transferred } = await ok('GET', '/v1/repositories/beta/lm/usage');
      const received = transferred.receivedBytes - before.transferred.receivedBytes;
      expect(received).toBeGreaterThan(model(9).length);
      expect(received).toBeLessThan(model(9).length + 2000);
      expect(transferred.sentBytes - before.transferred.sentBytes).toBeGreaterThan(200);
      expect((await usage('beta')).transferred).toEqual(transferred);
    } finally {
      await server.close(1000);
    }
  });
});

describe('a quota', () => {
  const path = '/v1/namespaces/beta/quota';

  it('is set by principals with all rights, and shown with usage', async () => {
    for (const [grant, status] of [
      [undefined, 401],
      ['write', 403],
      ['admin:beta', 403],
    ] as const)
      expect((await ask(grant, 'PUT', path, { storedBytesMax: 1 })).status, grant).toBe(status);
    expect(await ok('PUT', path, { storedBytesMax: 10 ** 12 })).toEqual({ storedBytesMax: 10 ** 12 });
    expect(await usage('beta')).toMatchObject({ quota: { storedBytesMax: 10 ** 12 } });
    expect(await ok('PUT', path, { storedBytesMax: null })).toEqual({ storedBytesMax: null });
    expect(await usage('beta')).not.toHaveProperty('quota');
    for (const body of [
      {},
      { storedBytesMax: -1 },
      { storedBytesMax: 1.5 },
      { storedBytesMax: 2 ** 60 },
      { storedBytesMax: 1, more: 1 },
    ])
      expect((await ask('admin', 'PUT', path, body)).status, JSON.stringify(body)).toBe(400);
    expect((await ask('admin', 'PUT', '/v1/namespaces/a%2Fb/quota', { storedBytesMax: 1 })).status).toBe(400);
    expect((await ask('admin', 'PUT', path, Buffer.alloc(5 * 1024 * 1024))).status).toBe(413);
  });

  it('refuses bytes beyond it with 403 and its code; other namespaces are not affected', async () => {
    await ok('PUT', path, { storedBytesMax: 100 });
    const refused = await ask('admin', 'PUT', '/v1/repositories/beta/lm/runs/train/checkpoints/7', model(1));
    expect([refused.status, refused.json.code]).toEqual([403, 'quota-exceeded']);
    await ok('PUT', '/v1/repositories/acme/vision/runs/train/checkpoints/7', model(1));
    await ok('PUT', path, { storedBytesMax: null });
    await ok('PUT', '/v1/repositories/beta/lm/runs/train/checkpoints/7', model(1));
  });
});
