import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenAccess } from '../../../access/access.ts';
import { createToken } from '../../../access/create-token.ts';
import { operator } from '../../../access/principal.ts';
import { parseGrant } from '../../../checkpoint/grant.ts';
import { webhookEvents } from '../../../checkpoint/webhook-events.ts';
import { isSecretText, newSecret } from '../../../webhooks/signature.ts';
import { createApp } from '../../app.ts';
import { openTestGateway, type TestGateway } from '../../gateway.test-support.ts';
import { caller, type Call } from '../../http-client.test-support.ts';
import { ramp, safetensors } from '../../safetensors.test-support.ts';
import { sentMessages } from './sent-messages.ts';

let gateway: TestGateway;
let call: Call;
const url = 'https://ci.example/firn';
const as = new Map<string, { authorization: string }>();
beforeAll(async () => {
  gateway = await openTestGateway({
    admittance: (catalog) => ({ access: tokenAccess({ catalog }), trustProxy: false }),
  });
  call = caller(createApp(gateway));
  for (const grant of ['admin', 'admin:acme', 'admin:acme/lm', 'write:acme', 'admin:other']) {
    const made = await createToken(gateway.catalog, operator, { name: grant, grants: [parseGrant(grant)] });
    as.set(grant, { authorization: `Bearer ${made.text}` });
  }
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm', visibility: 'public' }, as.get('admin'));
});
afterAll(() => gateway.close());

const create = (body: object, grant = 'admin') =>
  call('POST', '/v1/webhooks', { namespace: 'acme', url, ...body }, as.get(grant));

interface DescribedMessage {
  readonly post: {
    readonly parameters: readonly { readonly name: string }[];
    readonly requestBody: { readonly content: Readonly<Record<string, { readonly example: object }>> };
  };
}

describe('webhooks', () => {
  it('are made with a secret that is told once, read, changed and deleted', async () => {
    const made = await create({});
    expect(made.status).toBe(201);
    const { secret, ...shown } = made.json;
    expect(isSecretText(secret)).toBe(true);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const path = `/v1/webhooks/${shown.id}`;
    expect(made.headers.get('location')).toBe(path);
    const read = await call('GET', path, undefined, as.get('admin:acme'));
    expect(read.json).toEqual(shown);
    expect(shown).toMatchObject({
      namespace: 'acme',
      url,
      events: ['checkpoint.ready', 'checkpoint.failed', 'checkpoint.damaged'],
      active: true,
    });
    const etag = read.headers.get('etag')!;
    const change = (body: object, match: string) =>
      call('PATCH', path, body, { ...as.get('admin:acme'), 'if-match': match });
    const changed = await change({ active: false, events: ['checkpoint.ready'] }, etag);
    expect(changed.json).toEqual({ ...shown, active: false, events: ['checkpoint.ready'] });
    expect((await change({ active: true }, etag)).status).toBe(412);
    expect((await change({ secret: newSecret() }, '*')).json).toEqual(changed.json);
    expect((await call('DELETE', path, undefined, { ...as.get('admin'), 'if-match': etag })).status).toBe(412);
    expect((await call('DELETE', path, undefined, as.get('admin'))).status).toBe(204);
    expect((await call('GET', path, undefined, as.get('admin'))).status).toBe(404);
  });

  it('are for who holds admin on the place, and nobody else learns of them', async () => {
    const whole = (await create({}, 'admin:acme')).json.id;
    const single = (await create({ repository: 'lm' }, 'admin:acme/lm')).json.id;
    expect((await create({}, 'admin:acme/lm')).json.code).toBe('forbidden');
    expect((await create({ repository: 'lm' }, 'write:acme')).json.code).toBe('forbidden');
    expect((await create({}, 'admin:other')).json.code).toBe('forbidden');
    expect((await create({ repository: 'none' })).json.code).toBe('not-found');
    expect((await call('POST', '/v1/webhooks', { namespace: 'acme', url })).status).toBe(401);
    const listed = async (grant: string) =>
      (await call('GET', '/v1/webhooks', undefined, as.get(grant))).json.items
        .map(({ id }: { id: string }) => id)
        .sort();
    expect(await listed('admin')).toEqual([whole, single].sort());
    expect(await listed('admin:acme')).toEqual([whole, single].sort());
    expect(await listed('admin:acme/lm')).toEqual([single]);
    expect(await listed('admin:other')).toEqual([]);
    expect(await listed('write:acme')).toEqual([]);
    const requests = [
      ['GET', ''],
      ['PATCH', '', { active: false }],
      ['DELETE', ''],
      ['GET', '/messages'],
      ['POST', '/messages'],
      ['POST', '/messages/1/resend'],
    ] as const;
    for (const [method, rest, body] of requests) {
      const path = `/v1/webhooks/${whole}${rest}`;
      expect((await call(method, path, body)).status).toBe(401);
      for (const grant of ['admin:other', 'write:acme', 'admin:acme/lm'])
        expect((await call(method, path, body, as.get(grant))).json.code).toBe('not-found');
    }
    for (const id of [whole, single]) await call('DELETE', `/v1/webhooks/${id}`, undefined, as.get('admin'));
  });

  it.each([
    [{ url: 'http://ci.example/' }, 'must begin with https://'],
    [{ url: 'https://127.0.0.1/' }, 'must not lead to a private network'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 'must not lead to a private network'],
    [{ url: 'https://0x7f000001/' }, 'must not lead to a private network'],
    [{ url: 'https://localhost/' }, 'must not lead to a private network'],
    [{ url: 'https://me:word@ci.example/' }, 'without a user'],
    [{ url: 'https://ci.example/#there' }, 'fragment'],
    [{ url: 'ftp://ci.example/' }, 'must be an https URL'],
    [{ url: 'ci.example' }, 'must be an https URL'],
    [{ url: `https://ci.example/${'x'.repeat(2000)}` }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: ['checkpoint.ready', 'checkpoint.ready'] }, 'twice'],
    [{ events: ['checkpoint.moved'] }, 'events'],
    [{ secret: 'whsec_c2hvcnQ=' }, '24 to 64 bytes'],
    [{ also: 1 }, 'also'],
  ])('are refused with %j', async (body, words) => {
    const refused = await create(body);
    expect([refused.status, refused.json.code]).toEqual([400, 'invalid-request']);
    expect(refused.json.detail).toContain(words);
  });

  it('may lead to this machine where the operator allows it', async () => {
    const open = caller(createApp({ ...gateway, metrics: new Registry(), webhooksToPrivate: true }));
    const made = await open(
      'POST',
      '/v1/webhooks',
      { namespace: 'acme', url: 'http://127.0.0.1:9000/' },
      as.get('admin'),
    );
    expect(made.status).toBe(201);
    // The change of another thing does not need to be allowed again; a new URL does.
    const path = `/v1/webhooks/${made.json.id}`;
    expect((await call('PATCH', path, { active: false }, as.get('admin'))).status).toBe(200);
    expect((await call('PATCH', path, { url: 'http://127.0.0.1:9001/' }, as.get('admin'))).status).toBe(400);
    await call('DELETE', path, undefined, as.get('admin'));
  });

  it('are sent what the document says', async () => {
    const document = (await call('GET', '/openapi.json')).json;
    expect(Object.keys(document.webhooks)).toEqual([...webhookEvents, 'ping']);
    for (const [type, { post }] of Object.entries<DescribedMessage>(document.webhooks)) {
      const { example } = post.requestBody.content['application/json']!;
      expect(sentMessages[type as 'ping'].schema.parse(example), type).toEqual(example);
      expect(post.parameters.map(({ name }) => name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    }
    const { id } = (await create({ repository: 'lm' })).json;
    const path = '/v1/repositories/acme/lm/runs';
    await call('POST', path, { name: 'train' }, as.get('admin'));
    const weights = safetensors({ w: { shape: [32], values: ramp(32, 1) } });
    expect((await call('PUT', `${path}/train/checkpoints/1`, weights, as.get('admin'))).status).toBe(202);
    await gateway.encode();
    await call('POST', `/v1/webhooks/${id}/messages`, undefined, as.get('admin'));
    const { items } = (await call('GET', `/v1/webhooks/${id}/messages`, undefined, as.get('admin'))).json;
    expect(items.map(({ event }: { event: string }) => event)).toEqual(['ping', 'checkpoint.ready']);
    for (const { event, body } of items as { event: 'ping'; body: string }[])
      expect(sentMessages[event].schema.parse(JSON.parse(body))).toEqual(JSON.parse(body));
    await call('DELETE', `/v1/webhooks/${id}`, undefined, as.get('admin'));
  });

  it('show what was sent, page by page, and send it again', async () => {
    const { id } = (await create({})).json;
    const path = `/v1/webhooks/${id}/messages`;
    const sent = [];
    for (let count = 0; count < 3; count++) sent.push((await call('POST', path, undefined, as.get('admin'))).json);
    expect(sent[0]).toMatchObject({ event: 'ping', state: 'pending', attempts: 0, nextAt: expect.any(String) });
    const first = await call('GET', `${path}?limit=2`, undefined, as.get('admin'));
    expect(first.json.items).toEqual([sent[2], sent[1]]);
    const rest = await call('GET', `${path}?limit=2&after=${first.json.next}`, undefined, as.get('admin'));
    expect(rest.json).toEqual({ items: [sent[0]] });
    const [taken] = (await gateway.catalog.deliveries.takeDue({ limit: 1, perWebhook: 1, leaseMs: 1000 })).filter(
      ({ webhookId }) => webhookId === id,
    );
    await gateway.catalog.deliveries.end(taken!, { as: 'failed', status: 404, error: 'The receiver answered 404.' });
    const failed = await call('GET', path, undefined, as.get('admin'));
    expect(failed.json.items.at(-1)).toMatchObject({
      id: taken!.id,
      state: 'failed',
      attempts: 1,
      status: 404,
      error: 'The receiver answered 404.',
    });
    const again = await call('POST', `${path}/${taken!.id}/resend`, undefined, as.get('admin'));
    expect([again.status, again.json.state, again.json.attempts]).toEqual([202, 'pending', 0]);
    expect((await call('POST', `${path}/999999/resend`, undefined, as.get('admin'))).json.code).toBe('not-found');
    expect((await call('POST', `${path}/x/resend`, undefined, as.get('admin'))).json.code).toBe('invalid-request');
  });
});
