import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeJobKind } from '../ingest/ingest-context.ts';
import { createApp } from './app.ts';
import { openTestGateway, type TestGateway } from './gateway.test-support.ts';
import { caller, type Call } from './http-client.test-support.ts';
import { ramp, safetensors } from './safetensors.test-support.ts';

let gateway: TestGateway;
let call: Call;
beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
});
afterAll(() => gateway.close());

const repository = '/v1/repositories/acme/tagged';
const spec = { inputs: { x: 'x' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] };
const weights = () => safetensors({ w: { shape: [32], values: ramp(32, 1) } });
const tagOf = async (path: string): Promise<string> => {
  const answer = await call('GET', path);
  expect(answer.status, path).toBe(200);
  return answer.headers.get('etag')!;
};
const stale = '"00000000000000000000000000000000"';

interface Case {
  readonly what: string;
  readonly path: string;
  readonly make: () => Promise<unknown>;
  /** Another change for each number. */
  readonly change?: (index: number) => { readonly method: string; readonly body: object };
  readonly gone?: { readonly method: 'DELETE'; readonly status: number };
}
const cases: readonly Case[] = [
  {
    what: 'a repository',
    path: repository,
    make: () => call('POST', '/v1/repositories', { namespace: 'acme', name: 'tagged' }),
    change: (index) => ({
      method: 'PATCH',
      body: { hub: { fidelity: 'exact', shows: index % 2 === 0 ? 'uploaded' : 'compressed' }, visibility: 'public' },
    }),
  },
  {
    what: 'a run',
    path: `${repository}/runs/train`,
    make: () => call('POST', `${repository}/runs`, { name: 'train' }),
    change: (index) => ({ method: 'PATCH', body: { final: index % 2 === 0 } }),
    gone: { method: 'DELETE', status: 204 },
  },
  {
    what: 'an eval set',
    path: `${repository}/eval-sets/held-out`,
    make: () => call('POST', `${repository}/eval-sets`, { name: 'held-out', spec }),
    gone: { method: 'DELETE', status: 204 },
  },
  {
    what: 'a reserved checkpoint',
    path: `${repository}/runs/other/checkpoints/1`,
    make: async () => {
      await call('POST', `${repository}/runs`, { name: 'other' });
      return call('POST', `${repository}/runs/other/checkpoints`, { step: 1 });
    },
    gone: { method: 'DELETE', status: 204 },
  },
  {
    what: 'a ready checkpoint',
    path: `${repository}/runs/ready/checkpoints/1`,
    make: async () => {
      await call('POST', `${repository}/runs`, { name: 'ready' });
      const pushed = await call('PUT', `${repository}/runs/ready/checkpoints/1`, weights());
      await gateway.encode();
      return pushed;
    },
    gone: { method: 'DELETE', status: 204 },
  },
  {
    what: 'a quota',
    path: '/v1/namespaces/acme/quota',
    make: () => call('PUT', '/v1/namespaces/acme/quota', { storedBytesMax: 10 ** 12 }),
    change: (index) => ({ method: 'PUT', body: { storedBytesMax: 10 ** 12 + 1 + index } }),
  },
];

describe.each(cases)('$what', ({ path, make, change, gone }) => {
  beforeAll(async () => {
    const made = (await make()) as { status: number };
    expect([200, 201, 202]).toContain(made.status);
  });

  it('has a strong ETag, which stays while nothing changes', async () => {
    const tag = await tagOf(path);
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(await tagOf(path)).toBe(tag);
  });

  it('answers 304 without a body to a client that has it, and 412 to one that wants another', async () => {
    const tag = await tagOf(path);
    for (const field of [tag, `W/${tag}`, `${stale}, ${tag}`, '*']) {
      const answer = await call('GET', path, undefined, { 'if-none-match': field });
      expect([answer.status, answer.bytes.length, answer.headers.get('etag')], field).toEqual([304, 0, tag]);
    }
    expect((await call('GET', path, undefined, { 'if-none-match': stale })).status).toBe(200);
    expect((await call('GET', path, undefined, { 'if-match': stale })).json.code).toBe('precondition-failed');
  });

  if (change !== undefined)
    it('is changed from what was read, by one of several at once', async () => {
      const { method, body } = change(0);
      for (const field of [stale, `W/${await tagOf(path)}`, 'nonsense', '"'.repeat(2000)]) {
        const refused = await call(method, path, body, { 'if-match': field });
        expect([refused.status, refused.json.code], field).toEqual([412, 'precondition-failed']);
      }
      for (let round = 0; round < 3; round++) {
        const tag = await tagOf(path);
        // A change that changes nothing would leave the tag, and let the next one through.
        const next = change(round);
        const answers = await Promise.all(
          Array.from({ length: 6 }, () => call(next.method, path, next.body, { 'if-match': tag })),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
        const winner = answers.find(({ status }) => status === 200)!;
        expect(winner.headers.get('etag')).toBe(await tagOf(path));
      }
      expect((await call(method, path, body, { 'if-match': '*' })).status).toBe(200);
    });

  if (gone !== undefined)
    it('is deleted only as it was read', async () => {
      expect((await call(gone.method, path, undefined, { 'if-match': stale })).status).toBe(412);
      const tag = await tagOf(path);
      expect((await call(gone.method, path, undefined, { 'if-match': tag })).status).toBe(gone.status);
      expect((await call(gone.method, path, undefined, { 'if-match': tag })).status).toBe(404);
    });
});

describe('a run', () => {
  it('has another ETag when a checkpoint came', async () => {
    await call('POST', `${repository}/runs`, { name: 'counted' });
    const path = `${repository}/runs/counted`;
    const before = await tagOf(path);
    await call('POST', `${path}/checkpoints`, { step: 1 });
    expect(await tagOf(path)).not.toBe(before);
    expect((await call('DELETE', path, undefined, { 'if-match': before })).status).toBe(412);
    expect((await call('GET', path)).json.checkpointCounts.open).toBe(1);
  });
});

describe('the verbs of a checkpoint', () => {
  const runPath = `${repository}/runs/verbs`;
  const at = (step: number) => `${runPath}/checkpoints/${step}`;
  /** Three clients send the verb for what they all read; one of them does it. */
  const once = async (step: number, verb: string, tag: string): Promise<number[]> => {
    const path = `${at(step)}/${verb}`;
    const refused = await call('POST', path, undefined, { 'if-match': stale });
    expect([refused.status, refused.json.code], path).toEqual([412, 'precondition-failed']);
    expect(await tagOf(at(step))).toBe(tag);
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', path, undefined, { 'if-match': tag })));
    return answers.map(({ status }) => status).sort();
  };
  beforeAll(() => call('POST', `${repository}/runs`, { name: 'verbs' }));

  it('commits only what was read', async () => {
    const bytes = weights();
    const files = [{ path: 'model.safetensors', sizeBytes: bytes.length }];
    expect((await call('POST', `${runPath}/checkpoints`, { step: 1, files })).status).toBe(201);
    expect((await call('PUT', `${at(1)}/files/model.safetensors`, bytes)).status).toBe(201);
    expect(await once(1, 'commit', await tagOf(at(1)))).toEqual([202, 412, 412]);
  });

  it('cancels only what was read, also while it waits', async () => {
    expect(await once(1, 'cancel', await tagOf(at(1)))).toEqual([200, 412, 412]);
    expect((await call('GET', at(1))).json.state).toBe('cancelled');
  });

  it('retries only what was read', async () => {
    await call('PUT', at(2), weights());
    const found = (await gateway.catalog.repositories.find('acme', 'tagged'))!;
    const run = (await gateway.catalog.runs.find(found.id, 'verbs'))!;
    const { id } = (await gateway.catalog.checkpoints.find(run.id, 2))!;
    await gateway.catalog.jobs.requestCancel(encodeJobKind, id);
    await gateway.catalog.checkpoints.transition(id, ['queued'], 'failed', {
      errorCode: 'internal',
      errorMessage: 'It failed.',
    });
    expect(await once(2, 'retry', await tagOf(at(2)))).toEqual([202, 412, 412]);
  });
});

describe('a quota', () => {
  it('is made only where there is none, if that is asked', async () => {
    const path = '/v1/namespaces/fresh/quota';
    expect((await call('GET', path)).json.code).toBe('not-found');
    expect((await call('PUT', path, { storedBytesMax: 5 }, { 'if-match': '*' })).status).toBe(412);
    const answers = await Promise.all(
      [1, 2, 3, 4].map((storedBytesMax) => call('PUT', path, { storedBytesMax }, { 'if-none-match': '*' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    const kept = answers.find(({ status }) => status === 200)!.json;
    expect((await call('GET', path)).json).toEqual(kept);
    expect((await call('PUT', path, { storedBytesMax: 1 }, { 'if-none-match': '"other"' })).status).toBe(400);
  });
});

describe('the parts of an eval set', () => {
  it('are replaced only in the eval set that was read', async () => {
    const path = `${repository}/eval-sets/parts`;
    await call('POST', `${repository}/eval-sets`, { name: 'parts', spec });
    const empty = await tagOf(path);
    const put = (text: string, tag: string) =>
      call('PUT', `${path}/graph`, Buffer.from(text), {
        'content-type': 'application/octet-stream',
        'if-match': tag,
      });
    const first = await put('graph', empty);
    expect([first.status, first.headers.get('etag')]).toEqual([200, await tagOf(path)]);
    expect((await put('another graph', empty)).status).toBe(412);
    expect(await tagOf(path)).toBe(first.headers.get('etag'));
  });
});

describe('a token', () => {
  it('is read and revoked as it was read', async () => {
    const made = await call('POST', '/v1/tokens', { name: 'ci', grants: ['read:acme'] });
    expect(made.status).toBe(201);
    const tokenId: string = made.json.id;
    const path = `/v1/tokens/${tokenId}`;
    const shown = await call('GET', path);
    expect([shown.json.name, 'token' in shown.json, 'secretSha256' in shown.json]).toEqual(['ci', false, false]);
    const tag = await tagOf(path);
    const answers = await Promise.all([1, 2, 3].map(() => call('DELETE', path, undefined, { 'if-match': tag })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    expect((await call('GET', '/v1/tokens/aaaaaaaaaaaa')).status).toBe(404);
  });
});

describe('a repository', () => {
  it('is changed as a whole or not at all', async () => {
    const before = (await call('GET', repository)).json;
    const body = { visibility: 'private', hub: { fidelity: 'lossy', evalSet: 'no-such-set' } };
    expect((await call('PATCH', repository, body)).status).toBe(404);
    expect((await call('GET', repository)).json).toEqual(before);
  });

  it('is deleted only as it was read', async () => {
    expect((await call('DELETE', repository, undefined, { 'if-match': stale })).status).toBe(412);
    expect((await call('GET', `${repository}/runs/ready`)).status).toBe(200);
    const tag = await tagOf(repository);
    expect((await call('DELETE', repository, undefined, { 'if-match': tag })).status).toBe(204);
  });
});
