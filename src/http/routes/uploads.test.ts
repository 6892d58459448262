import { pendingDeletionKeys } from '../../catalog/records/pending-deletion-keys.test-support.ts';
import { createHash } from 'node:crypto';
import http from 'node:http';
import { Upload as TusUpload } from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';
import { startServer, type RunningServer } from '../start-server.ts';

let gateway: TestGateway;
let call: Call;
let server: RunningServer;
const repository = '/v1/repositories/acme/lm';
const checkpoints = `${repository}/runs/first/checkpoints`;
const model = safetensors({ w: { shape: [512, 512], values: ramp(512 * 512, 1) } });
const mebibyte = 2 ** 20;

beforeAll(async () => {
  gateway = await openTestGateway({ limits: { openUploadsMax: 4 } });
  const app = createApp(gateway);
  call = caller(app);
  server = await startServer({ app, host: '127.0.0.1', port: 0 });
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'other' });
  await call('POST', `${repository}/runs`, { name: 'first' });
});
afterAll(async () => {
  await server.close(0);
  await gateway.close();
});

let steps = 0;
/** A new open checkpoint. */
async function reserve(): Promise<string> {
  const step = ++steps;
  expect((await call('POST', checkpoints, { step })).status).toBe(201);
  return `${checkpoints}/${step}`;
}
const tus = { 'tus-resumable': '1.0.0' };
const bytesType = { 'content-type': 'application/offset+octet-stream' };
const create = (checkpoint: string, sizeBytes: number, query = 'path=model.safetensors') =>
  call('POST', `${checkpoint}/uploads?${query}`, undefined, { ...tus, 'upload-length': String(sizeBytes) });
const patch = (href: string, offset: number, bytes: Buffer, headers = {}) =>
  call('PATCH', href, bytes, { ...tus, ...bytesType, 'upload-offset': String(offset), ...headers });
const offsetOf = async (href: string) => (await call('HEAD', href, undefined, tus)).headers.get('upload-offset');
const download = (checkpoint: string, path = 'model.safetensors') =>
  call('GET', `${checkpoint}/files/${path}?as=uploaded`);
const sha = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('base64');
const hex = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const pieces = async (): Promise<string[]> => {
  const keys: string[] = [];
  const pending = await pendingDeletionKeys(gateway.catalog);
  for await (const { key } of gateway.store.list('pieces/')) if (!pending.has(key)) keys.push(key);
  return keys;
};

/** Sends `sentBytes` of a PATCH and cuts the connection. */
function cutPatch(href: string, offset: number, bytes: Buffer, sentBytes: number): Promise<void> {
  const headers = { ...tus, ...bytesType, 'upload-offset': offset, 'content-length': bytes.length };
  return new Promise((resolve) => {
    const request = http.request(`${server.url}${href}`, { method: 'PATCH', headers });
    request.on('error', () => resolve());
    request.on('close', () => resolve());
    request.write(bytes.subarray(0, sentBytes), () => request.destroy());
  });
}

/** Begins a PATCH whose rest never comes. Resolves to the answer's status once the server has closed the connection. */
function statusThenClose(
  href: string,
  { sent, offset, lengthBytes }: { sent: Buffer; offset: number; lengthBytes: number },
): Promise<number> {
  const headers = { ...tus, ...bytesType, 'upload-offset': offset, 'content-length': lengthBytes };
  return new Promise((resolve, reject) => {
    const request = http.request(`${server.url}${href}`, { method: 'PATCH', headers });
    request.on('error', reject);
    request.on('response', (response) => {
      response.resume();
      request.on('error', () => undefined);
      request.socket!.on('close', () => resolve(response.statusCode!));
    });
    request.write(sent);
  });
}

describe('tus', () => {
  it('says what it speaks', async () => {
    for (const path of [
      `${checkpoints}/1/uploads`,
      `${repository}/uploads/${'0'.repeat(32)}`,
      `${repository}/eval-sets/e/uploads`,
    ]) {
      const { status, headers } = await call('OPTIONS', path);
      expect([status, headers.get('tus-version'), headers.get('tus-checksum-algorithm')]).toEqual([
        204,
        '1.0.0',
        'sha1,sha256',
      ]);
      expect(headers.get('tus-extension')).toBe('creation,creation-with-upload,checksum,expiration,termination');
    }
    const old = await call('POST', `${await reserve()}/uploads?path=a`, undefined, {
      'tus-resumable': '0.2.2',
      'upload-length': '1',
    });
    expect([old.status, old.headers.get('tus-version')]).toEqual([412, '1.0.0']);
  });

  it('takes a file in several requests and records it with the last byte', async () => {
    const checkpoint = await reserve();
    const created = await create(checkpoint, model.length, `path=model.safetensors&sha256=${hex(model)}`);
    expect(created.status).toBe(201);
    const href = created.headers.get('location')!;
    expect(created.headers.get('tus-resumable')).toBe('1.0.0');
    expect(Date.parse(created.headers.get('upload-expires')!)).toBeGreaterThan(Date.now());
    const first = await patch(href, 0, model.subarray(0, 1000));
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '1000']);
    const head = await call('HEAD', href, undefined, tus);
    expect([
      head.status,
      head.headers.get('upload-offset'),
      head.headers.get('upload-length'),
      head.headers.get('cache-control'),
    ]).toEqual([200, '1000', String(model.length), 'no-store']);
    expect((await patch(href, 999, model.subarray(999))).status).toBe(409);
    expect((await download(checkpoint)).status).toBe(404);
    const last = await patch(href, 1000, model.subarray(1000));
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(model.length)]);
    expect((await download(checkpoint)).bytes.equals(model)).toBe(true);
    expect(await offsetOf(href)).toBe(String(model.length));
    expect((await call('GET', href)).json).toMatchObject({
      state: 'complete',
      receivedBytes: model.length,
      path: 'model.safetensors',
    });
    expect(await pieces()).toEqual([]);
    expect((await call('POST', `${checkpoint}/commit`)).status).toBe(202);
  });

  it('takes a file of no byte: it is complete as it begins', async () => {
    const checkpoint = await reserve();
    const created = await create(checkpoint, 0, 'path=.gitkeep');
    expect([created.status, created.headers.get('upload-offset'), created.json.state]).toEqual([201, '0', 'complete']);
    expect((await download(checkpoint, '.gitkeep')).status).toBe(200);
    const withBody = await call('POST', `${checkpoint}/uploads?path=other`, Buffer.alloc(0), {
      ...tus,
      ...bytesType,
      'upload-length': '0',
    });
    expect([withBody.status, withBody.json.state]).toEqual([201, 'complete']);
    expect((await create(checkpoint, 0)).json.code).toBe('empty-body');
    const lost = await call('POST', `${checkpoint}/uploads?path=lost`, Buffer.alloc(0), {
      ...tus,
      ...bytesType,
      'upload-length': '0',
      'upload-checksum': `sha256 ${sha('sha256', Buffer.from('lost'))}`,
    });
    expect([lost.status, lost.json.code]).toEqual([460, 'checksum-mismatch']);
    expect((await call('HEAD', created.headers.get('location')!, undefined, tus)).headers.get('upload-length')).toBe(
      '0',
    );
  });

  it('takes its first bytes with the creation, and says what its metadata was', async () => {
    const checkpoint = await reserve();
    const metadata = `filename ${Buffer.from('notes.txt').toString('base64')},empty`;
    const created = await call('POST', `${checkpoint}/uploads`, Buffer.from('hello '), {
      ...tus,
      ...bytesType,
      'upload-length': '11',
      'upload-metadata': metadata,
    });
    expect([created.status, created.headers.get('upload-offset')]).toEqual([201, '6']);
    const href = created.headers.get('location')!;
    expect((await call('HEAD', href, undefined, tus)).headers.get('upload-metadata')).toBe(metadata);
    // For clients that can only send POST.
    const override = { ...tus, ...bytesType, 'upload-offset': '6', 'x-http-method-override': 'PATCH' };
    expect((await call('POST', href, Buffer.from('world'), override)).status).toBe(204);
    expect((await download(checkpoint, 'notes.txt')).bytes.toString()).toBe('hello world');
    const deleted = await call('POST', href, undefined, { ...tus, 'x-http-method-override': 'DELETE' });
    expect([deleted.status, (await call('HEAD', href)).status]).toEqual([204, 404]);
  });

  it.each([
    ['an id that is none', 'not-an-id', 400, 'invalid-request'],
    ['an id of no upload', '0'.repeat(32), 404, 'not-found'],
  ])('answers a method in a header as the method itself: %s', async (_, id, status, code) => {
    const href = `${repository}/uploads/${id}`;
    for (const method of ['PATCH', 'DELETE']) {
      const fields = { ...tus, ...bytesType, 'upload-offset': '0' };
      const direct = await call(method, href, undefined, fields);
      const overridden = await call('POST', href, undefined, { ...fields, 'x-http-method-override': method });
      expect([direct.status, direct.json.code], method).toEqual([status, code]);
      expect([overridden.status, overridden.json.code, overridden.json.detail]).toEqual([
        status,
        code,
        direct.json.detail,
      ]);
    }
  });

  it('keeps bytes under a checksum only if it holds', async () => {
    const href = (await create(await reserve(), model.length)).headers.get('location')!;
    const part = model.subarray(0, 5000);
    const wrong = await patch(href, 0, part, { 'upload-checksum': `sha1 ${sha('sha1', model)}` });
    expect([wrong.status, wrong.json.code, await offsetOf(href)]).toEqual([460, 'checksum-mismatch', '0']);
    expect(await pieces()).toEqual([]);
    expect((await patch(href, 0, part, { 'upload-checksum': `sha1 ${sha('sha1', part)}` })).status).toBe(204);
    expect(
      (
        await patch(href, 5000, model.subarray(5000), {
          'upload-checksum': `sha256 ${sha('sha256', model.subarray(5000))}`,
        })
      ).status,
    ).toBe(204);
    const other = (await create(await reserve(), 4, 'path=a')).headers.get('location')!;
    expect(
      (await patch(other, 0, Buffer.from('abcd'), { 'upload-checksum': `md5 ${sha('md5', Buffer.from('abcd'))}` }))
        .status,
    ).toBe(400);
    await call('DELETE', other);
  });

  it('keeps the received bytes of a broken request', async () => {
    const checkpoint = await reserve();
    const bytes = Buffer.alloc(20 * mebibyte, 7);
    const href = (await create(checkpoint, bytes.length, 'path=big.bin')).headers.get('location')!;
    await cutPatch(href, 0, bytes, 17 * mebibyte + 5);
    await vi.waitFor(async () => expect(Number(await offsetOf(href))).toBeGreaterThan(16 * mebibyte), {
      timeout: 20_000,
    });
    const offset = Number(await offsetOf(href));
    expect(offset).toBeLessThanOrEqual(17 * mebibyte + 5);
    expect((await patch(href, offset, bytes.subarray(offset))).status).toBe(204);
    expect((await download(checkpoint, 'big.bin')).bytes.equals(bytes)).toBe(true);
  });

  it('answers what it refuses before its first byte or in its middle, and waits for no rest', async () => {
    const sizeBytes = 40 * mebibyte;
    const sent = Buffer.alloc(mebibyte, 65);
    const href = (await create(await reserve(), sizeBytes)).headers.get('location')!;
    expect(await statusThenClose(href, { sent, offset: 1, lengthBytes: sizeBytes - 1 })).toBe(409);
    expect(await statusThenClose(href, { sent, offset: 0, lengthBytes: sizeBytes })).toBe(422);
    expect((await call('HEAD', href, undefined, tus)).status).toBe(404);
  });

  it('lets the later of two requests win, and the earlier add nothing', async () => {
    const checkpoint = await reserve();
    const href = (await create(checkpoint, 2000, 'path=a.bin')).headers.get('location')!;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const upload = (await gateway.catalog.uploads.find(
      (await gateway.catalog.repositories.find('acme', 'lm'))!.id,
      href.split('/').at(-1)!,
    ))!;
    async function* slow() {
      yield Buffer.alloc(1000, 1);
      await held;
      yield Buffer.alloc(1000, 1);
    }
    const earlier = gateway.resumable.receiveBytes(upload, { offsetBytes: 0, body: slow() });
    earlier.catch(() => undefined);
    await vi.waitFor(async () => expect((await patch(href, 0, Buffer.alloc(1000, 2))).status).toBe(204));
    release();
    await expect(earlier).rejects.toMatchObject({ code: 'upload-busy' });
    expect(await offsetOf(href)).toBe('1000');
    await patch(href, 1000, Buffer.alloc(1000, 2));
    expect((await download(checkpoint, 'a.bin')).bytes.equals(Buffer.alloc(2000, 2))).toBe(true);
    expect(await pieces()).toEqual([]);
  });

  it('refuses impossible uploads at once, and ends those that turn out invalid', async () => {
    const checkpoint = await reserve();
    const at = `${checkpoint}/uploads?path=a.bin`;
    for (const length of ['', '-1', '1.5', '1e3', '99999999999999999999'])
      expect([length, (await call('POST', at, undefined, { ...tus, 'upload-length': length })).status]).toEqual([
        length,
        400,
      ]);
    expect((await call('POST', at, undefined, { ...tus, 'upload-defer-length': '1' })).status).toBe(400);
    expect((await call('POST', at, undefined, { ...tus, 'upload-length': '9', 'upload-metadata': 'a !' })).status).toBe(
      400,
    );
    expect((await call('POST', `${checkpoint}/uploads`, undefined, { ...tus, 'upload-length': '9' })).status).toBe(400);
    expect(
      (await call('POST', `${checkpoint}/uploads?path=../a`, undefined, { ...tus, 'upload-length': '9' })).status,
    ).toBe(400);
    expect((await call('POST', at)).status).toBe(415);
    expect((await create(checkpoint, 10 ** 14, 'path=a.bin')).status).toBe(413);
    const href = (await create(checkpoint, 8, `path=a.bin&sha256=${'0'.repeat(64)}`)).headers.get('location')!;
    for (const offset of ['-1', 'x', '1.0'])
      expect(
        (await call('PATCH', href, Buffer.from('a'), { ...tus, ...bytesType, 'upload-offset': offset })).status,
      ).toBe(400);
    expect((await call('PATCH', href, Buffer.from('a'), { ...bytesType, 'upload-offset': '0' })).status).toBe(412);
    expect(
      (
        await call('PATCH', href, Buffer.from('{}'), {
          ...tus,
          'content-type': 'application/json',
          'upload-offset': '0',
        })
      ).status,
    ).toBe(415);
    expect((await patch(href, 0, Buffer.alloc(9))).status).toBe(400);
    expect((await patch(href, 0, Buffer.from('a'), { 'idempotency-key': 'k' })).status).toBe(204);
    const wrong = await patch(href, 1, Buffer.alloc(7));
    expect([wrong.status, wrong.json.code]).toEqual([400, 'digest-mismatch']);
    expect((await call('HEAD', href, undefined, tus)).status).toBe(404);
    expect(await pieces()).toEqual([]);
    const bad = (await create(checkpoint, 100)).headers.get('location')!;
    expect((await patch(bad, 0, Buffer.alloc(100, 65))).status).toBe(422);
    expect((await call('HEAD', bad, undefined, tus)).status).toBe(404);
    const post = await call('POST', at, Buffer.from('x'), {
      ...tus,
      ...bytesType,
      'upload-length': '9',
      'idempotency-key': 'k',
    });
    expect(post.status).toBe(400);
  });

  it('is another repository’s secret, and ends with its checkpoint', async () => {
    const checkpoint = await reserve();
    const hrefs = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (path) => (await create(checkpoint, 10, `path=${path}`)).headers.get('location')!),
    );
    expect((await create(checkpoint, 10, 'path=e')).status).toBe(503);
    await patch(hrefs[0]!, 0, Buffer.from('12345'));
    expect((await call('HEAD', hrefs[0]!.replace('/lm/', '/other/'), undefined, tus)).status).toBe(404);
    expect((await call('DELETE', hrefs[3]!, undefined, tus)).status).toBe(204);
    expect((await create(checkpoint, 10, 'path=e')).status).toBe(201);
    expect((await call('POST', `${checkpoint}/cancel`)).status).toBe(200);
    expect((await call('HEAD', hrefs[0]!, undefined, tus)).status).toBe(404);
    expect(await pieces()).toEqual([]);
    expect((await create(checkpoint, 10, 'path=f')).status).toBe(409);
  });

  it('is spoken by an unmodified client, which resumes by itself', async () => {
    const checkpoint = await reserve();
    const bytes = Buffer.alloc(12 * mebibyte, 3);
    const options = {
      endpoint: `${server.url}${checkpoint}/uploads`,
      chunkSize: 5 * mebibyte,
      metadata: { filename: 'client.bin' },
      retryDelays: null,
    };
    const begun = await new Promise<string>((resolve, reject) => {
      const upload = new TusUpload(bytes, {
        ...options,
        onError: reject,
        onChunkComplete: () => void upload.abort().then(() => resolve(upload.url!), reject),
      });
      upload.start();
    });
    await new Promise<void>((resolve, reject) => {
      new TusUpload(bytes, { ...options, uploadUrl: begun, onError: reject, onSuccess: () => resolve() }).start();
    });
    expect((await download(checkpoint, 'client.bin')).bytes.equals(bytes)).toBe(true);
    await new Promise<void>((resolve, reject) => {
      new TusUpload(bytes, {
        ...options,
        metadata: { path: 'at-once.bin' },
        uploadDataDuringCreation: true,
        onError: reject,
        onSuccess: () => resolve(),
      }).start();
    });
    expect((await download(checkpoint, 'at-once.bin')).bytes.equals(bytes)).toBe(true);
  });
});

describe('uploads in parts', () => {
  const partBytes = 128 * 1024;
  const begin = async (checkpoint: string, set = {}) =>
    call('POST', `${checkpoint}/uploads`, {
      path: 'model.safetensors',
      sizeBytes: model.length,
      sha256: hex(model),
      partBytes,
      ...set,
    });
  const part = (number: number) => model.subarray((number - 1) * partBytes, number * partBytes);
  const digest = (bytes: Buffer) => ({ 'content-digest': `sha-256=:${sha('sha256', bytes)}:` });

  it('come in any order, at once, and again', async () => {
    const checkpoint = await reserve();
    const created = await begin(checkpoint);
    expect([created.status, created.headers.get('upload-offset')]).toEqual([201, null]);
    const { href, partCount } = created.json;
    expect(partCount).toBe(Math.ceil(model.length / partBytes));
    const numbers = Array.from({ length: partCount as number }, (_, at) => partCount - at);
    const early = await call('POST', `${href}/complete`);
    expect([early.status, early.json.code]).toEqual([409, 'upload-incomplete']);
    // First a part with other bytes: the last one sent counts.
    expect((await call('PUT', `${href}/parts/2`, Buffer.alloc(partBytes, 1))).status).toBe(200);
    const sent = await Promise.all(
      numbers.map((number) => call('PUT', `${href}/parts/${number}`, part(number), digest(part(number)))),
    );
    expect(sent.map(({ status }) => status)).toEqual(numbers.map(() => 200));
    expect((await call('PUT', `${href}/parts/3`, part(3))).status).toBe(200);
    const listed = await call('GET', `${href}/parts?limit=3`);
    expect(listed.json.items).toEqual(
      [1, 2, 3].map((number) => ({ number, sizeBytes: partBytes, sha256: hex(part(number)) })),
    );
    expect((await call('GET', `${href}/parts?limit=3&after=${listed.json.next}`)).json.items[0].number).toBe(4);
    const done = await call('POST', `${href}/complete`);
    expect([done.status, done.json.state]).toEqual([200, 'complete']);
    expect((await call('POST', `${href}/complete`)).json).toMatchObject({ state: 'complete' });
    expect((await download(checkpoint)).bytes.equals(model)).toBe(true);
    expect(await pieces()).toEqual([]);
  });

  it('are refused when they are not what they should be', async () => {
    const { href } = (await begin(await reserve())).json;
    const refused = async (path: string, bytes: Buffer, headers = {}) =>
      (await call('PUT', `${href}${path}`, bytes, headers)).json.code;
    expect(await refused('/parts/1', part(1).subarray(1))).toBe('length-mismatch');
    expect(await refused('/parts/1', part(1), digest(part(2)))).toBe('digest-mismatch');
    expect(await refused('/parts/1000', part(1))).toBe('invalid-request');
    expect(await refused('/parts/0', part(1))).toBe('invalid-request');
    expect((await patch(href, 0, part(1))).status).toBe(409);
    expect((await begin(await reserve(), { partBytes: 1 })).status).toBe(400);
    expect(await pieces()).toEqual([]);
  });

  it('bring the parts of an eval set', async () => {
    const spec = { inputs: { x: 'x' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] };
    await call('POST', `${repository}/eval-sets`, { name: 'held-out', spec });
    const at = `${repository}/eval-sets/held-out`;
    const graph = Buffer.from('a graph that nobody judges here');
    const created = await call('POST', `${at}/uploads?part=graph`, graph, {
      ...tus,
      ...bytesType,
      'upload-length': String(graph.length),
    });
    expect([created.status, created.json.state]).toEqual([201, 'complete']);
    const { href } = (
      await call('POST', `${at}/uploads`, { part: 'batches', sizeBytes: model.length, sha256: hex(model) })
    ).json;
    expect((await call('PUT', `${href}/parts/1`, model)).status).toBe(200);
    expect((await call('POST', `${href}/complete`)).status).toBe(200);
    const set = (await call('GET', at)).json;
    expect([set.graph.sha256, set.batches.sha256]).toEqual([hex(graph), hex(model)]);
    expect((await call('POST', `${at}/commit`)).status).toBe(200);
    expect((await call('POST', `${at}/uploads?part=graph`, undefined, { ...tus, 'upload-length': '5' })).status).toBe(
      409,
    );
  });
});
