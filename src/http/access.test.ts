import type { OpenAPIHono } from '@hono/zod-openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenAccess } from '../access/access.ts';
import { createToken } from '../access/create-token.ts';
import { operator } from '../access/principal.ts';
import { RequestLimits } from '../access/request-limits.ts';
import type { Catalog } from '../catalog/contract/catalog.ts';
import { parseGrant } from '../checkpoint/grant.ts';
import type { AppEnv } from './app-env.ts';
import { createApp } from './app.ts';
import { openTestGateway, type TestGateway } from './gateway.test-support.ts';
import { caller, type Answer, type Call } from './http-client.test-support.ts';
import { ramp, safetensors } from './safetensors.test-support.ts';

let gateway: TestGateway;
let app: OpenAPIHono<AppEnv>;
let call: Call;
/** Authorization headers by the grants of their token. */
const tokens = new Map<string, { authorization: string }>();

beforeAll(async () => {
  const limits = new RequestLimits({ tokenPerMinute: 100_000, anonymousPerMinute: 100_000, concurrent: 100 });
  gateway = await openTestGateway({
    admittance: (catalog: Catalog) => ({ access: tokenAccess({ catalog }), limits, trustProxy: false }),
  });
  app = createApp(gateway);
  call = caller(app);
  for (const grants of [
    'admin',
    'read',
    'write:acme',
    'read:acme',
    'read:acme/secret',
    'admin:acme',
    'admin:other',
    'write:acme/open',
  ])
    await token(grants);
  const admin = await token('admin');
  for (const [name, visibility] of [
    ['secret', 'private'],
    ['open', 'public'],
  ] as const) {
    await ok(call('POST', '/v1/repositories', { namespace: 'acme', name, visibility }, admin));
    await ok(call('POST', `/v1/repositories/acme/${name}/runs`, { name: 'train' }, admin));
    await ok(call('PUT', `/v1/repositories/acme/${name}/runs/train/checkpoints/1`, weights(), admin));
  }
  await gateway.encode();
});
afterAll(() => gateway.close());

async function token(grants: string): Promise<{ authorization: string }> {
  const known = tokens.get(grants);
  if (known !== undefined) return known;
  const { text } = await createToken(gateway.catalog, operator, {
    name: grants,
    grants: grants.split(' ').map(parseGrant),
  });
  const header = { authorization: `Bearer ${text}` };
  tokens.set(grants, header);
  return header;
}

function weights(): Buffer {
  return safetensors({ w: { shape: [4], values: ramp(4, 1) } });
}

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const got = await answer;
  if (got.status >= 300) throw new Error(`${got.status}: ${got.bytes.toString()}`);
  return got;
}

/** Every operation on a repository, with its path filled in. */
async function operations(): Promise<{ method: string; path: (repository: string) => string }[]> {
  const document = (await call('GET', '/openapi.json')).json as { paths: Record<string, Record<string, unknown>> };
  const { packageId } = (await gateway.catalog.checkpoints.find((await trainRun()).id, 1))!;
  const filled: Record<string, string> = {
    run: 'train',
    step: '1',
    path: 'model.safetensors',
    tensor: 'w',
    evalSet: 'held-out',
    packageId: packageId!,
  };
  return Object.entries(document.paths).flatMap(([pattern, item]) => {
    const inside = pattern.startsWith('/v1/repositories/{namespace}/{name}');
    if (!inside) return [];
    const rest = pattern
      .slice('/v1/repositories/{namespace}/{name}'.length)
      .replace(/\{(\w+)\}/g, (_, name: string) => filled[name] ?? 'x');
    return Object.keys(item)
      .filter((method) => ['get', 'head', 'put', 'post', 'patch', 'delete'].includes(method))
      .map((method) => ({
        method: method.toUpperCase(),
        path: (repository: string) => `/v1/repositories/${repository}${rest}`,
      }));
  });
}

async function trainRun() {
  const repository = (await gateway.catalog.repositories.find('acme', 'secret'))!;
  return (await gateway.catalog.runs.find(repository.id, 'train'))!;
}

/** A valid body for the operation. */
function bodyOf(method: string): object | Buffer | undefined {
  if (method === 'PUT') return weights();
  if (method === 'PATCH') return { visibility: 'public' };
  return method === 'POST'
    ? { name: 'x', step: 7, spec: { inputs: { x: 'x' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] } }
    : undefined;
}

/** An answer without the values that differ in every request. */
function comparable({ status, headers, json, bytes }: Answer): unknown {
  const kept = [...headers].filter(([name]) => !['x-request-id', 'ratelimit', 'date'].includes(name)).sort();
  return { status, kept, body: json === undefined ? bytes.toString() : { ...json, requestId: '' } };
}

describe('a private repository', () => {
  it.each([undefined, 'admin:other', 'write:acme/open'])(
    'answers every operation as if it did not exist to a token for %s',
    async (grants) => {
      const headers = grants === undefined ? {} : await token(grants);
      const all = await operations();
      expect(all.length).toBeGreaterThan(25);
      for (const { method, path } of all) {
        const hidden = await call(method, path('acme/secret'), bodyOf(method), headers);
        const absent = await call(method, path('acme/absent'), bodyOf(method), headers);
        expect(comparable(hidden), `${method} ${path('acme/secret')}`).toEqual(comparable(absent));
        expect([400, 404], `${method} ${path('acme/secret')}`).toContain(hidden.status);
        expect(hidden.bytes.toString()).not.toContain('secret');
      }
    },
  );

  it('is not reached by another spelling of its path', async () => {
    const spellings = [
      'acme%2Fsecret',
      'acme%252Fsecret',
      'acme//secret',
      '/acme/secret',
      'open/../acme/secret',
      'acme/open/../secret',
      'acme/open%2F..%2Fsecret',
      'acme/./secret',
      'acme/%73ecret',
      '%61cme/secret',
      'acme%5Csecret',
      'acme/secret/',
      'acme/secret%00',
      'acme/secret%2F',
      'ACME/secret',
      'acme;x/secret',
    ];
    for (const headers of [{}, await token('write:acme/open')]) {
      for (const { method, path } of await operations()) {
        for (const spelling of spellings) {
          const { status, bytes } = await call(method, path(spelling), bodyOf(method), headers);
          expect([400, 404, 405], `${method} ${path(spelling)}`).toContain(status);
          expect(bytes.toString()).not.toContain('"secret"');
        }
      }
    }
    expect((await call('GET', '/v1/repositories/acme/%73ecret', undefined, await token('read:acme'))).status).toBe(200);
  });

  it('is in no list of who may not see it', async () => {
    const listed = async (headers: Record<string, string>) =>
      (await call('GET', '/v1/repositories', undefined, headers)).json.items.map(({ name }: { name: string }) => name);
    expect(await listed({})).toEqual(['open']);
    expect(await listed(await token('admin:other'))).toEqual(['open']);
    expect(await listed(await token('read:acme/secret'))).toEqual(['open', 'secret']);
    expect(await listed(await token('read'))).toEqual(['open', 'secret']);
  });

  it('gives its package to nobody through another repository', async () => {
    const { packageId } = (await gateway.catalog.checkpoints.find((await trainRun()).id, 1))!;
    expect((await call('GET', `/v1/repositories/acme/open/packages/${packageId}`)).status).toBe(404);
  });

  it('tells nobody who may not write in its namespace that its name is taken', async () => {
    const create = async (name: string, headers: Record<string, string>) =>
      comparable(await call('POST', '/v1/repositories', { namespace: 'acme', name }, headers));
    expect(await create('secret', await token('admin:other'))).toEqual(
      await create('absent', await token('admin:other')),
    );
    expect(await create('secret', {})).toMatchObject({ status: 401 });
    expect(await create('secret', await token('write:acme'))).toMatchObject({ status: 409 });
  });
});

describe('scopes', () => {
  it('decide what can be done', async () => {
    const allowed = async (grants: string | undefined, name: string) => {
      const headers = grants === undefined ? {} : await token(grants);
      const read = await call(
        'GET',
        `/v1/repositories/acme/${name}/runs/train/checkpoints/1/files/model.safetensors`,
        undefined,
        headers,
      );
      const write = await call('POST', `/v1/repositories/acme/${name}/runs`, { name: 'train' }, headers);
      const admin = await call(
        'PATCH',
        `/v1/repositories/acme/${name}`,
        { visibility: name === 'open' ? 'public' : 'private' },
        headers,
      );
      return [read.status, write.status, admin.status];
    };
    // 409: the run exists, so writing was allowed.
    expect(await allowed(undefined, 'open')).toEqual([200, 401, 401]);
    expect(await allowed('admin:other', 'open')).toEqual([200, 403, 403]);
    expect(await allowed('read:acme', 'secret')).toEqual([200, 403, 403]);
    expect(await allowed('write:acme', 'secret')).toEqual([200, 409, 403]);
    expect(await allowed('admin:acme', 'secret')).toEqual([200, 409, 200]);
    expect(await allowed('admin', 'secret')).toEqual([200, 409, 200]);
  });

  it('keep metrics to tokens that may read everything', async () => {
    const status = async (headers: Record<string, string>) =>
      (await call('GET', '/metrics', undefined, headers)).status;
    expect([await status({}), await status(await token('admin:acme')), await status(await token('read'))]).toEqual([
      401, 403, 200,
    ]);
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/'])
      expect((await call('GET', path)).status, path).toBe(200);
  });
});

describe('measuring, trying again and changing what a run is measured with', () => {
  let examined = 0;
  beforeAll(async () => {
    const spec = { inputs: { x: 'x' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] };
    gateway.examine = async () => {
      examined += 1;
      return { values: {}, understood: [], warnings: [], secondsPerEvaluation: 0 };
    };
    for (const name of ['secret', 'open']) {
      const path = `/v1/repositories/acme/${name}/eval-sets`;
      await ok(call('POST', path, { name: 'measured', spec }, await token('admin')));
      for (const part of ['graph', 'batches'])
        await ok(call('PUT', `${path}/measured/${part}`, weights(), await token('admin')));
    }
  });

  it.each<[string | undefined, string, number[]]>([
    [undefined, 'secret', [404, 404, 404, 404, 404]],
    [undefined, 'open', [401, 401, 401, 401, 401]],
    ['admin:other', 'secret', [404, 404, 404, 404, 404]],
    ['admin:other', 'open', [403, 403, 403, 403, 403]],
    ['read:acme', 'secret', [403, 403, 403, 403, 403]],
    ['read:acme', 'open', [403, 403, 403, 403, 403]],
    ['write:acme/open', 'secret', [404, 404, 404, 404, 404]],
    // Both actions are measured. The step is ready and the run exact, so a retry or a change is a conflict.
    ['write:acme', 'secret', [200, 200, 409, 409, 409]],
  ])('with a token for %s in %s answers %j', async (grants, name, expected) => {
    const headers = grants === undefined ? {} : await token(grants);
    const path = `/v1/repositories/acme/${name}`;
    const before = { examined, run: await trainRun() };
    const answers = [
      await call('POST', `${path}/eval-sets/measured/check?checkpoint=train@1`, undefined, headers),
      await call('POST', `${path}/eval-sets/measured/commit?check=train@1`, undefined, headers),
      await call('POST', `${path}/runs/train/checkpoints/1/retry`, undefined, headers),
      await call('POST', `${path}/runs/train/checkpoints/1/retry`, { evalSet: 'measured' }, headers),
      await call('PATCH', `${path}/runs/train`, { evalSet: 'measured' }, headers),
    ];
    expect(answers.map(({ status }) => status)).toEqual(expected);
    expect(examined - before.examined).toBe(expected[0] === 200 ? 2 : 0);
    expect(await trainRun()).toEqual(before.run);
  });
});

describe('a token that does not hold', () => {
  it('is refused everywhere, with a challenge', async () => {
    for (const path of ['/v1/repositories', '/v1/repositories/acme/open', '/openapi.json', '/nowhere']) {
      const { status, headers, json } = await call('GET', path, undefined, {
        authorization: `Bearer hf_${'x'.repeat(44)}`,
      });
      expect([status, json.code, headers.get('www-authenticate')], path).toEqual([
        401,
        'unauthenticated',
        'Bearer realm="firn", error="invalid_token"',
      ]);
    }
    expect((await call('POST', '/v1/tokens', { name: 'x', grants: ['read'] })).headers.get('www-authenticate')).toBe(
      'Bearer realm="firn"',
    );
  });
});

describe('the routes of tokens', () => {
  it('make, list and revoke within what one holds', async () => {
    const admin = await token('admin:acme');
    const made = await call(
      'POST',
      '/v1/tokens',
      { name: 'ci', grants: ['write:acme/lm'], expiresAt: '2100-01-01T00:00:00Z' },
      admin,
    );
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const bearer = { authorization: `Bearer ${made.json.token}` };
    expect((await call('GET', '/v1/whoami', undefined, bearer)).json).toEqual({
      id: made.json.id,
      name: 'ci',
      grants: ['write:acme/lm'],
    });
    expect((await call('POST', '/v1/tokens', { name: 'x', grants: ['read'] }, admin)).status).toBe(403);
    expect((await call('POST', '/v1/tokens', { name: 'x', grants: ['read:acme/lm'] }, bearer)).status).toBe(403);
    const ids = async (headers: Record<string, string>) =>
      (await call('GET', '/v1/tokens', undefined, headers)).json.items.map(({ id }: { id: string }) => id);
    expect(await ids(admin)).toContain(made.json.id);
    expect(await ids(await token('admin:other'))).not.toContain(made.json.id);
    expect((await call('DELETE', `/v1/tokens/${made.json.id}`, undefined, await token('admin:other'))).status).toBe(
      404,
    );
    expect((await call('DELETE', `/v1/tokens/${made.json.id}`, undefined, bearer)).json.revokedAt).toBeDefined();
    expect((await call('GET', '/v1/whoami', undefined, bearer)).status).toBe(401);
  });

  it('keep no token for an idempotency key', async () => {
    const headers = { ...(await token('admin')), 'idempotency-key': 'token-1' };
    const [first, second] = [
      await call('POST', '/v1/tokens', { name: 'x', grants: ['read'] }, headers),
      await call('POST', '/v1/tokens', { name: 'x', grants: ['read'] }, headers),
    ];
    expect(second.headers.get('idempotent-replayed')).toBeNull();
    expect(second.json.token).not.toBe(first.json.token);
  });
});

describe('an idempotency key', () => {
  it('is of one token: another one learns nothing by it', async () => {
    const key = { 'idempotency-key': 'shared' };
    const body = { namespace: 'acme', name: 'keyed' };
    expect((await call('POST', '/v1/repositories', body, { ...(await token('write:acme')), ...key })).status).toBe(201);
    expect((await call('POST', '/v1/repositories', body, { ...(await token('admin:other')), ...key })).status).toBe(
      403,
    );
    const replayed = await call('POST', '/v1/repositories', body, { ...(await token('write:acme')), ...key });
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  });
});

describe('every write', () => {
  it('leaves a line with who, what and the request id, refused or not; a read leaves none', async () => {
    gateway.lines.length = 0;
    const { id } = (await call('GET', '/v1/whoami', undefined, await token('write:acme'))).json;
    await call('GET', '/v1/repositories', undefined, await token('write:acme'));
    await call(
      'POST',
      '/v1/repositories',
      { namespace: 'acme', name: 'logged' },
      { ...(await token('write:acme')), 'x-request-id': 'r-1' },
    );
    await call('DELETE', '/v1/repositories/acme/secret/runs/train', undefined, { 'x-request-id': 'r-2' });
    expect(gateway.lines).toEqual([
      {
        requestId: 'r-1',
        tokenId: id,
        tokenName: 'write:acme',
        method: 'POST',
        path: '/v1/repositories',
        status: 201,
        ms: expect.any(Number),
      },
      {
        requestId: 'r-2',
        tokenId: 'anonymous',
        tokenName: 'anonymous',
        method: 'DELETE',
        path: '/v1/repositories/acme/secret/runs/train',
        status: 404,
        ms: expect.any(Number),
      },
    ]);
  });
});

describe('limits', () => {
  it('answer 429 with Retry-After, and tell how a client stands with every answer', async () => {
    const limits = new RequestLimits({ tokenPerMinute: 2, anonymousPerMinute: 1, concurrent: 9 });
    const limited = caller(
      createApp({
        ...gateway,
        metrics: new (await import('prom-client')).Registry(),
        admittance: { ...gateway.admittance, limits },
      }),
    );
    const headers = await token('read');
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await limited('GET', '/v1/repositories', undefined, headers));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map((answer) => answer.headers.get('ratelimit')?.split(';t=')[0])).toEqual([
      '"requests";r=1',
      '"requests";r=0',
      '"requests";r=0',
    ]);
    expect(answers[0]!.headers.get('ratelimit-policy')).toBe('"requests";q=2;w=60');
    expect(Number(answers[2]!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answers[2]!.json.code).toBe('rate-limited');
    for (let i = 0; i < 3; i++) expect((await limited('GET', '/healthz')).status).toBe(200);
  });

  it('let probes through with a wrong token, which counts for nothing', async () => {
    const limits = new RequestLimits({ tokenPerMinute: 2, anonymousPerMinute: 9, concurrent: 9 });
    const limited = caller(
      createApp({
        ...gateway,
        metrics: new (await import('prom-client')).Registry(),
        admittance: { ...gateway.admittance, limits },
      }),
    );
    const wrong = { authorization: 'Bearer hf_wrong' };
    for (let i = 0; i < 100; i++)
      for (const path of ['/healthz', '/readyz'])
        expect((await limited('GET', path, undefined, wrong)).status, path).toBe(200);
    // Had they counted, the address would be blocked by now, with every token that is sent from it.
    expect((await limited('GET', '/v1/whoami', undefined, await token('read'))).status).toBe(200);
    expect((await limited('GET', '/v1/whoami', undefined, wrong)).status).toBe(401);
  });

  it('stop listening to who tries tokens, and to nobody else', async () => {
    const limits = new RequestLimits({ tokenPerMinute: 2, anonymousPerMinute: 9, concurrent: 9 });
    const limited = caller(
      createApp({
        ...gateway,
        metrics: new (await import('prom-client')).Registry(),
        admittance: { ...gateway.admittance, limits },
      }),
    );
    const statuses = [];
    for (let i = 0; i < 61; i++)
      statuses.push(
        (await limited('GET', '/v1/whoami', undefined, { authorization: `Bearer hf_${'x'.repeat(44)}` })).status,
      );
    expect(statuses).toEqual([...Array(60).fill(401), 429]);
    expect((await limited('GET', '/v1/repositories')).status).toBe(200);
  });
});
