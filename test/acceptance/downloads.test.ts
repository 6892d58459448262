import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { bf16Word, f16Word, wordBytes } from './float-words.ts';
import { createRepository, createRun, givenConfig, pushFiles } from './hub-fixtures.ts';
import { digestField, etagOf, HubApi, sha256 } from './hub-api.ts';
import { normal, randomNumbers } from './random-numbers.ts';
import { f32Tensor, floatsOf, headerOf, i64Tensor, safetensorsFile, tensorsOf } from './safetensors-file.ts';
import { startHub, type Hub } from './start-hub.ts';

const random = randomNumbers(11);
const normals = (count: number) => Float32Array.from({ length: count }, () => normal(random));

/** Large enough to span many blocks of any size below a megabyte. */
const bigShape = [700, 1024];
const model = safetensorsFile({
  'layers.0.weight': f32Tensor(bigShape, normals(700 * 1024)),
  'layers.0.bias': f32Tensor([1024], normals(1024)),
  'name with/slash and ümlaut': f32Tensor([3], [1, -2.5, 65504 * 4]),
  position_ids: i64Tensor(
    [40],
    Array.from({ length: 40 }, (_, at) => at),
  ),
});

let hub: Hub;
let api: HubApi;
let checkpoint: string;
let delta: string;
let file: string;
/** The rebuilt file, downloaded at once. */
let whole: Buffer;

beforeAll(async () => {
  hub = await startHub();
  api = new HubApi(hub.url);
  const repository = await createRepository(api, 'downloads');
  const run = await createRun(api, repository, { name: 'given', search: { fixedConfig: givenConfig } });
  checkpoint = await pushFiles(api, run, 1, { 'model.safetensors': model });
  const next = floatsOf(tensorsOf(model).get('layers.0.weight')!).map(
    (weight, at) => weight + (at % 97 === 0 ? 0.3 : 0),
  );
  const second = safetensorsFile({
    ...Object.fromEntries(tensorsOf(model)),
    'layers.0.weight': f32Tensor(bigShape, next),
  });
  delta = await pushFiles(api, run, 2, { 'model.safetensors': second });
  await api.ready(checkpoint);
  await api.ready(delta);
  file = `${checkpoint}/files/model.safetensors`;
  whole = (await api.get(file)).bytes;
}, 60_000);

afterAll(() => hub?.stop());

describe('a download', () => {
  test('has the digest that its status, its Repr-Digest and its HEAD announce', async () => {
    const answer = await api.get(file);
    const [described] = (await api.read(checkpoint)).files;
    expect(sha256(answer.bytes)).toBe(described.rebuilt.sha256);
    expect(answer.headers.get('repr-digest')).toBe(digestField(answer.bytes));
    expect(described.rebuilt).toEqual({ sizeBytes: model.length, sha256: sha256(answer.bytes), href: file });
    const head = await api.ask('HEAD', file);
    expect(head.status).toBe(200);
    expect(head.bytes).toHaveLength(0);
    for (const name of [
      'content-length',
      'etag',
      'repr-digest',
      'accept-ranges',
      'content-type',
      'content-disposition',
    ]) {
      expect(head.headers.get(name), name).toBe(answer.headers.get(name));
    }
    expect(head.headers.get('content-length')).toBe(String(model.length));
    expect(head.headers.get('accept-ranges')).toBe('bytes');
  });

  test('keeps header, sizes and small tensors, and changes only what was quantized', () => {
    expect(headerOf(whole).equals(headerOf(model))).toBe(true);
    const [before, after] = [tensorsOf(model), tensorsOf(whole)];
    for (const name of ['layers.0.bias', 'name with/slash and ümlaut', 'position_ids']) {
      expect(Buffer.from(after.get(name)!.bytes).equals(before.get(name)!.bytes), name).toBe(true);
    }
    expect(new Set(floatsOf(after.get('layers.0.weight')!)).size).toBeLessThan(10_000);
  });

  test.each([
    ['the first byte', 'bytes=0-0', 0, 1],
    ['the header', 'bytes=0-99', 0, 100],
    ['a middle across many blocks', 'bytes=123457-2345678', 123_457, 2_345_679],
    ['an open end', 'bytes=2000001-', 2_000_001, undefined],
    ['a suffix', 'bytes=-1000', -1000, undefined],
    ['a suffix longer than the file', 'bytes=-999999999', 0, undefined],
    ['an end beyond the file', `bytes=2500000-999999999`, 2_500_000, undefined],
    ['everything', 'bytes=0-', 0, undefined],
  ])('answers a range of %s with 206 and just those bytes', async (_, range, start, end) => {
    const model = `${delta}/files/model.safetensors`;
    for (const path of [file, model, `${model}?as=uploaded`, `${checkpoint}/package`]) {
      const full = await api.get(path);
      expect(full.status).toBe(200);
      const expected = full.bytes.subarray(start, end);
      // The package is shorter than the model, so some of the ranges lie beyond its end.
      if (path.endsWith('/package') && expected.length === 0) continue;
      const answer = await api.get(path, { range });
      expect(answer.status, path).toBe(206);
      expect(answer.bytes.equals(expected), path).toBe(true);
      const first = start < 0 ? full.bytes.length + start : start;
      expect(answer.headers.get('content-range')).toBe(
        `bytes ${first}-${first + expected.length - 1}/${full.bytes.length}`,
      );
      expect(answer.headers.get('content-length')).toBe(String(expected.length));
      expect(answer.headers.get('etag')).toBe(full.headers.get('etag'));
    }
  });

  test('answers any of many random ranges like the whole file would', async () => {
    const pick = randomNumbers(99);
    const url = `${delta}/files/model.safetensors`;
    const full = (await api.get(url)).bytes;
    for (let round = 0; round < 25; round++) {
      const start = Math.floor(pick() * full.length);
      const end = Math.min(full.length - 1, start + Math.floor(pick() ** 4 * full.length));
      const answer = await api.get(url, { range: `bytes=${start}-${end}` });
      expect(answer.bytes.equals(full.subarray(start, end + 1)), `${start}-${end}`).toBe(true);
    }
  });

  test('refuses a range outside the file with 416 and its size', async () => {
    for (const range of [`bytes=${model.length}-`, 'bytes=-0', 'bytes=99999999-100000000']) {
      const answer = await api.get(file, { range });
      expectProblem(answer, 416, 'range-not-satisfiable');
      expect(answer.headers.get('content-range')).toBe(`bytes */${model.length}`);
    }
  });

  test.each(['bytes=0-1,5-6', 'bytes=9-3', 'items=0-1', 'bytes=x-'])(
    'sends the whole file for the range %s',
    async (range) => {
      const answer = await api.get(file, { range });
      expect(answer.status).toBe(200);
      expect(answer.bytes.equals(whole)).toBe(true);
    },
  );

  test('sends a range only while If-Range names the ETag', async () => {
    const etag = etagOf(await api.ask('HEAD', file));
    const hit = await api.get(file, { range: 'bytes=5-9', 'if-range': etag });
    expect([hit.status, hit.bytes.toString('hex')]).toEqual([206, whole.subarray(5, 10).toString('hex')]);
    for (const other of ['"another"', `W/${etag}`, 'Wed, 21 Oct 2015 07:28:00 GMT']) {
      const miss = await api.get(file, { range: 'bytes=5-9', 'if-range': other });
      expect([miss.status, miss.bytes.length]).toEqual([200, whole.length]);
    }
  });

  test('is not sent again to whoever has it, nor when If-Match names another', async () => {
    const etag = etagOf(await api.ask('HEAD', file));
    for (const field of [etag, `"another", ${etag}`, `W/${etag}`, '*']) {
      const answer = await api.get(file, { 'if-none-match': field });
      expect([answer.status, answer.bytes.length], field).toEqual([304, 0]);
      expect(answer.headers.get('etag')).toBe(etag);
    }
    expect((await api.get(file, { 'if-none-match': '"another"' })).status).toBe(200);
    expect((await api.get(file, { 'if-match': etag })).status).toBe(200);
    expectProblem(await api.get(file, { 'if-match': '"another"' }), 412, 'precondition-failed');
  });

  test('has an ETag of its own for each of its forms', async () => {
    const next = `${delta}/files/model.safetensors`;
    const urls = [
      file,
      `${file}?dtype=bf16`,
      `${file}?dtype=f16`,
      next,
      `${next}?as=uploaded`,
      `${next}?dtype=bf16`,
      `${checkpoint}/package`,
    ];
    const answers = await Promise.all(urls.map((url) => api.ask('HEAD', url)));
    expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 200));
    expect(new Set(answers.map(etagOf)).size).toBe(urls.length);
  });
});

describe('a dtype view', () => {
  test.each([
    ['bf16', 'BF16', bf16Word],
    ['f16', 'F16', f16Word],
  ] as const)('%s converts every float of the rebuilt file to nearest, ties to even', async (query, dtype, wordOf) => {
    const answer = await api.get(`${file}?dtype=${query}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe(String(answer.bytes.length));
    expect((await api.ask('HEAD', `${file}?dtype=${query}`)).headers.get('content-length')).toBe(
      String(answer.bytes.length),
    );
    const [source, view] = [tensorsOf(whole), tensorsOf(answer.bytes)];
    expect([...view.keys()]).toEqual([...source.keys()]);
    for (const [name, tensor] of source) {
      const found = view.get(name)!;
      const wanted =
        tensor.dtype === 'F32'
          ? { dtype, shape: tensor.shape, bytes: wordBytes(Array.from(floatsOf(tensor), wordOf)) }
          : { ...tensor, bytes: Buffer.from(tensor.bytes) };
      expect({ dtype: found.dtype, shape: found.shape }, name).toEqual({ dtype: wanted.dtype, shape: wanted.shape });
      expect(wanted.bytes.equals(found.bytes), name).toBe(true);
    }
    const part = await api.get(`${file}?dtype=${query}`, { range: 'bytes=700001-900000' });
    expect(part.status).toBe(206);
    expect(part.bytes.equals(answer.bytes.subarray(700_001, 900_001))).toBe(true);
    expect((await api.get(`${file}?dtype=${query}`, { 'if-none-match': etagOf(answer) })).status).toBe(304);
  });

  test('is refused for a dtype there is no view of, and beside as=uploaded', async () => {
    expectProblem(await api.get(`${file}?dtype=i8`), 400, 'invalid-request');
    expectProblem(await api.get(`${delta}/files/model.safetensors?dtype=bf16&as=uploaded`), 400, 'invalid-request');
  });
});

describe('one tensor', () => {
  test('comes alone, with dtype and shape, whole or in part', async () => {
    for (const [name, { dtype, shape, bytes }] of tensorsOf(whole)) {
      const url = `${checkpoint}/tensors/${encodeURIComponent(name)}`;
      const answer = await api.get(url);
      expect(answer.status, name).toBe(200);
      expect(answer.bytes.equals(bytes), name).toBe(true);
      expect([answer.headers.get('firn-dtype'), answer.headers.get('firn-shape')]).toEqual([dtype, shape.join(',')]);
      const part = await api.get(url, { range: 'bytes=4-11' });
      expect([part.status, part.bytes.toString('hex')]).toEqual([
        206,
        Buffer.from(bytes.subarray(4, 12)).toString('hex'),
      ]);
      expect((await api.get(url, { 'if-none-match': etagOf(answer) })).status).toBe(304);
    }
    expectProblem(await api.get(`${checkpoint}/tensors/absent`), 404, 'not-found');
  });
});

describe('a package', () => {
  test('comes as it is stored, names its ancestor, and is much smaller than the model', async () => {
    const [first, second] = [await api.read(checkpoint), await api.read(delta)];
    const base = await api.get(`${checkpoint}/package`);
    expect(base.status).toBe(200);
    expect(base.bytes.length).toBe(first.package.sizeBytes);
    expect(base.bytes.length).toBeLessThan(model.length / 4);
    expect(base.headers.get('firn-package-id')).toBe(first.package.id);
    expect(base.headers.get('firn-ancestor-package')).toBeNull();
    const next = await api.get(`${delta}/package`);
    expect(next.headers.get('firn-ancestor-package')).toBe(first.package.id);
    expect(next.bytes.length).toBeLessThan(base.bytes.length / 4);
    expect(second.package).toMatchObject({ ancestorId: first.package.id, chainLength: 2, kind: 'delta' });
    const byId = await api.get(second.package.ancestorHref);
    expect(byId.bytes.equals(base.bytes)).toBe(true);
    expect(etagOf(byId)).toBe(etagOf(base));
    expectProblem(await api.get(second.package.href.replace(second.package.id, '0'.repeat(32))), 404, 'not-found');
  });

  test('is not seen from another repository', async () => {
    const other = await createRepository(api, 'elsewhere');
    const { package: stored } = await api.read(checkpoint);
    expectProblem(await api.get(`${other}/packages/${stored.id}`), 404, 'not-found');
  });
});
