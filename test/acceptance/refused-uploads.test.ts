import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { createRepository, createRun, pushOne } from './hub-fixtures.ts';
import { digestField, HubApi, readJson, sha256, type Answer, type Json } from './hub-api.ts';
import { randomBytesOf } from './random-numbers.ts';
import { RawConnection } from './raw-connection.ts';
import { f32Tensor, fileOfHeader, safetensorsFile } from './safetensors-file.ts';
import { startHub, type Hub } from './start-hub.ts';
import { expectKept, keptBytes, storedObjects } from './stored-objects.ts';

/** Limit of one run's staged bytes, in MiB. */
const stagedMaxMib = 32;

let hub: Hub;
let api: HubApi;
let repository: string;
let run: string;
/** Bytes stored before a test; afterwards there must not be more. */
let kept: number;
/** A step of the run that no other test uses. */
let step = 0;

const sound = safetensorsFile({
  'a.weight': f32Tensor([2, 4], [1, 2, 3, 4, 5, 6, 7, 8]),
  b: f32Tensor([2], [0.5, -0.5]),
});
const soundData = sound.subarray(sound.length - 40);

beforeAll(async () => {
  hub = await startHub({ environment: { FIRN_STAGED_RUN_MAX_MIB: String(stagedMaxMib) } });
  api = new HubApi(hub.url);
  repository = await createRepository(api, 'refused');
  run = await createRun(api, repository, { name: 'exact' });
  await api.ready(await pushOne(api, run, 0, sound));
});

beforeEach(async () => {
  step++;
  kept = await keptBytes(api);
});

/** A failed test leaves its step open, which would block all later ones. */
afterEach(() => api.ask('DELETE', `${run}/checkpoints/${step}`));

afterAll(() => hub?.stop());

/** Checks that nothing of a refused step exists, and that the right bytes are accepted for it. */
async function expectUntouched(): Promise<void> {
  expectProblem(await api.get(`${run}/checkpoints/${step}`), 404, 'not-found');
  expect((await api.read(`${run}/checkpoints`)).items.map((item: Json) => item.step)).not.toContain(step);
  await expectKept(hub, api, kept);
  const checkpoint = await pushOne(api, run, step, sound);
  await api.ready(checkpoint);
  expect((await api.get(`${checkpoint}/files/model.safetensors`)).bytes.equals(sound)).toBe(true);
  expect((await api.ask('DELETE', checkpoint)).status).toBe(204);
  await expectKept(hub, api, kept);
}

const entry = (dtype: string, shape: readonly number[], start: number, end: number): string =>
  JSON.stringify({ dtype, shape, data_offsets: [start, end] });
const headed = (header: string, dataBytes = 40): Buffer => fileOfHeader(header, soundData.subarray(0, dataBytes));

/** Body, status, code. */
const badFiles: readonly [string, () => Buffer, number, string][] = [
  ['of no byte', () => Buffer.alloc(0), 400, 'empty-body'],
  ['of less than a length field', () => sound.subarray(0, 7), 422, 'header-truncated'],
  ['cut inside its header', () => sound.subarray(0, 60), 422, 'header-truncated'],
  ['cut inside its data', () => sound.subarray(0, sound.length - 1), 400, 'length-mismatch'],
  ['with a header of a terabyte', () => fileOfHeader('{"a":', soundData, 2 ** 40), 422, 'header-too-large'],
  ['with a header of 2^63 bytes', () => fileOfHeader('{"a":', soundData, 2n ** 63n), 422, 'header-too-large'],
  [
    'with a header over the limit',
    () => fileOfHeader(`{${' '.repeat(26_000_000)}}`, Buffer.alloc(0)),
    422,
    'header-too-large',
  ],
  ['with a header that is no JSON', () => headed('{"a":[1,2}', 0), 422, 'header-invalid'],
  [
    'with overlapping tensors',
    () => headed(`{"a":${entry('F32', [8], 0, 32)},"b":${entry('F32', [4], 24, 40)}}`),
    422,
    'tensor-overlap',
  ],
  [
    'with a gap between tensors',
    () => headed(`{"a":${entry('F32', [4], 0, 16)},"b":${entry('F32', [4], 24, 40)}}`),
    422,
    'tensor-gap',
  ],
  ['with a gap in front', () => headed(`{"a":${entry('F32', [9], 4, 40)}}`), 422, 'tensor-gap'],
  ['with bytes behind its last tensor', () => headed(`{"a":${entry('F32', [8], 0, 32)}}`), 422, 'tensor-gap'],
  [
    'whose shape does not fit its bytes',
    () => headed(`{"a":${entry('F32', [3, 3], 0, 40)}}`),
    422,
    'tensor-size-mismatch',
  ],
  [
    'whose dtype does not fit its bytes',
    () => headed(`{"a":${entry('F64', [10], 0, 40)}}`),
    422,
    'tensor-size-mismatch',
  ],
  [
    'whose shape overflows',
    () => headed(`{"a":${entry('F32', [2 ** 30, 2 ** 30, 2 ** 30], 0, 40)}}`),
    422,
    'tensor-size-mismatch',
  ],
  ['with offsets that run backwards', () => headed(`{"a":${entry('F32', [10], 40, 0)}}`), 422, 'header-invalid'],
  ['with an unknown dtype', () => headed(`{"a":${entry('F31', [10], 0, 40)}}`), 422, 'dtype-unknown'],
  [
    'that names a tensor twice',
    () => headed(`{"a":${entry('F32', [5], 0, 20)},"a":${entry('F32', [5], 20, 40)}}`),
    422,
    'tensor-duplicate',
  ],
  [
    'that names a tensor twice, once escaped',
    () => headed(`{"a":${entry('F32', [5], 0, 20)},"\\u0061":${entry('F32', [5], 20, 40)}}`),
    422,
    'tensor-duplicate',
  ],
  [
    'that is a pickle',
    () => Buffer.concat([Buffer.from([0x80, 0x02]), Buffer.from('}q\x00X\x06\x00\x00\x00weightq\x01K\x01s.')]),
    422,
    'not-safetensors',
  ],
  [
    'that is a zip with a pickle',
    () => Buffer.concat([Buffer.from('PK\x03\x04\x00\x00\x00\x00\x00\x00'), randomBytesOf(200, 1)]),
    422,
    'not-safetensors',
  ],
  ['of random bytes', () => randomBytesOf(4096, 2), 422, 'not-safetensors'],
];

describe('a file', () => {
  test.each(badFiles)('%s is refused in one request, and leaves nothing behind', async (_, body, status, code) => {
    expectProblem(await api.put(`${run}/checkpoints/${step}`, body()), status, code);
    await expectUntouched();
  });

  test.each(badFiles)(
    '%s is refused in a reserved checkpoint, which then takes the right one',
    async (_, body, status, code) => {
      const checkpoint = `${run}/checkpoints/${step}`;
      readJson(await api.post(`${run}/checkpoints`, { step, files: [{ path: 'model.safetensors' }] }), 201);
      for (const path of ['model.safetensors', 'model.grad.safetensors'])
        expectProblem(await api.put(`${checkpoint}/files/${path}`, body()), status, code);
      await expectKept(hub, api, kept);
      expect((await api.read(checkpoint)).files).toEqual([
        { path: 'model.safetensors', role: 'model', received: false, uploaded: {} },
      ]);
      expectProblem(await api.post(`${checkpoint}/commit`), 409, 'upload-incomplete');
      readJson(await api.put(`${checkpoint}/files/model.safetensors`, sound), 201);
      readJson(await api.post(`${checkpoint}/commit`), 202);
      await api.ready(checkpoint);
      expect((await api.ask('DELETE', checkpoint)).status).toBe(204);
      await expectKept(hub, api, kept);
    },
  );

  test('with another digest than announced is refused, in the header field or in the reservation', async () => {
    const wrong = digestField(Buffer.from('something else'));
    for (const field of ['repr-digest', 'content-digest'])
      expectProblem(await api.put(`${run}/checkpoints/${step}`, sound, { [field]: wrong }), 400, 'digest-mismatch');
    readJson(
      await api.put(`${run}/checkpoints/${step}`, sound, { 'repr-digest': `md5=:AAAA:, ${digestField(sound)}` }),
      202,
    );
    await api.ready(`${run}/checkpoints/${step}`);
    expect((await api.ask('DELETE', `${run}/checkpoints/${step}`)).status).toBe(204);

    const announced = { path: 'model.safetensors', sha256: sha256(Buffer.from('other')) };
    readJson(await api.post(`${run}/checkpoints`, { step, files: [announced] }), 201);
    expectProblem(await api.put(`${run}/checkpoints/${step}/files/model.safetensors`, sound), 400, 'digest-mismatch');
    expectProblem(
      await api.put(`${run}/checkpoints/${step}/files/model.safetensors`, sound, { 'repr-digest': digestField(sound) }),
      400,
      'digest-mismatch',
    );
    expect((await api.ask('DELETE', `${run}/checkpoints/${step}`)).status).toBe(204);
    await expectUntouched();
  });

  test('of another length than announced in the reservation is refused', async () => {
    const checkpoint = `${run}/checkpoints/${step}`;
    readJson(await api.post(`${run}/checkpoints`, { step, files: [{ path: 'notes.txt', sizeBytes: 10 }] }), 201);
    for (const body of ['nine byte', 'eleven byte'])
      expectProblem(await api.put(`${checkpoint}/files/notes.txt`, Buffer.from(body)), 400, 'length-mismatch');
    await expectKept(hub, api, kept);
    expect((await api.ask('DELETE', checkpoint)).status).toBe(204);
    await expectUntouched();
  });

  test('is refused while too many bytes of its run wait for compression, before its body', async () => {
    const checkpoint = `${run}/checkpoints/${step}`;
    readJson(await api.post(`${run}/checkpoints`, { step }), 201);
    const later = ++step;
    readJson(await api.post(`${run}/checkpoints`, { step: later }), 201);
    const filler = Buffer.alloc(stagedMaxMib * 2 ** 20 - 1000, 'filler');
    readJson(await api.put(`${checkpoint}/files/a.bin`, filler), 201);
    const refused = await announce(`${run}/checkpoints/${later}/files/b.bin`, { 'Content-Length': 5000 });
    expectProblem(refused!, 503, 'overloaded');
    expect(Number(refused!.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const path of [checkpoint, `${run}/checkpoints/${later}`])
      expect((await api.ask('DELETE', path)).status).toBe(204);
    await expectUntouched();
  });

  /** The answer to a request whose body never comes. */
  async function announce(path: string, headers: Record<string, string | number>): Promise<Answer | undefined> {
    const connection = await RawConnection.open(api.url);
    try {
      await connection.head('PUT', path, headers);
      return await connection.answer();
    } finally {
      await connection.destroy();
    }
  }
});

describe('a connection', () => {
  const path = (): string => `${run}/checkpoints/${step}`;

  /** Opens a connection, lets `speak` send bytes, and returns the answer. */
  async function speak(
    headers: Record<string, string | number>,
    talk: (connection: RawConnection) => Promise<void>,
  ): Promise<Answer | undefined> {
    const connection = await RawConnection.open(api.url);
    try {
      await connection.head('PUT', path(), headers);
      await talk(connection);
      return await connection.answer();
    } finally {
      await connection.destroy();
    }
  }

  test('that ends before the announced length is refused', async () => {
    const answer = await speak({ 'Content-Length': sound.length }, async (connection) => {
      await connection.send(sound.subarray(0, sound.length - 5));
      connection.finish();
    });
    expectProblem(answer!, 400, 'invalid-request');
    await expectUntouchedSoon();
  });

  /**
   * Waits until the hub has received the head of an upload, which its unfinished object shows; a bucket does not list
   * those.
   */
  const untilArriving = async (objectsBefore: number): Promise<unknown> =>
    hub.s3 === undefined
      ? expect.poll(() => storedObjects(hub), { timeout: 10_000 }).toHaveLength(objectsBefore + 1)
      : pause(500);

  test('that vanishes in the middle of a body leaves nothing behind', async () => {
    for (const sent of [0, 4, 30, sound.length - 1]) {
      const objects = await storedObjects(hub);
      const connection = await RawConnection.open(api.url);
      await connection.head('PUT', path(), { 'Content-Length': sound.length });
      if (sent > 0) await connection.send(sound.subarray(0, sent));
      await untilArriving(objects.length);
      await connection.destroy();
      await expectUntouchedSoon();
    }
  });

  test('that vanishes in the middle of a large body leaves the reservation open for the next try', async () => {
    readJson(await api.post(`${run}/checkpoints`, { step, files: [{ path: 'noise.bin', sizeBytes: 3_000_000 }] }), 201);
    const noise = randomBytesOf(3_000_000, 6);
    const objects = await storedObjects(hub);
    const connection = await RawConnection.open(api.url);
    await connection.head('PUT', `${path()}/files/noise.bin`, { 'Content-Length': noise.length });
    await connection.send(noise.subarray(0, 2_000_000));
    await untilArriving(objects.length);
    await connection.destroy();
    await expectKept(hub, api, kept);
    expect((await api.read(path())).files).toEqual([
      { path: 'noise.bin', role: 'other', received: false, uploaded: { sizeBytes: noise.length } },
    ]);
    readJson(await api.put(`${path()}/files/noise.bin`, noise), 201);
    expect((await api.ask('DELETE', path())).status).toBe(204);
    await expectUntouched();
  });

  test('that sends no length is taken by chunks, and refused when they are too few, too many or none', async () => {
    const chunked = { 'Transfer-Encoding': 'chunked' };
    const whole = await speak(chunked, async (connection) => {
      for (const piece of [sound.subarray(0, 3), sound.subarray(3, 50), sound.subarray(50)])
        await connection.chunk(piece);
      await connection.chunk(Buffer.alloc(0));
    });
    readJson(whole!, 202);
    await api.ready(path());
    expect((await api.ask('DELETE', path())).status).toBe(204);
    for (const [body, status, code] of [
      [sound.subarray(0, sound.length - 1), 400, 'length-mismatch'],
      [sound.subarray(0, 20), 422, 'header-truncated'],
      [Buffer.concat([sound, Buffer.from('!')]), 400, 'length-mismatch'],
      [Buffer.alloc(0), 400, 'empty-body'],
    ] as const) {
      const answer = await speak(chunked, async (connection) => {
        if (body.length > 0) await connection.chunk(body);
        await connection.chunk(Buffer.alloc(0));
      });
      expectProblem(answer!, status, code);
      await expectUntouched();
    }
  });

  test('that sends more than the announced length is refused, and leaves nothing behind', async () => {
    const answer = await speak({ 'Content-Length': sound.length }, (connection) =>
      connection.send(Buffer.concat([sound, Buffer.from('surplus')])),
    );
    expectProblem(answer!, 400, 'length-mismatch');
    await expectUntouchedSoon();
  });

  test.each([
    ['a header of a terabyte', fileOfHeader('{"a":', Buffer.alloc(0), 2 ** 40), 'header-too-large'],
    ['a pickle', Buffer.from('\x80\x02}q\x00X\x06\x00\x00\x00weight', 'latin1'), 'not-safetensors'],
  ])('that begins an endless body with %s is answered before the rest is sent', async (_, start, code) => {
    const answer = await speak({ 'Content-Length': 2 ** 20 }, (connection) => connection.send(start));
    expectProblem(answer!, 422, code);
    await expectUntouchedSoon();
  });

  /** Like expectUntouched, for a client that disconnected before the hub could answer. */
  async function expectUntouchedSoon(): Promise<void> {
    await expect.poll(async () => (await api.get(path())).status, { timeout: 10_000 }).toBe(404);
    await expectUntouched();
  }
});

describe('two uploads of one step at once', () => {
  const other = safetensorsFile({ 'a.weight': f32Tensor([2, 4], [8, 7, 6, 5, 4, 3, 2, 1]), b: f32Tensor([2], [1, 1]) });
  const path = (): string => `${run}/checkpoints/${step}`;

  test('with different bytes: one is taken, the other is told the call that forks', async () => {
    for (let round = 0; round < 10; round++) {
      const bodies = round % 2 === 0 ? [sound, other] : [other, sound];
      const answers = await Promise.all(bodies.map((body) => api.put(path(), body)));
      expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
      const refused = answers.find(({ status }) => status === 409)!;
      expect(expectProblem(refused, 409, 'step-exists').detail).toContain(`POST ${repository}/runs`);
      await api.ready(path());
      const { bytes } = await api.get(`${path()}/files/model.safetensors`);
      expect(bytes.equals(bodies[answers.indexOf(refused) === 0 ? 1 : 0]!)).toBe(true);
      expect((await api.ask('DELETE', path())).status).toBe(204);
      await expectKept(hub, api, kept);
    }
  });

  test('of which one is bad: the good one is taken, whichever is first', async () => {
    const bad: readonly [Buffer, Record<string, string>, number, string][] = [
      [sound, { 'repr-digest': digestField(other) }, 400, 'digest-mismatch'],
      [sound.subarray(0, sound.length - 1), {}, 400, 'length-mismatch'],
      [Buffer.from('\x80\x02}q\x00.', 'latin1'), {}, 422, 'header-truncated'],
    ];
    for (const [body, headers, status, code] of [...bad, ...bad]) {
      const good = (): Promise<Answer> => api.put(path(), sound);
      const refused = (): Promise<Answer> => api.put(path(), body, headers);
      const goodFirst = step % 2 === 0;
      const [first, second] = await Promise.all(goodFirst ? [good(), refused()] : [refused(), good()]);
      readJson(goodFirst ? first! : second!, 202);
      const answer = goodFirst ? second! : first!;
      // If it comes after the good one, it is compared with the stored file, and differs.
      if (answer.status !== 409) expectProblem(answer, status, code);
      else expectProblem(answer, 409, 'step-exists');
      await api.ready(path());
      expect((await api.get(`${path()}/files/model.safetensors`)).bytes.equals(sound)).toBe(true);
      expect((await api.ask('DELETE', path())).status).toBe(204);
      await expectKept(hub, api, kept);
      step++;
    }
  });

  test('a refused one leaves a reservation that the client had made as it is', async () => {
    readJson(await api.post(`${run}/checkpoints`, { step, files: [{ path: 'model.safetensors' }] }), 201);
    expectProblem(await api.put(path(), sound, { 'repr-digest': digestField(other) }), 400, 'digest-mismatch');
    expect(await api.read(path())).toMatchObject({
      state: 'open',
      files: [{ path: 'model.safetensors', received: false }],
    });
    readJson(await api.put(path(), sound), 202);
    await api.ready(path());
  });
});

describe('a checkpoint', () => {
  const tensors = { 'a.weight': f32Tensor([2, 4], [1, 2, 3, 4, 5, 6, 7, 8]), b: f32Tensor([2], [0.5, -0.5]) };

  test.each([
    ['another shape', { ...tensors, b: f32Tensor([3], [1, 2, 3]) }, /"b" is F32 \[3\]; in the run it is F32 \[2\]/],
    ['a transposed shape', { ...tensors, 'a.weight': f32Tensor([4, 2], [1, 2, 3, 4, 5, 6, 7, 8]) }, /"a.weight"/],
    ['another dtype', { ...tensors, b: { dtype: 'I32', shape: [2], bytes: new Uint8Array(8) } }, /"b" is I32/],
    ['a tensor too few', { b: tensors.b }, /"a.weight" of the run is missing/],
    ['a tensor too many', { ...tensors, c: f32Tensor([1], [1]) }, /"c" is not in the run/],
  ])('with %s than its run is refused, and leaves nothing behind', async (_, other, sentence) => {
    expect(
      expectProblem(await api.put(`${run}/checkpoints/${step}`, safetensorsFile(other)), 422, 'layout-mismatch').detail,
    ).toMatch(sentence);
    await expectUntouched();
  });

  test('with another shape can be corrected while it is open', async () => {
    const checkpoint = `${run}/checkpoints/${step}`;
    readJson(await api.post(`${run}/checkpoints`, { step, files: [{ path: 'model.safetensors' }] }), 201);
    readJson(await api.put(`${checkpoint}/files/model.safetensors`, safetensorsFile({ b: tensors.b })), 201);
    expectProblem(await api.post(`${checkpoint}/commit`), 422, 'layout-mismatch');
    expect((await api.read(checkpoint)).state).toBe('open');
    readJson(await api.put(`${checkpoint}/files/model.safetensors`, sound), 201);
    readJson(await api.post(`${checkpoint}/commit`), 202);
    await api.ready(checkpoint);
    expect((await api.ask('DELETE', checkpoint)).status).toBe(204);
    await expectKept(hub, api, kept);
  });

  test('whose files hold a tensor twice, or a sensitivity for no tensor, is refused at its commit', async () => {
    const checkpoint = `${run}/checkpoints/${step}`;
    const gradient = safetensorsFile({ stranger: f32Tensor([1], [1]) });
    for (const [path, bytes, code] of [
      ['more.safetensors', safetensorsFile({ b: tensors.b }), 'tensor-duplicate'],
      ['model.grad.safetensors', gradient, 'layout-mismatch'],
      ['model.grad.safetensors', safetensorsFile({ b: f32Tensor([3], [1, 2, 3]) }), 'layout-mismatch'],
    ] as const) {
      readJson(await api.post(`${run}/checkpoints`, { step }), 201);
      readJson(await api.put(`${checkpoint}/files/model.safetensors`, sound), 201);
      readJson(await api.put(`${checkpoint}/files/${path}`, bytes), 201);
      expectProblem(await api.post(`${checkpoint}/commit`), 422, code);
      expect((await api.ask('DELETE', checkpoint)).status).toBe(204);
    }
    await expectUntouched();
  });

  test('of a step that exists with other bytes is refused with the call that forks', async () => {
    const other = safetensorsFile({ ...tensors, b: f32Tensor([2], [1, 1]) });
    for (const answer of [
      await api.put(`${run}/checkpoints/0`, other),
      await api.put(`${run}/checkpoints/0/files/model.safetensors`, other),
      await api.put(`${run}/checkpoints/0/files/another.bin`, other),
      await api.post(`${run}/checkpoints`, { step: 0, files: [{ path: 'model.safetensors' }] }),
    ]) {
      const { detail } = expectProblem(answer, 409, 'step-exists');
      expect(detail).toContain(`POST ${repository}/runs`);
      expect(detail).toContain('"forkFrom": {"run": "exact", "step": ');
    }
    await expectKept(hub, api, kept);
    expect((await api.get(`${run}/checkpoints/0/files/model.safetensors`)).bytes.equals(sound)).toBe(true);
  });

  test('nothing of all this counted as a failure of the server', async () => {
    expect((await api.get('/metrics')).bytes.toString()).not.toMatch(/status="500"/);
    // The S3 SDK prints which versions of Node it will drop.
    const output = hub.output().replace(/\(node:\d+\) Warning: NodeVersionSupportWarning[^]*?created\)\n/, '');
    expect(output.replace(/.*"overloaded".*\n/g, '')).toBe('');
  });
});
