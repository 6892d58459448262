import type { OpenAPIHono } from '@hono/zod-openapi';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenAccess } from '../../access/access.ts';
import { createToken } from '../../access/create-token.ts';
import { operator } from '../../access/principal.ts';
import { RequestLimits } from '../../access/request-limits.ts';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import { parseGrant } from '../../checkpoint/grant.ts';
import type { AppEnv } from '../app-env.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Answer, type Call } from '../http-client.test-support.ts';
import { startServer, type RunningServer } from '../start-server.ts';
import {
  expectHubError,
  file,
  header,
  HubClient,
  lfsFile,
  ndjson,
  ok,
  pathOf,
  sha256,
} from './hub-client.test-support.ts';

const large = Buffer.from('bytes of a large file that nobody else may know of');
const hash = 'd'.repeat(64);

let gateway: TestGateway;
let app: OpenAPIHono<AppEnv>;
let server: RunningServer;
let call: Call;
let secretId: string;
let head: string;
const headers = new Map<string, { authorization: string }>();

beforeAll(async () => {
  const limits = new RequestLimits({ tokenPerMinute: 100_000, anonymousPerMinute: 100_000, concurrent: 100 });
  gateway = await openTestGateway({
    admittance: (catalog: Catalog) => ({ access: tokenAccess({ catalog }), limits, trustProxy: false }),
  });
  app = createApp(gateway);
  server = await startServer({ app, host: '127.0.0.1', port: 0 });
  call = caller(app);
  for (const grants of ['admin', 'read:acme', 'write:acme', 'admin:other', 'write:acme/open']) {
    const { text } = await createToken(gateway.catalog, operator, { name: grants, grants: [parseGrant(grants)] });
    headers.set(grants, { authorization: `Bearer ${text}` });
  }
  for (const [name, visibility] of [
    ['secret', 'private'],
    ['open', 'public'],
  ] as const) {
    const hub = await new HubClient(call, `acme/${name}`, headers.get('admin')).create({ visibility });
    await hub.upload(large);
    head = await hub.commit([header(), file('a/config.json', '{}'), lfsFile('large.bin', large)]);
    ok(await hub.api('POST', '/branch/dev', {}));
    ok(await hub.api('POST', '/tag/main', { tag: 'v1' }));
  }
  secretId = (await gateway.catalog.repositories.find('acme', 'secret'))!.id;
});
afterAll(async () => {
  await server.close(0);
  await gateway.close();
});

interface Operation {
  readonly method: string;
  readonly path: (repository: string) => string;
  readonly body?: (repository: string) => object | Buffer;
  /** What a token must hold at least. */
  readonly needs: 'read' | 'write' | 'admin';
}

/** Every operation on a repository that hub clients have. */
function operations(): Operation[] {
  const op = (needs: Operation['needs'], method: string, rest: string, body?: Operation['body']): Operation => ({
    needs,
    method,
    path: (id) => (rest.startsWith('/') ? `/api/models/${id}${rest}` : `/${id}${rest === '.' ? '' : `/${rest}`}`),
    ...(body !== undefined && { body }),
  });
  const commit = () => ndjson([header(), file('x', 'x')]);
  const named = (id: string): object => ({ name: id.split('/')[1], organization: id.split('/')[0] });
  return [
    op('read', 'GET', '/'),
    op('read', 'GET', '/revision/main'),
    op('read', 'GET', '/tree/main'),
    op('read', 'GET', '/tree/main/a?recursive=true'),
    op('read', 'POST', '/paths-info/main', () => ({ paths: ['large.bin'] })),
    op('read', 'GET', '/commits/main'),
    op('read', 'GET', '/refs'),
    op('read', 'GET', '/auth-check'),
    op('write', 'GET', '/auth-check/write'),
    op('read', 'HEAD', 'resolve/main/large.bin'),
    op('read', 'GET', 'resolve/main/large.bin'),
    op('read', 'GET', `resolve/${head}/a%2Fconfig.json`),
    op('read', 'GET', 'resolve/main/absent'),
    op('read', 'GET', 'resolve/absent/large.bin'),
    op('write', 'POST', '/preupload/main', () => ({ files: [{ path: 'large.bin', size: 9, sample: '' }] })),
    op('write', 'POST', '/commit/main', commit),
    op('write', 'POST', '/branch/new', () => ({})),
    op('write', 'DELETE', '/branch/dev'),
    op('write', 'POST', '/tag/main', () => ({ tag: 'v2' })),
    op('write', 'DELETE', '/tag/v1'),
    op('write', 'GET', '/xet-write-token/main'),
    op('admin', 'POST', '/super-squash/dev', () => ({})),
    op('admin', 'PUT', '/settings', () => ({ private: false })),
    {
      needs: 'write',
      method: 'POST',
      path: (id) => `/${id}.git/info/lfs/objects/batch`,
      body: () => ({ operation: 'upload', objects: [{ oid: sha256(large), size: large.length }] }),
    },
    { needs: 'admin', method: 'DELETE', path: () => '/api/repos/delete', body: named },
    {
      needs: 'admin',
      method: 'POST',
      path: () => '/api/repos/move',
      body: (id) => ({ fromRepo: id, toRepo: 'other/taken-away' }),
    },
  ];
}

/** An answer without the values that differ in every request, and without the name that was asked for. */
function comparable({ status, headers: given, bytes }: Answer): unknown {
  const kept = [...given].filter(([name]) => !['x-request-id', 'ratelimit', 'date', 'content-length'].includes(name));
  return { status, kept: kept.sort(), body: bytes.toString().replace(/absent|secret/g, '?') };
}

describe('a private repository', () => {
  it.each([undefined, 'admin:other', 'write:acme/open'])(
    'answers every operation of hub clients as if it did not exist to a token for %s',
    async (grants) => {
      const given = grants === undefined ? {} : headers.get(grants)!;
      for (const { method, path, body } of operations()) {
        const hidden = await call(method, path('acme/secret'), body?.('acme/secret'), given);
        const absent = await call(method, path('acme/absent'), body?.('acme/absent'), given);
        const label = `${method} ${path('acme/secret')}`;
        expect(comparable(hidden), label).toEqual(comparable(absent));
        if (method !== 'HEAD') expectHubError(hidden, 404, 'RepoNotFound');
        expect([hidden.status, hidden.headers.get('x-error-code')], label).toEqual([404, 'RepoNotFound']);
      }
      for (const kind of ['datasets', 'spaces'])
        expectHubError(await call('GET', `/api/${kind}/acme/secret`, undefined, given), 404, 'RepoNotFound');
    },
  );

  it('is not reached by another spelling of its path', async () => {
    const spellings = [
      'acme%2Fsecret',
      'acme%252Fsecret',
      'acme//secret',
      '/acme/secret',
      'acme/open/../secret',
      'acme/open%2F..%2Fsecret',
      'acme/./secret',
      'acme/%73ecret',
      '%61cme/secret',
      'acme%5Csecret',
      'acme\\secret',
      'acme/secret/',
      'acme/secret%00',
      'acme/secret%2F',
      'ACME/secret',
      'acme;x/secret',
    ];
    // Over a socket: a URL of the platform would change some of them before they are sent.
    for (const grants of [undefined, 'write:acme/open'])
      for (const { method, path, body } of operations().filter((each) => each.path('x') !== each.path('y')))
        for (const spelling of spellings) {
          const given = grants === undefined ? {} : headers.get(grants)!;
          const { status, text } = await rawly(method, path(spelling), body?.(spelling), given);
          expect([400, 404], `${method} ${path(spelling)}`).toContain(status);
          expect(text).not.toMatch(/"secret"|acme\/secret"/);
        }
    expect((await rawly('GET', '/api/models/acme/%73ecret', undefined, headers.get('read:acme')!)).status).toBe(200);
  });

  it('is in no list of who may not see it', async () => {
    const listed = async (grants?: string): Promise<string[]> => {
      const answer = await call('GET', '/api/models', undefined, grants === undefined ? {} : headers.get(grants)!);
      return ok(answer).json.map(({ id }: { id: string }) => id);
    };
    for (const grants of [undefined, 'admin:other', 'write:acme/open'])
      expect(await listed(grants)).toEqual(['acme/open']);
    expect(await listed('read:acme')).toEqual(['acme/open', 'acme/secret']);
  });

  it('takes chunks, xorbs and shards at its address from nobody who may not write to it', async () => {
    const absentId = 'e'.repeat(32);
    const asked = [
      ['GET', `1/v1/chunks/default/${hash}`],
      ['POST', `1/v1/xorbs/default/${hash}`],
      ['POST', '1/v1/shards'],
      ['POST', '1/v2/shards'],
      ['DELETE', '1/v2/shards'],
    ] as const;
    for (const grants of [undefined, 'admin:other', 'write:acme/open'])
      for (const [method, rest] of asked) {
        const body = method === 'POST' ? Buffer.from('x') : undefined;
        const given = grants === undefined ? {} : headers.get(grants)!;
        const hidden = await call(method, `/hub/xet/${secretId}/${rest}`, body, given);
        expect(comparable(hidden)).toEqual(comparable(await call(method, `/hub/xet/${absentId}/${rest}`, body, given)));
        expectHubError(hidden, 404, 'RepoNotFound');
      }
    for (const [method, rest] of asked) {
      const body = method === 'POST' ? Buffer.from('x') : undefined;
      expect((await call(method, `/hub/xet/${secretId}/${rest}`, body, headers.get('read:acme'))).status).toBe(403);
    }
  });
});

describe('a token', () => {
  it('that may only read is told so at each write; one without rights on a public repository, too', async () => {
    for (const { method, path, body, needs } of operations().filter((each) => each.needs !== 'read')) {
      for (const [grants, id, status] of [
        ['read:acme', 'acme/secret', 403],
        ['admin:other', 'acme/open', 403],
        [undefined, 'acme/open', 401],
        ['write:acme', 'acme/secret', needs === 'admin' ? 403 : undefined],
      ] as const) {
        if (status === undefined) continue;
        const given = grants === undefined ? {} : headers.get(grants)!;
        const answer = await call(method, path(id), body?.(id), given);
        expect(answer.status, `${method} ${path(id)} ${grants}`).toBe(status);
        expectHubError(answer, status);
        if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
    }
  });

  it('that does not hold is refused everywhere, as clients read it', async () => {
    const bad = { authorization: `Bearer hf_${'x'.repeat(44)}` };
    for (const { method, path, body } of operations()) {
      const answer = await call(method, path('acme/open'), body?.('acme/open'), bad);
      expect([answer.status, answer.headers.get('x-error-message')], path('acme/open')).toEqual([
        401,
        'Invalid credentials in Authorization header',
      ]);
      expect(answer.headers.get('x-error-code')).toBeTruthy();
    }
    expectHubError(await call('GET', '/api/whoami-v2'), 401);
    expectHubError(await call('POST', '/api/repos/create', { name: 'x', organization: 'acme' }), 401);
  });

  it('of one namespace creates and moves no repository in another', async () => {
    const create = (organization: string) =>
      call('POST', '/api/repos/create', { name: 'secret', organization }, headers.get('admin:other'));
    expectHubError(await create('acme'), 403);
    ok(await create('other'));
    const again = await create('other');
    expect([again.status, again.json.url]).toEqual([409, 'http://localhost/other/secret']);
    const move = { fromRepo: 'other/secret', toRepo: 'acme/mine' };
    expectHubError(await call('POST', '/api/repos/move', move, headers.get('admin:other')), 403);
  });
});

describe('the bytes of another tenant', () => {
  it('are no different from bytes that nobody has: neither status, nor answer, nor address tell', async () => {
    const mine = await new HubClient(call, 'other/mine', headers.get('admin:other')).create();
    const unknown = Buffer.from(large).fill(7);
    const answers = [];
    for (const bytes of [large, unknown]) {
      const lines = (more: object) => [header(), { key: 'lfsFile', value: { path: 'x', oid: sha256(bytes), ...more } }];
      answers.push([
        (await mine.batch([bytes])).map((href) => href?.replace(/[0-9a-f]{32,}|\d+/g, '#')),
        comparable(await mine.tryCommit(lines({ size: bytes.length }))),
        comparable(await mine.tryCommit(lines({}))),
        comparable(
          await mine.api('POST', '/preupload/main', { files: [{ path: 'large.bin', size: bytes.length, sample: '' }] }),
        ),
      ]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]![0]).toEqual([expect.stringMatching(/^http/)]);
    expect((await mine.tryCommit([header(), lfsFile('x', large)])).status).toBe(409);
    // Who sends them has them.
    await mine.push({ 'x.bin': large });
    expect(await mine.bytes('main', 'x.bin')).toEqual(large);
  });
});

describe('a signed upload address', () => {
  it('takes exactly the announced bytes, once or again, from whoever has it', async () => {
    const mine = await new HubClient(call, 'other/signed', headers.get('admin:other')).create();
    const bytes = Buffer.from('these very bytes');
    const [href] = await mine.batch([bytes]);
    for (const wrong of [
      bytes.subarray(1),
      Buffer.concat([bytes, bytes]),
      Buffer.from(bytes).reverse(),
      Buffer.alloc(0),
    ]) {
      const answer = await call('PUT', pathOf(href!), wrong);
      expect([400, 409, 413, 422], answer.bytes.toString()).toContain(answer.status);
      expectHubError(answer, answer.status);
    }
    expect((await mine.tryCommit([header(), lfsFile('x', bytes)])).status).toBe(409);
    for (let twice = 0; twice < 2; twice++) ok(await call('PUT', pathOf(href!), bytes));
    await mine.commit([header(), lfsFile('x', bytes)]);
    expect(await mine.bytes('main', 'x')).toEqual(bytes);
  });

  it('is of no use for another repository, another digest, with another query, or without one', async () => {
    const mine = await new HubClient(call, 'other/unsigned', headers.get('admin:other')).create();
    const bytes = Buffer.from('some bytes');
    const path = pathOf((await mine.batch([bytes]))[0]!);
    const [, , , id, rest] = path.split('/') as [string, string, string, string, string];
    const altered = [
      path.replace(id, secretId),
      path.replace(id, 'e'.repeat(32)),
      path.replace(sha256(bytes), sha256(large)),
      path.replace(/size=\d+/, 'size=99'),
      path.replace(/expires=\d/, 'expires=9'),
      path.replace(/by=[^&]*/, 'by=x'),
      path.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      path.replace(/signature=./, 'signature=%C3%A9'),
      `${path}&part=1`,
      path.split('?')[0]!,
    ];
    expect(rest).toContain('signature=');
    for (const each of altered) expectHubError(await call('PUT', each, bytes), 403, 'forbidden');
    for (const method of ['GET', 'DELETE']) expectHubError(await call(method, path), 404);
    // A POST puts parts together, at an address that was signed for that.
    expectHubError(await call('POST', path), 405);
    ok(await call('PUT', path, bytes));
  });

  it('is of no use once its token is revoked, to any part of a file', async () => {
    const { record, text } = await createToken(gateway.catalog, operator, {
      name: 'revoked',
      grants: [parseGrant('admin:other')],
    });
    const mine = await new HubClient(call, 'other/revoked', { authorization: `Bearer ${text}` }).create();
    const [sent, late] = [Buffer.from('in time'), Buffer.from('too late')];
    const [first, second] = await mine.batch([sent, late]);
    ok(await call('PUT', pathOf(first!), sent));
    await gateway.catalog.tokens.revoke(record.id);
    for (const [href, bytes] of [
      [first, sent],
      [second, late],
    ] as const)
      expectHubError(await call('PUT', pathOf(href!), bytes), 403, 'forbidden');
    const { id: repositoryId } = (await gateway.catalog.repositories.find('other', 'revoked'))!;
    const found = await gateway.catalog.hub.blobs.find(repositoryId, [sha256(late)]);
    expect(found.filter(({ rawKey }) => rawKey !== undefined)).toEqual([]);
  });

  it('is of no use once its repository is deleted', async () => {
    const mine = await new HubClient(call, 'other/deleted', headers.get('admin:other')).create();
    const bytes = Buffer.from('too late');
    const [href] = await mine.batch([bytes]);
    ok(await mine.ask('DELETE', '/api/repos/delete', { name: 'deleted', organization: 'other' }));
    expectHubError(await call('PUT', pathOf(href!), bytes), 403);
    expectHubError(await mine.api('GET', ''), 404, 'RepoNotFound');
  });
});

/** Sends a path as it is, which fetch and URL would normalize. */
function rawly(
  method: string,
  path: string,
  body: object | Buffer | undefined,
  given: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const sent = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        method,
        path,
        hostname,
        port,
        headers: { ...given, ...(sent && { 'content-type': 'application/json', 'content-length': sent.length }) },
      },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('end', () => resolve({ status: answer.statusCode!, text: Buffer.concat(pieces).toString() }));
      },
    );
    asked.on('error', reject);
    asked.end(sent);
  });
}
