import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../app.ts';
import { formatDigest } from '../../answer/digest-fields.ts';
import { openTestGateway, type TestGateway } from '../../gateway.test-support.ts';
import { caller, type Call } from '../../http-client.test-support.ts';
import { ramp, safetensors } from '../../safetensors.test-support.ts';

let gateway: TestGateway;
let call: Call;
const runs = '/v1/repositories/acme/lm/runs';
const checkpoints = `${runs}/first/checkpoints`;
const weights = ramp(4096, 1);
const model = safetensors({
  'layer/0.weight': { shape: [64, 64], values: weights },
  bias: { shape: [], values: [0.5] },
});
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const file = `${checkpoints}/1/files/model.safetensors`;
const etag = `"${sha256(model)}"`;

beforeAll(async () => {
  gateway = await openTestGateway({ limits: { fileBytesMax: 1_000_000 } });
  call = caller(createApp(gateway));
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
  await call('POST', runs, { name: 'first' });
  await call('POST', checkpoints, { step: 1 });
  await call('PUT', file, model);
  await call('PUT', `${checkpoints}/1/files/sub/dir/config.json`, Buffer.from('{"a":1}'));
  await call('POST', `${checkpoints}/1/commit`);
  await gateway.encode();
});
afterAll(() => gateway.close());

describe('uploads', () => {
  const upload = (path: string, body: Buffer, headers: Record<string, string> = {}) =>
    call('PUT', `${checkpoints}/9/files/${path}`, body, headers);
  beforeAll(() =>
    call('POST', checkpoints, {
      step: 9,
      files: [
        { path: 'announced.bin', sizeBytes: 3, sha256: sha256(Buffer.from('abc')) },
        { path: 'sub.bin' },
        { path: 'folder/x' },
      ],
    }),
  );

  it('answers 201, and 200 for the same bytes', async () => {
    const created = await upload('a.bin', Buffer.from('hello'));
    expect(created.status).toBe(201);
    expect(created.json).toEqual({
      path: 'a.bin',
      role: 'other',
      sizeBytes: 5,
      sha256: sha256(Buffer.from('hello')),
      href: `${checkpoints}/9/files/a.bin`,
    });
    expect(created.headers.get('location')).toBe(`${checkpoints}/9/files/a.bin`);
    expect((await upload('a.bin', Buffer.from('hello'))).status).toBe(200);
    expect((await upload('a.bin', Buffer.from('other'))).status).toBe(201);
  });

  it('takes an empty file, and gives it back', async () => {
    const created = await upload('pkg/__init__.py', Buffer.alloc(0));
    expect([created.status, created.json]).toEqual([
      201,
      expect.objectContaining({ role: 'other', sizeBytes: 0, sha256: sha256(Buffer.alloc(0)) }),
    ]);
    expect((await upload('pkg/__init__.py', Buffer.alloc(0))).status).toBe(200);
    const back = await call('GET', `${checkpoints}/9/files/pkg/__init__.py?as=uploaded`);
    expect([back.status, back.headers.get('content-length'), back.bytes.length]).toEqual([200, '0', 0]);
  });

  it.each([
    ['model.safetensors', '', 'model'],
    ['model.grad.safetensors', '', 'sensitivity'],
    ['optimizer.pt', '', 'optimizer'],
    ['x.safetensors', '?role=other', 'other'],
  ])('takes %s%s for %s', async (path, query, role) => {
    expect((await upload(`${path}${query}`, model)).json.role).toBe(role);
  });

  it.each(['repr-digest', 'content-digest'])('checks %s', async (name) => {
    expect(
      (await upload(`${name}.bin`, Buffer.from('x'), { [name]: formatDigest(sha256(Buffer.from('x'))) })).status,
    ).toBe(201);
    expect((await upload('e.bin', Buffer.from('x'), { [name]: formatDigest('0'.repeat(64)) })).json.code).toBe(
      'digest-mismatch',
    );
    expect((await upload('e.bin', Buffer.from('x'), { [name]: 'sha-256=:AAAA:' })).json.code).toBe('invalid-request');
    const sha512 = (text: string) => ({ [name]: `sha-512=:${createHash('sha512').update(text).digest('base64')}:` });
    expect((await upload(`${name}.bin`, Buffer.from('x'), sha512('x'))).status).toBe(200);
    expect((await upload('e.bin', Buffer.from('x'), sha512('y'))).json).toMatchObject({
      code: 'digest-mismatch',
      detail: expect.stringContaining('sha512'),
    });
    expect(
      (await upload('e.bin', Buffer.from('x'), { [name]: formatDigest(sha256(Buffer.from('x'))).toUpperCase() })).json
        .code,
    ).toBe('invalid-request');
    expect((await call('GET', `${checkpoints}/9/files/e.bin?as=uploaded`)).status).toBe(404);
  });

  it.each([
    ['announced.bin', Buffer.from('ab'), {}, 400, 'length-mismatch'],
    ['announced.bin', Buffer.from('abd'), {}, 400, 'digest-mismatch'],
    ['model.safetensors', Buffer.alloc(0), {}, 400, 'empty-body'],
    ['large.bin', Buffer.alloc(1_000_001), {}, 413, 'payload-too-large'],
    ['z.bin', Buffer.from('x'), { 'content-encoding': 'gzip' }, 415, 'unsupported-media-type'],
    ['z.bin', Buffer.from('x'), { 'content-type': 'multipart/form-data; boundary=x' }, 415, 'unsupported-media-type'],
    ['z.bin', Buffer.from('x'), { 'content-range': 'bytes 0-0/2' }, 400, 'invalid-request'],
    ['sub.bin/z', Buffer.from('x'), {}, 400, 'invalid-request'],
    ['folder', Buffer.from('x'), {}, 400, 'invalid-request'],
    ['z.bin?role=weights', Buffer.from('x'), {}, 400, 'invalid-request'],
    ['bad.safetensors', Buffer.from('12345678{"a":}  '), {}, 422, 'header-too-large'],
  ])('refuses %s as %s', async (path, body, headers, status, code) => {
    const answer = await upload(path, body, headers);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it.each([
    '..%2F..%2Fetc%2Fpasswd',
    'a%2F..%2Fb',
    '%2Fetc%2Fpasswd',
    'a%2F%2Fb',
    'a//b',
    '/x',
    'a%5Cb',
    'a%00b',
    '.%2Fa',
    '%ff',
    'a%2',
    'dir/%ed%a0%80',
    `${'é'.repeat(127)}ab/x`,
    Array.from({ length: 9 }, () => '路'.repeat(80)).join('/'),
  ])('refuses the path %s', async (path) => {
    const answer = await upload(path, Buffer.from('x'));
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid-request']);
  });

  it('takes the longest name that a file system does', async () => {
    const path = `${'x'.repeat(255)}/${'é'.repeat(127)}a`;
    expect((await upload(path, Buffer.from('x'))).json.path).toBe(path);
    expect((await upload('%25ff', Buffer.from('x'))).json.path).toBe('%ff');
  });

  it('takes a slash in a path as it is or encoded', async () => {
    await upload('deep/er/a.bin', Buffer.from('1'));
    expect((await call('GET', `${checkpoints}/9/files/deep%2Fer%2Fa.bin?as=uploaded`)).bytes.toString()).toBe('1');
  });

  it('refuses a file for a committed checkpoint', async () => {
    expect((await call('PUT', `${checkpoints}/1/files/late.bin`, Buffer.from('x'))).json.code).toBe('step-exists');
  });
});

describe('downloads of a ready checkpoint', () => {
  it('returns the file with size, ETag and digest, and the same for HEAD without a byte', async () => {
    const got = await call('GET', file);
    expect(got.status).toBe(200);
    expect(got.bytes).toEqual(model);
    const expected = {
      etag,
      'accept-ranges': 'bytes',
      'content-length': String(model.length),
      'repr-digest': formatDigest(sha256(model)),
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="model.safetensors"; filename*=UTF-8''model.safetensors`,
    };
    const head = await call('HEAD', file);
    expect(head.status).toBe(200);
    expect(head.bytes.length).toBe(0);
    for (const [name, value] of Object.entries(expected))
      expect([got.headers.get(name), head.headers.get(name)]).toEqual([value, value]);
  });

  it('serves HEAD from the catalog alone', async () => {
    const opened = () => Promise.reject(new Error('opened'));
    const downloads = { openFile: opened, openTensor: opened, openObject: opened, layers: opened };
    const broken = { ...gateway, downloads };
    expect((await caller(createApp({ ...broken, metrics: new Registry() }))('HEAD', file)).status).toBe(200);
  });

  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=7-30', 7, 31],
    ['bytes=100-', 100, model.length],
    ['bytes=-10', model.length - 10, model.length],
    ['bytes=16000-99999999', 16000, model.length],
  ])('serves %s', async (range, start, end) => {
    const got = await call('GET', file, undefined, { range });
    expect(got.status).toBe(206);
    expect(got.bytes).toEqual(model.subarray(start, end));
    expect(got.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${model.length}`);
    expect(got.headers.get('content-length')).toBe(String(end - start));
    expect(got.headers.get('etag')).toBe(etag);
  });

  it('answers 416 with the size beyond the end', async () => {
    const got = await call('GET', file, undefined, { range: `bytes=${model.length}-` });
    expect([got.status, got.json.code, got.headers.get('content-range')]).toEqual([
      416,
      'range-not-satisfiable',
      `bytes */${model.length}`,
    ]);
  });

  it('gives the whole file for several ranges and for a stale If-Range', async () => {
    expect((await call('GET', file, undefined, { range: 'bytes=0-1,4-5' })).bytes).toEqual(model);
    expect((await call('GET', file, undefined, { range: 'bytes=0-1', 'if-range': '"old"' })).bytes).toEqual(model);
    expect((await call('GET', file, undefined, { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
  });

  it('answers 304 and 412 to preconditions', async () => {
    const fresh = await call('GET', file, undefined, { 'if-none-match': etag });
    expect([fresh.status, fresh.bytes.length, fresh.headers.get('etag')]).toEqual([304, 0, etag]);
    expect((await call('GET', file, undefined, { 'if-match': '"old"' })).json.code).toBe('precondition-failed');
    expect((await call('HEAD', file, undefined, { 'if-match': '"old"' })).status).toBe(412);
  });

  it('returns other files too, under their nested path', async () => {
    expect((await call('GET', `${checkpoints}/1/files/sub/dir/config.json`)).bytes.toString()).toBe('{"a":1}');
    expect((await call('GET', `${checkpoints}/1/files/sub%2Fdir%2Fconfig.json`)).bytes.toString()).toBe('{"a":1}');
  });

  it('converts to another dtype under an ETag of its own', async () => {
    const view = await call('GET', `${file}?dtype=bf16`);
    expect(view.status).toBe(200);
    expect(view.headers.get('etag')).toBe(`"${sha256(model)}.bf16"`);
    expect(view.headers.get('repr-digest')).toBeNull();
    expect(view.bytes.length).toBe(Number(view.headers.get('content-length')));
    const headerBytes = Number(view.bytes.readBigUInt64LE());
    const header = JSON.parse(view.bytes.subarray(8, 8 + headerBytes).toString());
    expect(header['layer/0.weight']).toMatchObject({ dtype: 'BF16', shape: [64, 64] });
    expect(view.bytes.length).toBe(8 + headerBytes + 2 * 4097);
    expect((await call('HEAD', `${file}?dtype=bf16`)).headers.get('content-length')).toBe(String(view.bytes.length));
    expect((await call('GET', `${file}?dtype=bf16`, undefined, { range: 'bytes=8-99' })).bytes).toEqual(
      view.bytes.subarray(8, 100),
    );
    expect((await call('GET', `${file}?dtype=f32`)).bytes.length).toBeGreaterThan(4 * 4097);
  });

  it('refuses views that do not exist', async () => {
    expect((await call('GET', `${file}?dtype=int4`)).status).toBe(400);
    expect((await call('GET', `${file}?dtype=bf16&as=uploaded`)).status).toBe(400);
    expect((await call('GET', `${checkpoints}/1/files/sub/dir/config.json?dtype=f16`)).json.code).toBe(
      'invalid-request',
    );
    expect((await call('GET', `${file}?as=other`)).status).toBe(400);
  });

  it('knows no other files', async () => {
    expect((await call('GET', `${checkpoints}/1/files/none`)).json.code).toBe('not-found');
    expect((await call('GET', `${checkpoints}/1/files/..%2F..%2Fx`)).json.code).toBe('invalid-request');
    // The checkpoint is exact and everything is in the package, so the uploaded object was deleted.
    expect((await call('GET', `${file}?as=uploaded`)).status).toBe(404);
  });
});

describe('latest', () => {
  it('is the newest ready checkpoint, and says which', async () => {
    const got = await call('GET', `${checkpoints}/latest/files/model.safetensors?dtype=bf16`);
    expect([got.status, got.headers.get('content-location')]).toEqual([200, `${file}?dtype=bf16`]);
    const head = await call('HEAD', `${checkpoints}/latest/files/model.safetensors`);
    expect([head.status, head.headers.get('etag'), head.headers.get('content-location')]).toEqual([200, etag, file]);
    expect((await call('GET', file)).headers.get('content-location')).toBeNull();
    const described = await call('GET', `${checkpoints}/latest`);
    expect(described.json).toEqual((await call('GET', `${checkpoints}/1`)).json);
    expect(described.headers.get('content-location')).toBe(`${checkpoints}/1`);
    for (const rest of ['trials', 'events', 'package', 'tensors/bias'])
      expect([rest, (await call('GET', `${checkpoints}/latest/${rest}`)).status]).toEqual([rest, 200]);
    expect((await call('GET', `${checkpoints}/latest/files/none`)).json.detail).toBe('There is no such file.');
  });

  it('is nothing before one is ready, and names nothing that is changed', async () => {
    await call('POST', runs, { name: 'empty' });
    await call('POST', `${runs}/empty/checkpoints`, { step: 1 });
    const early = await call('GET', `${runs}/empty/checkpoints/latest`);
    expect([early.status, early.json.code, early.json.detail]).toEqual([
      404,
      'not-found',
      'The run has no checkpoint that is ready yet.',
    ]);
    for (const [method, path] of [
      ['DELETE', 'latest'],
      ['POST', 'latest/cancel'],
      ['PUT', 'latest/files/model.safetensors'],
    ] as const)
      expect((await call(method, `${checkpoints}/${path}`, method === 'PUT' ? model : undefined)).status).toBe(400);
    expect((await call('GET', `${checkpoints}/newest`)).json.detail).toContain('or latest');
  });
});

describe('downloads of a checkpoint that is not ready', () => {
  it('answers 409 with Retry-After, and the uploaded bytes', async () => {
    await call('PUT', `${checkpoints}/2`, model);
    const early = await call('GET', `${checkpoints}/2/files/model.safetensors`);
    expect([early.status, early.json.code]).toEqual([409, 'checkpoint-not-ready']);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
    const raw = await call('GET', `${checkpoints}/2/files/model.safetensors?as=uploaded`, undefined, {
      range: 'bytes=0-99',
    });
    expect([raw.status, raw.bytes, raw.headers.get('etag')]).toEqual([206, model.subarray(0, 100), etag]);
  });

  it('keeps the raw bytes of a failed one', async () => {
    const checkpoint = await call('GET', `${checkpoints}/2`);
    const { id } = (await gateway.catalog.checkpoints.find(
      (await gateway.catalog.runs.find((await gateway.catalog.repositories.find('acme', 'lm'))!.id, 'first'))!.id,
      checkpoint.json.step,
    ))!;
    await gateway.catalog.checkpoints.transition(id, ['queued'], 'failed', {
      errorCode: 'eval-timeout',
      errorMessage: 'The evaluation took too long.',
    });
    const failed = await call('GET', `${checkpoints}/2/files/model.safetensors`);
    expect([failed.status, failed.json.code]).toEqual([409, 'checkpoint-failed']);
    expect(failed.json.detail).toContain('The evaluation took too long.');
    expect((await call('GET', `${checkpoints}/2/files/model.safetensors?as=uploaded`)).bytes).toEqual(model);
  });
});

describe('tensors', () => {
  it('returns the elements of one, with dtype and shape', async () => {
    const got = await call('GET', `${checkpoints}/1/tensors/layer/0.weight`);
    expect(got.status).toBe(200);
    expect(got.bytes).toEqual(Buffer.from(Float32Array.from(weights).buffer));
    expect([got.headers.get('firn-dtype'), got.headers.get('firn-shape'), got.headers.get('content-length')]).toEqual([
      'F32',
      '64,64',
      '16384',
    ]);
    const part = await call('GET', `${checkpoints}/1/tensors/layer%2F0.weight`, undefined, { range: 'bytes=4-7' });
    expect([part.status, part.bytes.readFloatLE()]).toEqual([206, weights[1]]);
    expect(
      (
        await call('GET', `${checkpoints}/1/tensors/layer/0.weight`, undefined, {
          'if-none-match': got.headers.get('etag')!,
        })
      ).status,
    ).toBe(304);
  });

  it('returns one in another dtype, under its own ETag', async () => {
    const path = `${checkpoints}/1/tensors/layer/0.weight`;
    const plain = await call('GET', path);
    const half = await call('GET', `${path}?dtype=bf16`);
    expect(half.status).toBe(200);
    expect([half.headers.get('firn-dtype'), half.headers.get('firn-shape'), half.bytes.length]).toEqual([
      'BF16',
      '64,64',
      8192,
    ]);
    const viewed = await call('GET', `${checkpoints}/1/files/model.safetensors?dtype=bf16`);
    expect(viewed.bytes.includes(half.bytes)).toBe(true);
    const etags = await Promise.all(
      ['', '?dtype=f32', '?dtype=f16', '?dtype=bf16'].map(async (query) =>
        (await call('HEAD', path + query)).headers.get('etag'),
      ),
    );
    expect(new Set(etags).size).toBe(4);
    expect(
      (await call('GET', `${path}?dtype=bf16`, undefined, { 'if-none-match': plain.headers.get('etag')! })).status,
    ).toBe(200);
    expect(
      (await call('GET', `${path}?dtype=bf16`, undefined, { 'if-none-match': half.headers.get('etag')! })).status,
    ).toBe(304);
    const part = await call('GET', `${path}?dtype=f16`, undefined, { range: 'bytes=2-3' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 2-3/8192']);
    expect((await call('GET', `${path}?dtype=f32`)).bytes).toEqual(plain.bytes);
    const refused = await call('GET', `${path}?dtype=i8`);
    expect([refused.status, refused.json.code]).toEqual([400, 'invalid-request']);
  });

  it('returns a scalar, and knows no other names', async () => {
    const scalar = await call('GET', `${checkpoints}/1/tensors/bias`);
    expect([scalar.bytes.readFloatLE(), scalar.headers.get('firn-shape')]).toEqual([0.5, '']);
    expect((await call('GET', `${checkpoints}/1/tensors/none`)).status).toBe(404);
    expect((await call('GET', `${checkpoints}/9/tensors/bias`)).json.code).toBe('checkpoint-not-ready');
  });

  it('looks past a file that is only called .safetensors and is kept as the object it is', async () => {
    const checkpoint = `${runs}/misnamed/checkpoints/1`;
    await call('POST', runs, { name: 'misnamed' });
    await call('POST', `${runs}/misnamed/checkpoints`, { step: 1 });
    await call('PUT', `${checkpoint}/files/model.safetensors`, model);
    await call('PUT', `${checkpoint}/files/noise.safetensors?role=other`, randomBytes(100_000));
    await call('POST', `${checkpoint}/commit`);
    await gateway.encode();
    for (const query of ['', '?dtype=bf16'])
      expect((await call('GET', `${checkpoint}/tensors/none${query}`)).json.code).toBe('not-found');
    expect((await call('GET', `${checkpoint}/tensors/bias`)).bytes.readFloatLE()).toBe(0.5);
    expect((await call('GET', `${checkpoint}/files/noise.safetensors?dtype=bf16`)).json.code).toBe('invalid-request');
  });
});

describe('packages', () => {
  it('returns a package by checkpoint and by id, inside its repository only', async () => {
    const byCheckpoint = await call('GET', `${checkpoints}/1/package`);
    const id = byCheckpoint.headers.get('firn-package-id')!;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(byCheckpoint.headers.get('etag')).toBe(`"${id}"`);
    expect(byCheckpoint.bytes.length).toBe(Number(byCheckpoint.headers.get('content-length')));
    const byId = await call('GET', `/v1/repositories/acme/lm/packages/${id}`);
    expect(byId.bytes).toEqual(byCheckpoint.bytes);
    expect((await call('HEAD', `/v1/repositories/acme/lm/packages/${id}`)).headers.get('content-length')).toBe(
      String(byId.bytes.length),
    );
    await call('POST', '/v1/repositories', { namespace: 'acme', name: 'other' });
    expect((await call('GET', `/v1/repositories/acme/other/packages/${id}`)).status).toBe(404);
    expect((await call('GET', `/v1/repositories/acme/lm/packages/${'0'.repeat(32)}`)).status).toBe(404);
    expect((await call('GET', '/v1/repositories/acme/lm/packages/x')).status).toBe(400);
  });

  it('names the ancestor of a delta', async () => {
    // Otherwise the reservation of step 9 would block this one.
    await call('DELETE', `${checkpoints}/9`);
    await call('PUT', `${checkpoints}/3`, model);
    await gateway.encode();
    const delta = await call('GET', `${checkpoints}/3/package`);
    const base = await call('GET', `${checkpoints}/1/package`);
    expect(delta.headers.get('firn-ancestor-package')).toBe(base.headers.get('firn-package-id'));
    const link = /<([^>]+)>; rel="predecessor-version"/.exec(delta.headers.get('link')!)![1]!;
    expect((await call('GET', link)).bytes).toEqual(base.bytes);
  });

  it('of several checkpoints are one object, and name the other packages that are needed', async () => {
    const ids = new Map<number, string>();
    for (const step of [1, 3])
      ids.set(step, (await call('GET', `${checkpoints}/${step}/package`)).headers.get('firn-package-id')!);
    const { createdAt: _, ...delta } = (await gateway.catalog.packages.get(ids.get(3)!))!;
    const checkpoint = await gateway.catalog.checkpoints.reserve({
      runId: (await gateway.catalog.checkpoints.get(delta.checkpointId))!.runId,
      step: 4,
    });
    const next = {
      ...delta,
      id: 'cd'.repeat(16),
      checkpointId: checkpoint.id,
      key: 'packages/next',
      ancestorId: delta.id,
      chainLength: 3,
    };
    await gateway.catalog.packages.create(next);
    const merged = {
      mergedPackageId: 'ab'.repeat(16),
      key: 'packages/merged',
      sizeBytes: 5,
      indexOffsetBytes: 0,
      indexLengthBytes: 1,
    };
    await gateway.store.put(merged.key, Readable.from([Buffer.from('whole')]), { sizeMaxBytes: 5 });
    await gateway.catalog.packages.merge({
      ...merged,
      parts: [delta, next].map(({ id, key }) => ({ id, key, storedBytes: 4 })),
    });
    for (const id of [delta.id, next.id]) {
      const answer = await call('GET', `/v1/repositories/acme/lm/packages/${id}`);
      expect(answer.bytes.toString()).toBe('whole');
      const named = [
        'etag',
        'firn-package-id',
        'firn-merged-package',
        'firn-super-step',
        'firn-ancestor-package',
        'content-disposition',
      ].map((name) => answer.headers.get(name));
      expect(named).toEqual([
        `"${merged.mergedPackageId}"`,
        id,
        merged.mergedPackageId,
        merged.mergedPackageId,
        ids.get(1),
        expect.stringContaining(`${merged.mergedPackageId}.firn`),
      ]);
    }
    const { json } = await call('GET', `${checkpoints}/3`);
    expect(json.package).toMatchObject({
      id: delta.id,
      sizeBytes: 5,
      storedBytes: 4,
      mergedPackage: { id: merged.mergedPackageId, position: 0 },
      superStep: { id: merged.mergedPackageId, position: 0 },
    });
  });
});
