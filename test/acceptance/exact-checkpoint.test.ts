import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRepository, createRun, pushFiles, pushOne } from './hub-fixtures.ts';
import { HubApi, readJson, sha256, type Json } from './hub-api.ts';
import { normal, randomBytesOf, randomNumbers } from './random-numbers.ts';
import { f32Tensor, fileOfHeader, safetensorsFile, type FileTensor } from './safetensors-file.ts';
import { startHub, type Hub } from './start-hub.ts';

/** Bytes of one element. */
const dtypes = {
  BOOL: 1, U8: 1, I8: 1, F8_E5M2: 1, F8_E4M3: 1, I16: 2, U16: 2, F16: 2, BF16: 2,
  I32: 4, U32: 4, F32: 4, I64: 8, U64: 8, F64: 8,
}; // prettier-ignore
/** Most bytes that a checkpoint may take beyond its raw bytes. */
const overheadMax = 4096;

let hub: Hub;
let api: HubApi;
let repository: string;

beforeAll(async () => {
  hub = await startHub();
  api = new HubApi(hub.url);
  repository = await createRepository(api, 'exact');
});

afterAll(() => hub?.stop());

/** Pushes, waits and downloads; every byte of every file must be unchanged. Returns the status. */
async function roundTrip(run: string, step: number, files: Readonly<Record<string, Buffer>>): Promise<Json> {
  const checkpoint = await pushFiles(api, run, step, files);
  const status = await api.ready(checkpoint);
  expect(status.result.fidelity).toBe('exact');
  for (const [path, bytes] of Object.entries(files)) {
    const down = await api.get(`${checkpoint}/files/${path}`);
    expect(down.bytes.equals(bytes), path).toBe(true);
    expect(status.files.find((file: Json) => file.path === path).rebuilt.sha256).toBe(sha256(bytes));
  }
  expect(status.result.rawBytes).toBe(Object.values(files).reduce((sum, { length }) => sum + length, 0));
  expect(status.result.storedBytes).toBeLessThanOrEqual(status.result.rawBytes + overheadMax);
  return status;
}

describe('an exact run', () => {
  test.each(Object.entries(dtypes))('gives %s back byte for byte, first and changed', async (dtype, size) => {
    const run = await createRun(api, repository, { name: `of-${dtype.toLowerCase().replace('_', '-')}` });
    const noise = randomBytesOf(size * 3000, size);
    const changed = Buffer.from(noise.map((byte, at) => (at % 50 === 0 ? byte ^ 1 : byte)));
    const ramp = Buffer.from(Uint8Array.from({ length: size * 300 }, (_, at) => (at / size) & 0x7f));
    const fileOf = (bytes: Buffer) =>
      safetensorsFile({
        'a.weight': { dtype, shape: [30, 100], bytes },
        'b.weight': { dtype, shape: [300], bytes: ramp },
      });
    await roundTrip(run, 1, { 'model.safetensors': fileOf(noise) });
    const second = await roundTrip(run, 2, { 'model.safetensors': fileOf(changed) });
    expect(second.result.kind).toBe('delta');
    expect(second.result.storedBytes).toBeLessThan(second.result.rawBytes / 2);
  });

  test('takes several files: shards and their index, odd headers, an optimizer, texts', async () => {
    const run = await createRun(api, repository, { name: 'many-files' });
    const random = randomNumbers(4);
    const weights = (count: number) =>
      f32Tensor(
        [count / 10, 10],
        Float32Array.from({ length: count }, () => normal(random)),
      );
    const odd = fileOfHeader(
      '{ "z":{"shape":[2],"data_offsets":[4,12],"dtype":"F32"}, "__metadata__":{"k":"v \\u00e9"} ' +
        ',"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}    ',
      Buffer.from('abcd01234567'),
    );
    await roundTrip(run, 7, {
      'model-00001-of-00002.safetensors': safetensorsFile({ 'a.weight': weights(20_000) }),
      'model-00002-of-00002.safetensors': safetensorsFile(
        { 'b.weight': weights(10_000) },
        { metadata: { format: 'pt' }, padding: 5 },
      ),
      'model.safetensors.index.json': Buffer.from('{"weight_map":{"a.weight":"model-00001-of-00002.safetensors"}}'),
      'extra/odd.safetensors': odd,
      'optimizer.safetensors': safetensorsFile({ 'a.weight': weights(20_000) }),
      'optimizer.pt': randomBytesOf(70_000, 8),
      'noise.bin': randomBytesOf(200_000, 9),
      'README.md': Buffer.from('# A model\n'),
    });
  });

  test('takes empty tensors, scalars and mixed dtypes, and a file without any tensor', async () => {
    const run = await createRun(api, repository, { name: 'small-things' });
    const tensors: Record<string, FileTensor> = {
      scalar: f32Tensor([], [3.25]),
      empty: f32Tensor([0], []),
      'empty.matrix': f32Tensor([4, 0, 2], []),
      flags: { dtype: 'BOOL', shape: [5], bytes: Uint8Array.of(1, 0, 1, 1, 0) },
      half: { dtype: 'F16', shape: [2, 2], bytes: Uint8Array.of(0, 60, 0, 64, 1, 0, 255, 255) },
      long: { dtype: 'I64', shape: [1], bytes: Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 127) },
      'last.empty': { dtype: 'I64', shape: [0, 9], bytes: new Uint8Array() },
    };
    const model = safetensorsFile(tensors);
    for (const step of [1, 2]) {
      await roundTrip(run, step, { 'model.safetensors': model });
      for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
        const answer = await api.get(`${run}/checkpoints/${step}/tensors/${name}`);
        expect([answer.status, answer.headers.get('firn-dtype'), answer.headers.get('firn-shape')], name).toEqual([
          200,
          dtype,
          shape.join(','),
        ]);
        expect(answer.bytes.equals(bytes), name).toBe(true);
      }
    }
    const bare = await createRun(api, repository, { name: 'bare' });
    await roundTrip(bare, 1, { 'model.safetensors': fileOfHeader('{}', Buffer.alloc(0)) });
  });

  test('takes files of no byte, alone, beside others, and come and gone', async () => {
    const run = await createRun(api, repository, { name: 'empty-files' });
    const model = safetensorsFile({ w: f32Tensor([3], [1, 2, 3]) });
    const nothing = Buffer.alloc(0);
    await roundTrip(await createRun(api, repository, { name: 'only-empty' }), 1, { 'pkg/__init__.py': nothing });
    await roundTrip(run, 2, { 'pkg/__init__.py': nothing, 'model.safetensors': model, '.gitkeep': nothing });
    await roundTrip(run, 3, { 'pkg/__init__.py': Buffer.from('1'), 'model.safetensors': model });
    await roundTrip(run, 4, { 'pkg/__init__.py': nothing, 'model.safetensors': model });
  });

  test('recognises the same upload: 200, and nothing is made twice', async () => {
    const run = await createRun(api, repository, { name: 'twice' });
    const model = safetensorsFile({
      w: f32Tensor(
        [4, 4],
        Float32Array.from({ length: 16 }, (_, at) => at),
      ),
    });
    const checkpoint = await pushOne(api, run, 5, model);
    const again = await api.put(checkpoint, model);
    expect(readJson(again, 200)).toMatchObject({ step: 5, sequence: 0 });
    expect(again.headers.get('location')).toBe(checkpoint);
    const before = await api.ready(checkpoint);
    expect(readJson(await api.put(checkpoint, model), 200)).toMatchObject({
      state: 'ready',
      revision: before.revision,
    });
    expect(readJson(await api.put(`${checkpoint}/files/model.safetensors`, model), 200).sha256).toBe(sha256(model));
    expect(await api.read(checkpoint)).toEqual(before);
    expect((await api.read(`${run}/checkpoints`)).items).toHaveLength(1);
  });

  test('encodes steps in the order they were reserved, however they arrive', async () => {
    const run = await createRun(api, repository, { name: 'out-of-order' });
    const fileOf = (step: number) =>
      safetensorsFile({ w: { dtype: 'U8', shape: [9000], bytes: randomBytesOf(9000, 1).fill(step, 0, 100) } });
    for (const step of [10, 20, 30])
      readJson(await api.post(`${run}/checkpoints`, { step, files: [{ path: 'model.safetensors' }] }), 201);
    for (const step of [30, 20, 10]) {
      const checkpoint = `${run}/checkpoints/${step}`;
      readJson(await api.put(`${checkpoint}/files/model.safetensors`, fileOf(step)), 201);
      readJson(await api.post(`${checkpoint}/commit`), 202);
      if (step !== 10) expect((await api.read(checkpoint)).state).toBe('queued');
    }
    for (const [sequence, step] of [10, 20, 30].entries()) {
      const status = await api.ready(`${run}/checkpoints/${step}`);
      expect(status).toMatchObject({
        sequence,
        result: { chainLength: sequence + 1, ...(sequence > 0 && { ancestorStep: step - 10 }) },
      });
      expect((await api.get(`${run}/checkpoints/${step}/files/model.safetensors`)).bytes.equals(fileOf(step))).toBe(
        true,
      );
    }
  });
});
