import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classifierRows, classifierSpec, classifierWeights } from './classifier.ts';
import { expectProblem } from './expect-problem.ts';
import { createClassifierSet, createRepository, createRun, pushOne } from './hub-fixtures.ts';
import { HubApi, readJson, type Answer, type Json } from './hub-api.ts';
import { f32Tensor, safetensorsFile } from './safetensors-file.ts';
import { startHub, type Hub } from './start-hub.ts';

let hub: Hub;
let api: HubApi;
let dataDirectory: string;

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'firn-acceptance-'));
  hub = await startHub({ dataDirectory });
  api = new HubApi(hub.url);
});

afterAll(async () => {
  await hub?.stop();
  await rm(dataDirectory, { recursive: true, force: true });
});

const one = safetensorsFile({ w: f32Tensor([2], [1, 2]) });

describe('the service', () => {
  test('says that it is alive and ready', async () => {
    expect(readJson(await api.get('/healthz'), 200)).toEqual({ status: 'ok' });
    const checks = { process: 'ok', catalog: 'ok', store: 'ok', workers: 'ok', claims: 'ok', evaluation: 'ok' };
    // On a busy machine the first evaluation process takes a few seconds to start; the hub is degraded until then.
    await expect
      .poll(async () => readJson(await api.get('/readyz'), 200), { timeout: 60_000, interval: 500 })
      .toMatchObject({ status: 'ready', checks, workers: { living: 1 } });
  });

  test('describes itself: OpenAPI 3.1, every problem code with its status', async () => {
    const document = await api.read('/openapi.json');
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(Object.keys(document.paths)).toContain(
      '/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/files/{path}',
    );
    const codes: string[] = document.components.schemas.Problem.properties.code.enum;
    for (const code of codes) {
      const kind = await api.read(`/problems/${code}`);
      const sentence = expect.stringMatching(/\S/);
      expect(kind).toEqual({
        code,
        status: expect.any(Number),
        title: sentence,
        cause: sentence,
        remedy: sentence,
        example: sentence,
      });
    }
    expectProblem(await api.get('/problems/no-such-code'), 404, 'not-found');
  });

  test('counts what it answers', async () => {
    const metrics = await api.get('/metrics');
    expect(metrics.status).toBe(200);
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(metrics.bytes.toString()).toMatch(/^firn_http_\w+\{[^}]*status="200"[^}]*\} \d/m);
  });
});

describe('listing', () => {
  test('repositories, eval sets and runs: by name, page by page', async () => {
    for (const name of ['c', 'a', 'b']) await createRepository(api, `list-${name}`);
    const first = await api.read('/v1/repositories?limit=2');
    expect(first.items).toHaveLength(2);
    const rest = await api.read(`/v1/repositories?limit=1000&after=${encodeURIComponent(first.next)}`);
    const names = [...first.items, ...rest.items].map(({ name }: Json) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['list-a', 'list-b', 'list-c']));
    expect(rest.next).toBeUndefined();

    const repository = '/v1/repositories/acme/list-a';
    expect(await api.read(repository)).toMatchObject({ namespace: 'acme', name: 'list-a', type: 'model' });
    const rows = classifierRows(classifierWeights(0));
    for (const name of ['set-2', 'set-1']) await createClassifierSet(api, repository, rows, name);
    expect((await api.read(`${repository}/eval-sets`)).items.map(({ name, state }: Json) => [name, state])).toEqual([
      ['set-1', 'ready'],
      ['set-2', 'ready'],
    ]);
    expect(await api.read(`${repository}/eval-sets/set-1`)).toMatchObject({
      spec: classifierSpec,
      graph: { sizeBytes: expect.any(Number) },
    });
    for (const name of ['r2', 'r1']) await createRun(api, repository, { name, evalSet: 'set-1' });
    expect((await api.read(`${repository}/runs?limit=1`)).items.map(({ name }: Json) => name)).toEqual(['r1']);
    expect((await api.read(`${repository}/runs?limit=1&after=r1`)).items.map(({ name }: Json) => name)).toEqual(['r2']);
    expect(await api.read(`${repository}/runs/r1`)).toMatchObject({
      fidelity: 'lossy',
      evalSet: 'set-1',
      thresholds: { loss: 0.005 },
    });
    expectProblem(await api.get(`${repository}/runs?limit=0`), 400, 'invalid-request');

    expect((await api.ask('DELETE', `${repository}/eval-sets/set-2`)).status).toBe(204);
    expectProblem(await api.get(`${repository}/eval-sets/set-2`), 404, 'not-found');
    expectProblem(await api.ask('DELETE', `${repository}/eval-sets/set-1`), 409, 'conflict');
  });
});

describe('an Idempotency-Key', () => {
  test('makes a POST take effect once and repeats its answer', async () => {
    const headers = { 'idempotency-key': 'one-repository' };
    const input = { namespace: 'acme', name: 'once' };
    const answers = [
      await api.post('/v1/repositories', input, headers),
      await api.post('/v1/repositories', input, headers),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]!.bytes.equals(answers[0]!.bytes)).toBe(true);
    expect(answers.map((answer) => answer.headers.get('location'))).toEqual(
      Array(2).fill(answers[0]!.headers.get('location')),
    );
    expect(answers.map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expectProblem(await api.post('/v1/repositories', input), 409, 'conflict');
    expectProblem(
      await api.post('/v1/repositories', { ...input, name: 'other' }, headers),
      409,
      'idempotency-conflict',
    );
    expectProblem(
      await api.post('/v1/repositories', input, { 'idempotency-key': 'x'.repeat(300) }),
      400,
      'invalid-request',
    );
  });

  test('repeats the answer to a reservation and to a commit, also later', async () => {
    const run = await createRun(api, '/v1/repositories/acme/once', { name: 'keyed' });
    const reserve = () =>
      api.post(
        `${run}/checkpoints`,
        { step: 1, files: [{ path: 'model.safetensors' }] },
        { 'idempotency-key': 'reserve-1' },
      );
    const commit = () => api.post(`${run}/checkpoints/1/commit`, undefined, { 'idempotency-key': 'commit-1' });
    const reserved = readJson(await reserve(), 201);
    expect(readJson(await reserve(), 201)).toEqual(reserved);
    // A refused request had no effect, so its key is free for the next try.
    expectProblem(await commit(), 409, 'upload-incomplete');
    readJson(await api.put(`${run}/checkpoints/1/files/model.safetensors`, one), 201);
    readJson(await commit(), 202);
    await api.ready(`${run}/checkpoints/1`);
    const replayed = await commit();
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    expect((await api.read(`${run}/checkpoints`)).items).toHaveLength(1);
  });
});

describe('a request that is not valid', () => {
  const repository = '/v1/repositories/acme/refusals';
  let run: string;

  beforeAll(async () => {
    run = await createRun(api, await createRepository(api, 'refusals'), { name: 'r' });
    await api.ready(await pushOne(api, run, 1, one));
  });

  const invalid: readonly [string, () => Promise<Answer>, number, string][] = [
    ['an unknown path', () => api.get('/v2/nothing'), 404, 'not-found'],
    ['an unknown repository', () => api.get('/v1/repositories/acme/absent'), 404, 'not-found'],
    ['an unknown run', () => api.get(`${repository}/runs/absent/checkpoints`), 404, 'not-found'],
    ['an unknown step', () => api.get(`${run}/checkpoints/99`), 404, 'not-found'],
    ['an unknown file', () => api.get(`${run}/checkpoints/1/files/absent.bin`), 404, 'not-found'],
    ['a wrong method', () => api.ask('DELETE', '/v1/repositories'), 405, 'method-not-allowed'],
    [
      'no JSON',
      () =>
        api.ask('POST', '/v1/repositories', {
          body: Buffer.from('{"namespace"'),
          headers: { 'content-type': 'application/json' },
        }),
      400,
      'invalid-request',
    ],
    [
      'another media type',
      () =>
        api.ask('POST', '/v1/repositories', { body: Buffer.from('a=b'), headers: { 'content-type': 'text/plain' } }),
      415,
      'unsupported-media-type',
    ],
    [
      'an unknown key',
      () => api.post('/v1/repositories', { namespace: 'acme', name: 'x', colour: 'red' }),
      400,
      'invalid-request',
    ],
    [
      'a name that is not allowed',
      () => api.post('/v1/repositories', { namespace: 'acme', name: '../x' }),
      400,
      'invalid-request',
    ],
    ['a reserved run name', () => api.post(`${repository}/runs`, { name: 'main' }), 400, 'invalid-request'],
    ['a run name like a step', () => api.post(`${repository}/runs`, { name: 'step-5' }), 400, 'invalid-request'],
    ['a taken run name', () => api.post(`${repository}/runs`, { name: 'r' }), 409, 'conflict'],
    [
      'a lossy run without a measure',
      () => api.post(`${repository}/runs`, { name: 'l', fidelity: 'lossy' }),
      400,
      'invalid-request',
    ],
    [
      'thresholds without an eval set',
      () => api.post(`${repository}/runs`, { name: 'l', thresholds: { loss: 1 } }),
      400,
      'invalid-request',
    ],
    ['an unknown eval set', () => api.post(`${repository}/runs`, { name: 'l', evalSet: 'absent' }), 404, 'not-found'],
    [
      'too many levels',
      () => api.post(`${repository}/runs`, { name: 'l', search: { bins: [256] } }),
      400,
      'invalid-request',
    ],
    ['a negative step', () => api.post(`${run}/checkpoints`, { step: -1 }), 400, 'invalid-request'],
    ['a step that is no number', () => api.get(`${run}/checkpoints/last`), 400, 'invalid-request'],
    [
      'a file announced twice',
      () => api.post(`${run}/checkpoints`, { step: 2, files: [{ path: 'a' }, { path: 'a' }] }),
      400,
      'invalid-request',
    ],
    [
      'a path that climbs',
      () => api.post(`${run}/checkpoints`, { step: 2, files: [{ path: '../../etc/passwd' }] }),
      400,
      'invalid-request',
    ],
    [
      'an encoded path that climbs',
      () => api.get(`${run}/checkpoints/1/files/..%2F..%2Fsecret`),
      400,
      'invalid-request',
    ],
    [
      'an encoded body',
      () => api.put(`${run}/checkpoints/2`, one, { 'content-encoding': 'gzip' }),
      415,
      'unsupported-media-type',
    ],
    [
      'a digest that is none',
      () => api.put(`${run}/checkpoints/2`, one, { 'repr-digest': 'sha-256=:abc:' }),
      400,
      'invalid-request',
    ],
    ['a committed checkpoint cancelled', () => api.post(`${run}/checkpoints/1/cancel`), 409, 'conflict'],
    [
      'an eval set without metrics',
      () => api.post(`${repository}/eval-sets`, { name: 'm', spec: { inputs: {}, metrics: [] } }),
      400,
      'invalid-request',
    ],
  ];

  test.each(invalid)('%s', async (_, ask, status, code) => {
    expectProblem(await ask(), status, code);
    expect((await api.read(`${run}/checkpoints`)).items.map(({ step }: Json) => step)).toEqual([1]);
  });

  test('names the methods that a path answers', async () => {
    const answer = await api.ask('DELETE', '/v1/repositories');
    expect(answer.headers.get('allow')).toContain('GET');
  });

  test('nothing of it counted as a failure of the server', async () => {
    const counted = (await api.get('/metrics')).bytes.toString();
    expect(counted).not.toMatch(/status="5\d\d"/);
    expect(hub.output()).toBe('');
  });
});

describe('a process', () => {
  test('has its data directory to itself', async () => {
    await expect(startHub({ dataDirectory })).rejects.toThrow(/in use by process \d+/);
    expect((await api.get('/healthz')).status).toBe(200);
  });

  test('refuses keys it does not know, naming each', async () => {
    await expect(startHub({ environment: { FIRN_COLOUR: 'red', FIRN_LEASE_S: 'soon' } })).rejects.toThrow(
      /FIRN_LEASE_S.*FIRN_COLOUR|FIRN_COLOUR.*FIRN_LEASE_S/,
    );
  });

  test('drains on SIGTERM: requests and event streams end, and the next one finds everything', async () => {
    const run = '/v1/repositories/acme/refusals/runs/r';
    readJson(await api.post(`${run}/checkpoints`, { step: 5, files: [{ path: 'model.safetensors' }] }), 201);
    readJson(await api.put(`${run}/checkpoints/5/files/model.safetensors`, one), 201);
    const paths = ['/v1/repositories', run, `${run}/checkpoints`, `${run}/checkpoints/1`, `${run}/checkpoints/5`];
    const before = await Promise.all(paths.map((path) => api.read(path)));
    const following = api.events(`${run}/checkpoints/5`);
    await hub.stop();
    expect(hub.process.exitCode).toBe(0);
    expect((await following).at(-1)).toMatchObject({ event: 'state', data: { state: 'open' } });
    hub = await startHub({ dataDirectory });
    api = new HubApi(hub.url);
    expect(await Promise.all(paths.map((path) => api.read(path)))).toEqual(before);
    expect((await api.get(`${run}/checkpoints/1/files/model.safetensors`)).bytes.equals(one)).toBe(true);
    readJson(await api.post(`${run}/checkpoints/5/commit`), 202);
    await api.ready(`${run}/checkpoints/5`);
  });
});
