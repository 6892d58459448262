import type { OpenAPIHono } from '@hono/zod-openapi';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenAccess } from '../../access/access.ts';
import { createToken } from '../../access/create-token.ts';
import { operator } from '../../access/principal.ts';
import { RequestLimits } from '../../access/request-limits.ts';
import { parseGrant } from '../../checkpoint/grant.ts';
import type { AppEnv } from '../app-env.ts';
import { createApp } from '../app.ts';
import { isAmongPages } from './page-paths.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';

const origin = 'http://localhost';
const hostile = '<script>alert(1)</script>"\'&';

let gateway: TestGateway;
let app: OpenAPIHono<AppEnv>;
/** Texts of tokens, and the cookies that they are signed in with, by grants. */
const tokens: Record<string, string> = {};
const cookies: Record<string, string> = {};

beforeAll(async () => {
  const limits = new RequestLimits({ tokenPerMinute: 100_000, anonymousPerMinute: 100_000, concurrent: 100 });
  gateway = await openTestGateway({
    admittance: (catalog) => ({ access: tokenAccess({ catalog }), limits, trustProxy: false }),
  });
  app = createApp(gateway);
  for (const grants of ['admin', 'read:acme', 'write:acme', 'read:other', 'admin:acme']) {
    tokens[grants] = await newToken(grants);
    cookies[grants] = await signIn(tokens[grants]);
  }
  for (const [name, visibility] of [
    ['secret', 'private'],
    ['open', 'public'],
  ] as const) {
    await api('POST', '/v1/repositories', { namespace: 'acme', name, visibility });
    await api('POST', `/v1/repositories/acme/${name}/runs`, { name: 'train' });
    await push(name, 'train', 1);
    await push(name, 'train', 2);
  }
  await api('POST', '/v1/repositories/acme/open/runs', { name: 'forked', forkFrom: { run: 'train', step: 1 } });
  await push('open', 'forked', 7);
  await gateway.encode();
});
afterAll(() => gateway.close());

async function newToken(grants: string, name = grants): Promise<string> {
  return (await createToken(gateway.catalog, operator, { name, grants: grants.split(' ').map(parseGrant) })).text;
}

async function api(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await app.request(path, {
    method,
    headers: { authorization: `Bearer ${tokens['admin']}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (answer.status >= 300) throw new Error(`${answer.status}: ${await answer.text()}`);
}

async function push(repository: string, run: string, step: number, ...paths: string[]): Promise<void> {
  const checkpoints = `/v1/repositories/acme/${repository}/runs/${run}/checkpoints`;
  await api('POST', checkpoints, { step });
  for (const [at, path] of (paths.length > 0 ? paths : ['model.safetensors']).entries()) {
    const answer = await app.request(`${checkpoints}/${step}/files/${encodeURIComponent(path)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokens['admin']}`, 'content-type': 'application/octet-stream' },
      body: safetensors({ [`w${hostile}${at > 0 ? at : ''}`]: { shape: [4], values: ramp(4, step) } }),
    });
    if (answer.status >= 300) throw new Error(`${answer.status}: ${await answer.text()}`);
  }
  await api('POST', `${checkpoints}/${step}/commit`);
}

/** A page as a browser asks for it. */
function open(path: string, cookie?: string): Promise<Response> {
  return Promise.resolve(
    app.request(path, { headers: { accept: 'text/html,application/xhtml+xml', ...(cookie && { cookie }) } }),
  );
}

async function formTokenOf(path: string, cookie?: string): Promise<string> {
  return /name="form-token" value="([^"]+)"/.exec(await (await open(path, cookie)).text())![1]!;
}

/** A form as a browser sends it. */
async function send(
  path: string,
  fields: Record<string, string>,
  { cookie, headers = {} }: { cookie?: string | undefined; headers?: Record<string, string> } = {},
): Promise<Response> {
  return app.request(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'text/html',
      origin,
      'sec-fetch-site': 'same-origin',
      ...(cookie && { cookie }),
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });
}

async function signIn(token: string): Promise<string> {
  const answer = await send('/-/sign-in', { 'form-token': await formTokenOf('/-/sign-in'), token });
  expect(answer.status).toBe(303);
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}

const pagesOfOpen = [
  '/',
  '/?search=open',
  '/acme/open',
  '/acme/open/runs/train',
  '/acme/open/runs/train/1',
  '/acme/open/runs/train/latest',
  '/acme/open/compare?one=train&two=forked',
  '/-/sign-in',
  '/-/usage',
];

describe('pages', () => {
  it.each(pagesOfOpen)('%s is a page that loads nothing from elsewhere and runs nothing inline', async (path) => {
    const answer = await open(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const text = await answer.text();
    expect(text.startsWith('<!doctype html>')).toBe(true);
    expect(text).not.toMatch(/<script(?![^>]*\ssrc="\/-\/)|\son[a-z]+="|\sstyle="|(?:src|href)="(?:https?:)?\/\//);
    expect(text.length).toBeLessThan(100_000);
  });

  it('leaves API clients what they had', async () => {
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const index = await app.request('/', { headers });
      expect(await index.text()).toContain('/v1/repositories');
      expect((await app.request('/acme/open', { headers })).headers.get('content-type')).toContain('problem+json');
    }
    const problems = await open('/problems/not-found');
    expect(problems.headers.get('content-security-policy')).toBeNull();
    const hub = await open('/acme/open/resolve/run/model.safetensors');
    expect(hub.headers.get('content-type')).not.toContain('text/html');
  });

  const wrong = ['/nosuch', '/me', '/me/mlp/foo', '/me/mlp/runs', '/me/mlp/runs/train/abc', '/-/nosuch', '/-', '//a'];
  it.each(wrong)('tells a browser on a page that nothing is at %s, and other clients in a problem', async (path) => {
    const page = await open(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('There is nothing at this path.');
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5'])
      expect((await app.request(path, { headers: { accept } })).headers.get('content-type')).toContain('problem+json');
    const posted = await app.request(path, { method: 'POST', headers: { accept: 'text/html' } });
    expect(posted.headers.get('content-type')).toContain('problem+json');
  });

  it.each(['/v1', '/v1/nosuch', '/%76%31/nosuch', '/api/nosuch', '/hub/nosuch', '/problems/nosuch', '/metrics/nosuch'])(
    'leaves %s to the API',
    async (path) => {
      const answer = await open(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).not.toContain('text/html');
    },
  );

  it('has no page below the first segment of any route', () => {
    const paths = app.routes.filter(({ method }) => method !== 'ALL').map(({ path }) => path);
    expect(paths.filter((path) => path !== '/' && isAmongPages(path))).toEqual([]);
  });

  it('has an icon where browsers look for one', async () => {
    const answer = await app.request('/favicon.ico', { headers: { accept: 'image/avif,image/svg+xml,*/*;q=0.8' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });

  it('loads its style and script from its own origin, kept for ever by version', async () => {
    const text = await (await open('/')).text();
    const [style] = /\/-\/style\.css\?v=\w+/.exec(text)!;
    const answer = await app.request(style);
    expect(answer.headers.get('content-type')).toContain('text/css');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect((await app.request('/-/style.css?v=old')).headers.get('cache-control')).toBe('no-cache');
    expect((await app.request('/-/live.js')).headers.get('content-type')).toContain('text/javascript');
  });

  it('shows what forked from a run, and where it came from', async () => {
    expect(await (await open('/acme/open/runs/train')).text()).toContain('/acme/open/runs/forked');
    expect(await (await open('/acme/open/runs/forked')).text()).toContain('/acme/open/runs/train/1');
  });

  it('finds repositories by a part of their names', async () => {
    expect(await (await open('/?search=CME%2Fop')).text()).toContain('href="/acme/open"');
    expect(await (await open('/?search=nothing')).text()).not.toContain('href="/acme/open"');
    expect((await open(`/?search=${'x'.repeat(300)}`)).status).toBe(400);
  });
});

describe('access', () => {
  it('makes a private repository absent for who may not read it', async () => {
    for (const cookie of [undefined, cookies['read:other']]) {
      expect(await (await open('/', cookie)).text()).not.toContain('acme/secret');
      for (const rest of ['', '/runs/train', '/runs/train/1', '/compare?one=train&two=train']) {
        const [hidden, absent] = [
          await open(`/acme/secret${rest}`, cookie),
          await open(`/acme/nothing${rest}`, cookie),
        ];
        expect([hidden.status, absent.status]).toEqual([404, 404]);
        const withoutId = async (answer: Response) => (await answer.text()).replace(/Request [\w-]+/, '');
        expect(await withoutId(hidden)).toBe(await withoutId(absent));
      }
    }
  });

  it('shows it to who signed in with a token that may read it', async () => {
    expect(await (await open('/', cookies['read:acme'])).text()).toContain('href="/acme/secret"');
    expect((await open('/acme/secret/runs/train/1', cookies['read:acme'])).status).toBe(200);
  });

  it('shows the queue to who may read everything alone', async () => {
    expect((await open('/-/queue')).status).toBe(401);
    expect((await open('/-/queue', cookies['read:acme'])).status).toBe(403);
    expect((await open('/-/queue', cookies['admin'])).status).toBe(200);
  });

  it('shows the usage of namespaces that one may read as a whole', async () => {
    expect(await (await open('/-/usage', cookies['read:acme'])).text()).toContain('>acme</a>');
    expect(await (await open('/-/usage', cookies['read:other'])).text()).not.toContain('>acme</a>');
    expect(await (await open('/-/usage')).text()).not.toContain('>acme</a>');
  });
});

describe('sign-in', () => {
  it('keeps the token in a cookie that scripts and other sites cannot read, sealed', async () => {
    const answer = await send('/-/sign-in', { 'form-token': await formTokenOf('/-/sign-in'), token: tokens['admin']! });
    const cookie = answer.headers.get('set-cookie')!;
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Lax/);
    expect(cookie).not.toContain(tokens['admin']!);
    expect(Buffer.from(cookie.split('=')[1]!.split(';')[0]!, 'base64url').includes(tokens['admin']!)).toBe(false);
  });

  it('does not let the cookie into the API', async () => {
    const answer = await app.request('/v1/repositories/acme/secret', { headers: { cookie: cookies['admin']! } });
    expect(answer.status).toBe(404);
    const whoami = await app.request('/v1/whoami', { headers: { cookie: cookies['admin']! } });
    expect(((await whoami.json()) as { id: string }).id).toBe('anonymous');
  });

  it('refuses a wrong token, and after many of them everybody of that address', async () => {
    const limits = new RequestLimits({ tokenPerMinute: 1000, anonymousPerMinute: 1000, concurrent: 100 });
    const access = tokenAccess({ catalog: gateway.catalog });
    const other = createApp({ ...gateway, metrics: new Registry(), admittance: { access, limits, trustProxy: false } });
    const formToken = await formTokenOf('/-/sign-in');
    const attempt = (token: string) =>
      other.request('/-/sign-in', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
        body: new URLSearchParams({ 'form-token': formToken, token }).toString(),
      });
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) statuses.push((await attempt(`hf_${'x'.repeat(44)}`)).status);
    expect(statuses.slice(0, 60)).toEqual(Array(60).fill(401));
    expect(statuses[60]).toBe(429);
    expect((await attempt(tokens['admin']!)).status).toBe(429);
  });

  it('ends when the token is revoked', async () => {
    const text = await newToken('read', 'short-lived');
    const cookie = await signIn(text);
    expect(await (await open('/', cookie)).text()).toContain('Token short-lived');
    const { items } = { items: await gateway.catalog.tokens.list({ limit: 1000 }) };
    await gateway.catalog.tokens.revoke(items.find(({ name }) => name === 'short-lived')!.id);
    expect(await (await open('/', cookie)).text()).toContain('Sign in');
  });

  it('ends with sign-out, which needs the form', async () => {
    const cookie = cookies['read:acme'];
    expect((await open('/-/sign-out', cookie)).headers.get('set-cookie')).toBeNull();
    const answer = await send('/-/sign-out', { 'form-token': await formTokenOf('/', cookie) }, { cookie });
    expect(answer.headers.get('set-cookie')).toMatch(/firn-session=;.*Max-Age=0/);
  });
});

describe('forms', () => {
  const fields = async (cookie: string | undefined) => ({
    'form-token': await formTokenOf('/-/tokens', cookie),
    action: 'make',
    name: 'ci',
    grants: 'read:acme',
    days: '30',
  });

  it('make a read token for a repository, from its page, for whoever may', async () => {
    const linkOf = async (cookie: string | undefined) =>
      /href="([^"]*)"[^>]*>Make a read token for this repository/.exec(await (await open('/acme/open', cookie)).text());
    const link = (await linkOf(cookies['admin:acme']))![1]!;
    const grants = /<input id="grants"[^>]*>/.exec(await (await open(link, cookies['admin:acme'])).text())![0];
    expect(grants).toContain('value="read:acme/open"');
    for (const cookie of [undefined, cookies['read:acme'], cookies['write:acme']])
      expect(await linkOf(cookie)).toBeNull();
    const hostile = await (await open('/-/tokens?grants=%22%3E%3Cscript%3E', cookies['admin:acme'])).text();
    expect(hostile).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect((await open(`/-/tokens?grants=${'x'.repeat(201)}`, cookies['admin:acme'])).status).toBe(400);
  });

  it('make a token, whose text is shown once and not logged', async () => {
    const cookie = cookies['admin:acme'];
    const answer = await send('/-/tokens', await fields(cookie), { cookie });
    expect(answer.status).toBe(201);
    const [made] = /hf_\w{44}/.exec(await answer.text())!;
    expect(await (await open('/-/tokens', cookie)).text()).not.toContain(made);
    expect(JSON.stringify(gateway.lines)).not.toContain(made);
    expect(
      (await app.request('/v1/repositories/acme/secret', { headers: { authorization: `Bearer ${made}` } })).status,
    ).toBe(200);
  });

  it('make no token that allows more than one has', async () => {
    const cookie = cookies['admin:acme'];
    expect((await send('/-/tokens', { ...(await fields(cookie)), grants: 'admin' }, { cookie })).status).toBe(403);
  });

  it.each([
    ['without its token', { 'form-token': '' }, {}],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['from another origin', {}, { origin: 'https://evil.example' }],
    ['from no origin', {}, { origin: 'null' }],
  ])('are refused %s', async (_, changed, headers) => {
    const cookie = cookies['admin:acme'];
    const answer = await send('/-/tokens', { ...(await fields(cookie)), ...changed }, { cookie, headers });
    expect(answer.status).toBe(403);
  });

  it('are refused with the form token of another viewer', async () => {
    const stolen = await fields(cookies['read:acme'] && cookies['admin']);
    expect((await send('/-/tokens', stolen, { cookie: cookies['admin:acme'] })).status).toBe(403);
  });

  it('are refused when they are too long', async () => {
    const cookie = cookies['admin:acme'];
    const answer = await send('/-/tokens', { ...(await fields(cookie)), name: 'x'.repeat(20_000) }, { cookie });
    expect(answer.status).toBe(413);
  });
});

describe('bytes of each layer', () => {
  it('are read from the package, and add up to what is stored', async () => {
    const text = await (await open('/acme/open/runs/train/1')).text();
    expect(text).toContain('Bytes of each layer');
    const [, table] = /aria-label="Bytes of each layer"(.*?)<\/table>/s.exec(text)!;
    const stored = [...table!.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) => {
      const cells = [...row.matchAll(/<td class="n">(.*?)<\/td>/g)].map(([, cell]) => cell!);
      return Number.parseInt(cells.at(-2)!, 10);
    });
    const { repositories, runs, checkpoints, packages } = gateway.catalog;
    const run = await runs.find((await repositories.find('acme', 'open'))!.id, 'train');
    const record = await packages.get((await checkpoints.find(run!.id, 1))!.packageId!);
    expect(stored.reduce((sum, bytes) => sum + bytes, 0)).toBe(record!.storedBytes);
    expect(await (await open('/acme/open/runs/train/1?layers=all')).text()).toContain('Bytes of each layer');
  });
});

describe('the command that pulls a file by curl', () => {
  /** What the command asks for, read as a shell reads it: none of its words has more than one quoted part. */
  const addressOn = async (path: string): Promise<string> => {
    const text = await (await open(path)).text();
    const [, word] = /curl -O -H &quot;Authorization: Bearer \$FIRN_TOKEN&quot; ([^\s<]+)/.exec(text)!;
    const plain = word!.replaceAll('&#39;', "'").replaceAll("'\\''", '\0');
    expect(plain).toMatch(/^(?:[\w%+,./:=@-]+|'[^']+')$/);
    return plain.replaceAll("'", '').replaceAll('\0', "'");
  };

  it.each([
    [['adapter_model.safetensors'], 'adapter_model.safetensors'],
    [['adapter_model.safetensors', 'model.safetensors'], 'model.safetensors'],
    [["it's (new) & $HOME/model 1.safetensors"], "it's%20(new)%20%26%20%24HOME/model%201.safetensors"],
  ])('names a file that is there: of %j', async (paths, named) => {
    await api('POST', '/v1/repositories', { namespace: 'acme', name: 'pulled', visibility: 'public' });
    await api('POST', '/v1/repositories/acme/pulled/runs', { name: 'train' });
    await push('pulled', 'train', 1, ...paths);
    await gateway.encode();
    for (const [page, step] of [
      ['/acme/pulled', 'latest'],
      ['/acme/pulled/runs/train', '1'],
      ['/acme/pulled/runs/train/1', '1'],
    ] as const) {
      const address = await addressOn(page);
      expect(address).toBe(`${origin}/v1/repositories/acme/pulled/runs/train/checkpoints/${step}/files/${named}`);
      expect((await app.request(address)).status).toBe(200);
    }
    await api('DELETE', '/v1/repositories/acme/pulled');
  });
});

describe('deletion and visibility', () => {
  const act = async (path: string, cookie: string, fields: Record<string, string>) =>
    send(path, { 'form-token': await formTokenOf('/', cookie), ...fields }, { cookie });

  it('need the name typed again', async () => {
    await push('open', 'forked', 9);
    await gateway.encode();
    const path = '/acme/open/runs/forked/9';
    expect(await (await open(path, cookies['write:acme'])).text()).toContain('Type forked@9 to confirm');
    const wrong = await act(path, cookies['write:acme']!, { action: 'delete', confirm: 'forked' });
    expect([wrong.status, (await open(path)).status]).toEqual([400, 200]);
    const right = await act(path, cookies['write:acme']!, { action: 'delete', confirm: 'forked@9' });
    expect([right.status, right.headers.get('location')]).toEqual([303, '/acme/open/runs/forked']);
    expect((await open(path)).status).toBe(404);
  });

  it('need the scope that the API asks for', async () => {
    const fields = { action: 'delete', confirm: 'forked' };
    expect((await act('/acme/open/runs/forked', cookies['read:other']!, fields)).status).toBe(403);
    expect((await act('/acme/secret/runs/train', cookies['read:other']!, fields)).status).toBe(404);
    expect(await (await open('/acme/open/runs/forked', cookies['read:other'])).text()).not.toContain('Delete the run');
    const publish = { action: 'publish', confirm: 'acme/secret' };
    expect((await act('/acme/secret', cookies['write:acme']!, publish)).status).toBe(403);
  });

  it('make a repository public and private again, and delete a run', async () => {
    const admin = cookies['admin:acme']!;
    await act('/acme/secret', admin, { action: 'publish', confirm: 'acme/secret' });
    expect((await open('/acme/secret')).status).toBe(200);
    await act('/acme/secret', admin, { action: 'hide', confirm: 'acme/secret' });
    expect((await open('/acme/secret')).status).toBe(404);
    await act('/acme/secret/runs/train', admin, { action: 'delete', confirm: 'train' });
    expect((await open('/acme/secret/runs/train', admin)).status).toBe(404);
  });

  it('delete a repository for its admin alone, who typed its name, on its own page', async () => {
    await api('POST', '/v1/repositories', { namespace: 'acme', name: 'old', visibility: 'public' });
    await api('POST', '/v1/repositories/acme/old/runs', { name: 'train' });
    await push('old', 'train', 1);
    const admin = cookies['admin:acme']!;
    const fields = { action: 'delete', confirm: 'acme/old' };
    expect(await (await open('/acme/old', admin)).text()).toContain('Delete the repository');
    for (const cookie of [cookies['write:acme']!, cookies['read:other']!]) {
      expect(await (await open('/acme/old', cookie)).text()).not.toContain('Delete the repository');
      expect((await act('/acme/old', cookie, fields)).status).toBe(403);
    }
    expect((await act('/acme/secret', cookies['read:other']!, { ...fields, confirm: 'acme/secret' })).status).toBe(404);
    expect((await act('/acme/old', admin, { ...fields, confirm: 'old' })).status).toBe(400);
    expect((await act('/acme/old', admin, { ...fields, 'form-token': 'forged' })).status).toBe(403);
    expect((await open('/acme/old')).status).toBe(200);
    const right = await act('/acme/old', admin, fields);
    expect([right.status, right.headers.get('location')]).toEqual([303, '/']);
    expect((await open('/acme/old', admin)).status).toBe(404);
  });
});

describe('a queued checkpoint', () => {
  it('says what it waits for on the pages of its run and of the queue', async () => {
    await api('POST', '/v1/repositories', { namespace: 'acme', name: 'waiting', visibility: 'public' });
    await api('POST', '/v1/repositories/acme/waiting/runs', { name: 'train' });
    const checkpoints = '/v1/repositories/acme/waiting/runs/train/checkpoints';
    await api('POST', checkpoints, { step: 10 });
    await push('waiting', 'train', 20);
    await push('waiting', 'train', 30);
    const said = async (path: string) =>
      [...(await (await open(path, cookies['admin'])).text()).matchAll(/waits for [^<]*/g)].map(([words]) => words);
    for (const path of ['/acme/waiting/runs/train', '/-/queue'])
      expect(await said(path)).toEqual(Array(2).fill(expect.stringMatching(/^waits for step 10, reserved .* unless/)));
    await api('POST', `${checkpoints}/10/cancel`);
    const [first, second] = ['waits for a worker', 'waits for step 20, which is compressed before it'];
    expect(await said('/acme/waiting/runs/train')).toEqual([second, first]);
    expect(await said('/-/queue')).toEqual([first, second]);
    await gateway.encode();
    expect(await said('/acme/waiting/runs/train')).toEqual([]);
    expect(await said('/-/queue')).toEqual([]);
  });
});

describe('hostile names', () => {
  it('are text, wherever they are shown', async () => {
    await newToken('read:acme', hostile);
    await push('open', 'train', 3, `${hostile.replace('/', '-')}.safetensors`);
    await gateway.encode();
    const texts = await Promise.all(
      [
        ['/-/tokens', cookies['admin']],
        ['/acme/open/runs/train/3', undefined],
        ['/acme/open/runs/train', undefined],
        [`/?search=${encodeURIComponent(hostile)}`, undefined],
      ].map(async ([path, cookie]) => (await open(path!, cookie)).text()),
    );
    for (const text of texts) expect(text).not.toMatch(/<script>/i);
    expect(texts[0]).toContain('&lt;script&gt;');
    expect(texts[1]).toContain('&lt;script&gt;');
    expect(texts[3]).toContain('&lt;script&gt;');
  });
});
