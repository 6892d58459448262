import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pendingDeletionKeys } from '../../../catalog/records/pending-deletion-keys.test-support.ts';
import { createApp } from '../../app.ts';
import { openTestGateway, type TestGateway } from '../../gateway.test-support.ts';
import { caller, type Call } from '../../http-client.test-support.ts';
import { ramp, safetensors } from '../../safetensors.test-support.ts';

let gateway: TestGateway;
let call: Call;
const runs = '/v1/repositories/acme/lm/runs';
const model = (seed: number): Buffer =>
  safetensors({
    'a.weight': { shape: [64, 64], values: ramp(4096, seed) },
    'a.bias': { shape: [64], values: ramp(64, seed) },
  });

/** Every test has a run of its own. */
let runCount = 0;
async function newRun(): Promise<string> {
  const name = `run-${runCount++}`;
  await call('POST', runs, { name });
  return `${runs}/${name}/checkpoints`;
}

beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
});
afterAll(() => gateway.close());

describe('checkpoints in one request', () => {
  it('answers 202 when durable, 200 for the same bytes, 409 naming the fork call for others', async () => {
    const checkpoints = await newRun();
    const pushed = await call('PUT', `${checkpoints}/100`, model(1));
    expect(pushed.status).toBe(202);
    expect(pushed.headers.get('location')).toBe(`${checkpoints}/100`);
    expect(pushed.json).toMatchObject({
      step: 100,
      sequence: 0,
      state: 'queued',
      revision: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    const again = await call('PUT', `${checkpoints}/100`, model(1));
    expect([again.status, again.json.revision]).toEqual([200, pushed.json.revision]);
    const other = await call('PUT', `${checkpoints}/100`, model(2));
    expect([other.status, other.json.code]).toEqual([409, 'step-exists']);
    expect(other.json.detail).toContain('POST /v1/repositories/acme/lm/runs');
    expect(other.json.detail).toContain('forkFrom');
  });

  it('leaves nothing behind when it is refused', async () => {
    const checkpoints = await newRun();
    const refused = await call('PUT', `${checkpoints}/1`, Buffer.from('\x80\x02}q\x00. this is a pickle', 'latin1'));
    expect(refused.status).toBe(422);
    expect((await call('GET', `${checkpoints}/1`)).status).toBe(404);
    expect((await call('PUT', `${checkpoints}/1`, Buffer.alloc(0))).json.code).toBe('empty-body');
    expect((await call('GET', checkpoints)).json.items).toEqual([]);
  });
});

describe('a checkpoint that waits', () => {
  interface Shown {
    readonly step: number;
    readonly waitsFor?: { readonly step?: number };
    readonly expiresAt?: string;
  }

  it('says for what: an open reservation with its end, then a worker, then nothing', async () => {
    const checkpoints = await newRun();
    const waitsFor = async (step: number) => (await call('GET', `${checkpoints}/${step}`)).json.waitsFor;
    await call('POST', checkpoints, { step: 10 });
    await call('PUT', `${checkpoints}/20`, model(1));
    await call('PUT', `${checkpoints}/30`, model(2));
    const first = await waitsFor(20);
    expect(first).toMatchObject({ step: 10, state: 'open' });
    expect(first.inWords).toMatch(
      /^waits for step 10, reserved \d seconds? ago, expires in \d+ \w+ unless files arrive$/,
    );
    expect(Date.parse(first.expiresAt)).toBeGreaterThan(Date.parse(first.reservedAt));
    expect(await waitsFor(30)).toMatchObject({ step: 10 });
    expect(await waitsFor(10)).toBeUndefined();
    const list = (await call('GET', checkpoints)).json.items as Shown[];
    expect(list.map(({ step, waitsFor, expiresAt }) => [step, waitsFor?.step, expiresAt])).toEqual([
      [10, undefined, first.expiresAt],
      [20, 10, undefined],
      [30, 10, undefined],
    ]);
    const open = await call('GET', `${checkpoints}/10`);
    expect(open.json.expiresAt).toBe(first.expiresAt);
    const none = { open: 0, queued: 0, working: 0, ready: 0, failed: 0, cancelled: 0 };
    const run = checkpoints.replace(/\/checkpoints$/, '');
    expect((await call('GET', run)).json.checkpointCounts).toEqual({ ...none, open: 1, queued: 2 });
    const listed = (await call('GET', runs)).json.items.find(({ name }: { name: string }) => run.endsWith(`/${name}`));
    expect(listed.checkpointCounts).toEqual({ ...none, open: 1, queued: 2 });
    await call('POST', `${checkpoints}/10/cancel`);
    expect(await waitsFor(20)).toEqual({ inWords: 'waits for a worker' });
    expect(await waitsFor(30)).toMatchObject({ step: 20, state: 'queued' });
    await gateway.encode();
    expect(await waitsFor(30)).toBeUndefined();
    expect((await call('GET', `${checkpoints}/30`)).json.result).not.toHaveProperty('fullBytes');
  });
});

describe('a reservation', () => {
  it('is deleted by who has seen its newest state', async () => {
    const checkpoints = await newRun();
    await call('POST', checkpoints, { step: 10 });
    const etag = (await call('GET', `${checkpoints}/10`)).headers.get('etag')!;
    expect((await call('DELETE', `${checkpoints}/10`, undefined, { 'if-match': etag })).status).toBe(204);
  });
});

describe('layer types', () => {
  const fixedConfig = { bins: 4, embeddingBins: 4, pruneFraction: 0, protectFraction: 0 };
  const weights = {
    'a.weight': { shape: [64, 64], values: ramp(4096, 1) },
    'b.weight': { shape: [64, 64], values: ramp(4096, 2) },
  };
  const file = safetensors(weights);
  /** Names of the tensors that are returned exactly as sent. */
  const exactOf = async (checkpoint: string): Promise<string[]> => {
    await gateway.encode();
    const exact: string[] = [];
    for (const [name, { values }] of Object.entries(weights)) {
      const { status, bytes } = await call('GET', `${checkpoint}/tensors/${name}`);
      expect(status).toBe(200);
      if (bytes.equals(Buffer.from(Float32Array.from(values).buffer))) exact.push(name);
    }
    return exact;
  };
  let checkpoints: string;
  beforeAll(async () => {
    await call('POST', runs, { name: 'typed', search: { fixedConfig }, layerTypes: { 'a.weight': 'buffer' } });
    checkpoints = `${runs}/typed/checkpoints`;
  });

  it('of the run hold where the checkpoint says nothing', async () => {
    expect((await call('PUT', `${checkpoints}/1`, file)).json.layerTypes).toBeUndefined();
    expect(await exactOf(`${checkpoints}/1`)).toEqual(['a.weight']);
  });

  it('of a reservation win over those of the run, tensor by tensor', async () => {
    const layerTypes = { 'b.weight': 'norm' };
    expect((await call('POST', checkpoints, { step: 2, layerTypes })).json).toMatchObject({ layerTypes });
    expect((await call('POST', checkpoints, { step: 2, layerTypes: {} })).json.code).toBe('step-exists');
    await call('PUT', `${checkpoints}/2/files/model.safetensors`, file);
    await call('POST', `${checkpoints}/2/commit`);
    expect(await exactOf(`${checkpoints}/2`)).toEqual(['a.weight', 'b.weight']);
    expect((await call('GET', `${checkpoints}/2`)).json.layerTypes).toEqual(layerTypes);
  });

  it('come with a push in its query', async () => {
    const query = `layerTypes=${encodeURIComponent('{"a.weight":"linear","b.weight":"norm"}')}`;
    expect((await call('PUT', `${checkpoints}/3?${query}`, file)).status).toBe(202);
    expect(await exactOf(`${checkpoints}/3`)).toEqual(['b.weight']);
    expect((await call('PUT', `${checkpoints}/3?${query}`, file)).status).toBe(200);
    expect((await call('PUT', `${checkpoints}/3?layerTypes={}`, file)).json.code).toBe('step-exists');
  });

  it.each(['{', '[]', '"norm"', '{"w":"softmax"}', '{"w":1}', ''])('are refused in a query as %s', async (text) => {
    const refused = await call('PUT', `${checkpoints}/4?layerTypes=${encodeURIComponent(text)}`, file);
    expect([refused.status, refused.json.code]).toEqual([400, 'invalid-request']);
  });
});

describe('reserved checkpoints', () => {
  it('takes files in any order and closes with a commit', async () => {
    const checkpoints = await newRun();
    const files = [{ path: 'model.safetensors' }, { path: 'config.json' }];
    const reserved = await call('POST', checkpoints, { step: 5, files });
    expect(reserved.status).toBe(201);
    expect(reserved.headers.get('location')).toBe(`${checkpoints}/5`);
    expect(reserved.json).toMatchObject({ state: 'open', step: 5 });
    await call('PUT', `${checkpoints}/5/files/config.json`, Buffer.from('{}'));
    expect((await call('POST', `${checkpoints}/5/commit`)).json.code).toBe('upload-incomplete');
    await call('PUT', `${checkpoints}/5/files/model.safetensors`, model(1));
    const committed = await call('POST', `${checkpoints}/5/commit`);
    expect([committed.status, committed.json.state]).toEqual([202, 'queued']);
    expect(committed.headers.get('location')).toBe(`${checkpoints}/5`);
    expect((await call('POST', `${checkpoints}/5/commit`)).status).toBe(200);
  });

  it('tells everything about a checkpoint once it is ready', async () => {
    const checkpoints = await newRun();
    await call('PUT', `${checkpoints}/1`, model(1));
    await call('PUT', `${checkpoints}/2`, model(2));
    await gateway.encode();
    const base = (await call('GET', `${checkpoints}/1`)).json;
    const delta = (await call('GET', `${checkpoints}/2`)).json;
    expect(base).toMatchObject({
      state: 'ready',
      result: { fidelity: 'exact', kind: 'base', chainLength: 1, rawBytes: model(1).length },
      package: { kind: 'base' },
    });
    expect(base.result.storedBytes).toBeGreaterThan(0);
    expect(base.files).toMatchObject([
      { path: 'model.safetensors', role: 'model', received: true, rebuilt: { sizeBytes: model(1).length } },
    ]);
    expect(base.links).toEqual({ trials: `${checkpoints}/1/trials`, events: `${checkpoints}/1/events` });
    expect((await call('GET', base.files[0].rebuilt.href)).bytes).toEqual(model(1));
    expect((await call('GET', `${checkpoints}/1/trials`)).json).toEqual({ items: [] });
    expect((await call('GET', checkpoints)).json.items.map((item: { step: number }) => item.step)).toEqual([1, 2]);
    expect((await call('GET', `${checkpoints}?after=0`)).json.items.map((item: { step: number }) => item.step)).toEqual(
      [2],
    );
    if (delta.package.kind === 'delta') expect(delta.package.ancestorHref).toBe(base.package.href);
  });

  it('says that it is damaged as long as an object it needs is in quarantine, and of which files', async () => {
    const checkpoints = await newRun();
    await call('PUT', `${checkpoints}/1`, model(977));
    await gateway.encode();
    const { json: whole } = await call('GET', `${checkpoints}/1`);
    expect(whole).not.toHaveProperty('damaged');
    const { key } = (await gateway.catalog.packages.get(whole.package.id))!;
    await gateway.catalog.damage.note({ key, what: 'corrupt', detail: 'chunk 0' });
    expect((await call('GET', `${checkpoints}/1`)).json).toEqual({
      ...whole,
      damaged: true,
      damagedFiles: ['model.safetensors'],
    });
    await gateway.catalog.damage.clear(key);
    expect((await call('GET', `${checkpoints}/1`)).json).toEqual(whole);
  });

  it.each([
    { step: -1 },
    { step: 1.5 },
    { step: '1' },
    {},
    { step: 1, files: [{ path: '../x' }] },
    { step: 1, files: [{ path: '/x' }] },
    { step: 1, files: [{ path: 'x', sha256: 'abc' }] },
    { step: 1, files: [{ path: 'x', role: 'weights' }] },
    { step: 1, files: [{ path: 'x' }, { path: 'x' }] },
    { step: 1, config: { bins: 1 } },
    { step: 1, extra: true },
    { step: 1, layerTypes: { w: 'softmax' } },
    { step: 1, files: [{ path: 'a' }, { path: 'a/b' }] },
    { step: 1, config: { bins: 256, embeddingBins: 16, pruneFraction: 0.5, protectFraction: 0.005 } },
  ])('refuses the reservation %j', async (body) => {
    expect((await call('POST', `${runs}/run-0/checkpoints`, body)).status).toBe(400);
  });

  it.each(['x', '-1', '1.5', '1e3', '%2F', '01', '00', '9999999999999999'])('knows no step %s', async (step) => {
    expect((await call('GET', `${runs}/run-0/checkpoints/${step}`)).status).toBe(400);
  });
});

describe('cancel', () => {
  it('stops work that has not begun, also when repeated, but no ready checkpoint', async () => {
    const checkpoints = await newRun();
    await call('PUT', `${checkpoints}/1`, model(1));
    await call('PUT', `${checkpoints}/2`, model(2));
    const cancelled = await call('POST', `${checkpoints}/2/cancel`);
    expect([cancelled.status, cancelled.json.state]).toEqual([200, 'cancelled']);
    expect((await call('POST', `${checkpoints}/2/cancel`)).status).toBe(200);
    await gateway.encode();
    expect((await call('POST', `${checkpoints}/1/cancel`)).json.code).toBe('conflict');
    expect((await call('GET', `${checkpoints}/2/files/model.safetensors?as=uploaded`)).bytes).toEqual(model(2));
    expect((await call('GET', `${checkpoints}/2/files/model.safetensors`)).json.code).toBe('cancelled');
  });

  it('tells the worker of one that is under way', async () => {
    const checkpoints = await newRun();
    await call('PUT', `${checkpoints}/1`, model(1));
    const [job] = await gateway.catalog.jobs.claim({ kinds: ['encode'], workerId: 'w', leaseMs: 60_000, limit: 1 });
    const cancelled = await call('POST', `${checkpoints}/1/cancel`);
    expect([cancelled.status, cancelled.json.cancelRequested]).toEqual([202, true]);
    expect(await gateway.catalog.jobs.heartbeat({ jobId: job!.id, workerId: 'w', fence: job!.fence }, 1000)).toEqual({
      cancelRequested: true,
    });
    await gateway.catalog.jobs.cancelled({ jobId: job!.id, workerId: 'w', fence: job!.fence });
  });

  it('lets later checkpoints of the run go on', async () => {
    const checkpoints = await newRun();
    await call('POST', checkpoints, { step: 1 });
    await call('PUT', `${checkpoints}/2`, model(2));
    expect((await call('POST', `${checkpoints}/1/cancel`)).json.state).toBe('cancelled');
    await gateway.encode();
    expect((await call('GET', `${checkpoints}/2`)).json.state).toBe('ready');
  });
});

describe('delete', () => {
  const objects = async (): Promise<string[]> => {
    const pending = await pendingDeletionKeys(gateway.catalog);
    const keys: string[] = [];
    for await (const { key } of gateway.store.list('')) if (!pending.has(key)) keys.push(key);
    return keys;
  };

  it('gives up a reservation with its bytes, and the step is free again', async () => {
    const before = await objects();
    const checkpoints = await newRun();
    await call('POST', checkpoints, { step: 1 });
    await call('PUT', `${checkpoints}/1/files/model.safetensors`, model(1));
    expect((await call('DELETE', `${checkpoints}/1`)).status).toBe(204);
    expect((await call('GET', `${checkpoints}/1`)).status).toBe(404);
    expect(await objects()).toEqual(before);
    expect((await call('PUT', `${checkpoints}/1`, model(2))).status).toBe(202);
    expect((await call('DELETE', `${checkpoints}/1`)).json).toMatchObject({
      code: 'conflict',
      detail: 'The checkpoint is queued or being compressed; cancel it first.',
    });
    await gateway.encode();
  });

  it('removes what nothing builds on', async () => {
    const before = await objects();
    const checkpoints = await newRun();
    await call('PUT', `${checkpoints}/1`, model(1));
    await gateway.encode();
    expect((await call('DELETE', `${checkpoints}/1`)).status).toBe(204);
    expect((await objects()).sort()).toEqual(before.sort());
  });

  it('hides what a run was forked from: its package stays, its upload goes, and all of it with the fork', async () => {
    const before = await objects();
    const name = `run-${runCount++}`;
    await call('POST', runs, {
      name,
      search: { fixedConfig: { bins: 16, embeddingBins: 16, pruneFraction: 0, protectFraction: 0 } },
    });
    const checkpoint = `${runs}/${name}/checkpoints/1`;
    await call('PUT', checkpoint, model(1));
    await gateway.encode();
    const fork = `fork-of-${name}`;
    await call('POST', runs, { name: fork, forkFrom: { run: name, step: 1 } });
    const added = async () =>
      (await objects())
        .filter((key) => !before.includes(key))
        .map((key) => key.split('/')[0])
        .sort();
    expect(await added()).toEqual(['packages', 'staged']);
    expect((await call('DELETE', checkpoint)).status).toBe(204);
    expect((await call('GET', checkpoint)).status).toBe(404);
    expect(await added()).toEqual(['packages']);
    expect((await call('DELETE', `${runs}/${fork}`)).status).toBe(204);
    expect(await added()).toEqual([]);
  });

  it('still rebuilds a delta whose base is hidden, and takes the base along when the delta goes', async () => {
    const before = await objects();
    const checkpoints = await newRun();
    // Equal weights make the delta smaller than any base; no other run of the repository has these weights.
    await call('PUT', `${checkpoints}/1`, model(77));
    await call('PUT', `${checkpoints}/2`, model(77));
    await gateway.encode();
    expect((await call('GET', `${checkpoints}/2`)).json.package.kind).toBe('delta');
    expect((await call('DELETE', `${checkpoints}/1`)).status).toBe(204);
    expect((await call('GET', `${checkpoints}/2/files/model.safetensors`)).bytes).toEqual(model(77));
    expect((await call('DELETE', `${checkpoints}/2`)).status).toBe(204);
    expect((await objects()).sort()).toEqual(before.sort());
  });
});
