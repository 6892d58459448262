import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';

let gateway: TestGateway;
let call: Call;
beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
});
afterAll(() => gateway.close());

describe('repositories', () => {
  it('creates, describes and refuses the same name twice', async () => {
    const created = await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe('/v1/repositories/acme/lm');
    expect(created.json).toMatchObject({ namespace: 'acme', name: 'lm', type: 'model' });
    expect((await call('GET', '/v1/repositories/acme/lm')).json).toEqual(created.json);
    const again = await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
    expect(again.status).toBe(409);
    expect(again.json.code).toBe('conflict');
  });

  it('lists in pages', async () => {
    for (const name of ['p1', 'p2', 'p3']) await call('POST', '/v1/repositories', { namespace: 'paged', name });
    const first = await call('GET', '/v1/repositories?limit=2&after=paged/');
    expect(first.json.items.map((item: { name: string }) => item.name)).toEqual(['p1', 'p2']);
    const second = await call('GET', `/v1/repositories?limit=2&after=${encodeURIComponent(first.json.next)}`);
    expect(second.json.items.map((item: { name: string }) => item.name)).toEqual(['p3']);
    expect(second.json.next).toBeUndefined();
  });

  it('lists those with a text in namespace or name, whatever its case, and takes no wildcards', async () => {
    for (const name of ['lm-Small', 'lm_small', 'vision'])
      await call('POST', '/v1/repositories', { namespace: 'searched', name });
    const names = async (search: string) =>
      (await call('GET', `/v1/repositories?search=${encodeURIComponent(search)}`)).json.items.map(
        (item: { name: string }) => item.name,
      );
    expect(await names('LM-SMALL')).toEqual(['lm-Small']);
    expect(await names('ched/vis')).toEqual(['vision']);
    expect(await names('lm_small')).toEqual(['lm_small']);
    expect(await names('searched%')).toEqual([]);
    const first = await call('GET', '/v1/repositories?search=searched/&limit=2');
    const second = await call('GET', `/v1/repositories?search=searched/&limit=2&after=${first.json.next}`);
    expect([first.json.items.length, second.json.items.length, second.json.next]).toEqual([2, 1, undefined]);
    expect((await call('GET', '/v1/repositories?search=')).json.code).toBe('invalid-request');
  });

  it('lists those of a namespace and of a visibility, in pages', async () => {
    for (const [name, visibility] of [
      ['a', 'private'],
      ['b', 'public'],
      ['c', 'public'],
    ])
      await call('POST', '/v1/repositories', { namespace: 'filtered', name, visibility });
    await call('POST', '/v1/repositories', { namespace: 'filtered-2', name: 'b', visibility: 'public' });
    const names = async (query: string) =>
      (await call('GET', `/v1/repositories?${query}`)).json.items.map(
        (item: { namespace: string; name: string }) => `${item.namespace}/${item.name}`,
      );
    expect(await names('namespace=filtered')).toEqual(['filtered/a', 'filtered/b', 'filtered/c']);
    expect(await names('namespace=filtered&visibility=private')).toEqual(['filtered/a']);
    expect(await names('search=filtered&visibility=public&limit=2')).toEqual(['filtered/b', 'filtered/c']);
    expect(await names('namespace=filtered&visibility=public&search=c&limit=2')).toEqual(['filtered/c']);
    expect(await names('namespace=none')).toEqual([]);
    for (const query of ['visibility=secret', 'namespace=a/b', 'namespace='])
      expect((await call('GET', `/v1/repositories?${query}`)).json.code, query).toBe('invalid-request');
  });

  it('names the fields that an empty change could have', async () => {
    await call('POST', '/v1/repositories', { namespace: 'acme', name: 'unchanged' });
    const answer = await call('PATCH', '/v1/repositories/acme/unchanged', {});
    expect([answer.status, answer.json.detail]).toEqual([
      400,
      'The request is not valid. The value: must name visibility or hub.',
    ]);
  });

  it('takes a query parameter once', async () => {
    const answer = await call('GET', '/v1/repositories?limit=1&limit=2');
    expect([answer.status, answer.json.detail]).toEqual([400, 'The query parameter "limit" may be given only once.']);
  });

  it.each(['100000', '0', '1001', 'ten', '-1', '1.5'])('tells the range of limit for %s', async (limit) => {
    const answer = await call('GET', `/v1/repositories?limit=${limit}`);
    expect([answer.status, answer.json.detail]).toEqual([
      400,
      'The request is not valid. limit: must be a whole number from 1 to 1000.',
    ]);
  });

  it('refuses a query parameter that it does not have, with the nearest', async () => {
    const answer = await call('GET', '/v1/repositories?limti=5');
    expect([answer.status, answer.json.code, answer.json.detail]).toEqual([
      400,
      'invalid-request',
      'This operation has no query parameter "limti". limit is one.',
    ]);
  });

  it.each([
    [{}],
    [{ namespace: 'a' }],
    [{ namespace: 'a', name: '../b' }],
    [{ namespace: 'a', name: 'b/c' }],
    [{ namespace: '', name: 'b' }],
    [{ namespace: 'a', name: 'b', type: 'x' }],
    [{ namespace: 'a', name: 'b', extra: 1 }],
    [{ namespace: 'a'.repeat(97), name: 'b' }],
    [[]],
    [{ namespace: 1, name: 2 }],
  ])('refuses %j', async (body) => {
    const answer = await call('POST', '/v1/repositories', body);
    expect(answer.status).toBe(400);
    expect(answer.json.code).toBe('invalid-request');
  });

  it('takes a slash at the end of a path, except to delete', async () => {
    const plain = await call('GET', '/v1/repositories/acme/lm');
    expect((await call('GET', '/v1/repositories/acme/lm/')).json).toEqual(plain.json);
    expect((await call('GET', '/v1/repositories/?limit=1')).json.items).toHaveLength(1);
    expect((await call('GET', '/v1/repositories/?limt=1')).json.detail).toContain('limit is one');
    expect((await call('POST', '/v1/repositories/', { namespace: 'slash', name: 'lm' })).status).toBe(201);
    for (const tail of ['/', '/runs/%2e%2e', '/runs/..'])
      expect((await call('DELETE', `/v1/repositories/acme/lm${tail}`)).status, tail).toBe(404);
    expect((await call('GET', '/v1/repositories/acme/lm')).status).toBe(200);
  });

  it('is deleted with its runs and eval sets, cancels what waits, and its name is free at once', async () => {
    const path = '/v1/repositories/acme/gone';
    await call('POST', '/v1/repositories', { namespace: 'acme', name: 'gone' });
    await call('POST', `${path}/runs`, { name: 'train' });
    await call('POST', `${path}/runs/train/checkpoints`, { step: 1 });
    const body = safetensors({ w: { shape: [8], values: ramp(8, 1) } });
    expect((await call('PUT', `${path}/runs/train/checkpoints/2`, body)).status).toBe(202);
    const spec = { inputs: { x: 'x' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] };
    expect((await call('POST', `${path}/eval-sets`, { name: 'set', spec })).status).toBe(201);
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
    expect((await call('GET', `${path}/runs/train`)).status).toBe(404);
    expect((await call('DELETE', path)).status).toBe(404);
    expect((await call('POST', '/v1/repositories', { namespace: 'acme', name: 'gone' })).status).toBe(201);
    expect((await call('GET', `${path}/runs`)).json.items).toEqual([]);
    expect((await call('GET', `${path}/usage`)).json.logicalBytes).toBe(0);
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'limit=-1'])('refuses a page with %s', async (query) => {
    expect((await call('GET', `/v1/repositories?${query}`)).status).toBe(400);
  });

  it.each([
    ['/v1/repositories/acme/none', 404],
    ['/v1/repositories/acme/a%2Fb', 400],
    ['/v1/repositories/acme/%2e%2e/lm', 404],
    ['/v1/repositories/acme/..%2F..', 400],
    ['/v1/repositories//lm', 404],
    ['/v1/repositories/acme/lm//', 404],
    ['/v1/repositories/acme/%00', 400],
  ])('finds nothing at %s', async (path, status) => {
    expect((await call('GET', path)).status).toBe(status);
  });
});
