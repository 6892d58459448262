import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { createOperationsApp } from '../operations-app.ts';

const json = Buffer.from('{"a": 1}');
const file = '/v1/repositories/acme/lm/runs/r/checkpoints/1/files/config.json';
let gateway: TestGateway;
let call: Call;
let worker: Call;

beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
  worker = caller(createOperationsApp(gateway));
});
afterAll(() => gateway.close());

it('JSON answers end with a newline, problems and repeated answers too; stored JSON comes back as it was', async () => {
  const key = { 'idempotency-key': 'k' };
  const answers = {
    created: await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' }, key),
    repeated: await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' }, key),
    page: await call('GET', '/v1/repositories'),
    health: await call('GET', '/healthz'),
    document: await call('GET', '/openapi.json'),
    absent: await call('GET', '/v1/repositories/acme/none'),
    refused: await call('POST', '/v1/repositories', { namespace: '' }),
    'absent, to a hub client': await call('GET', '/api/models/acme/none'),
    'of large files': await call('POST', '/acme/lm.git/info/lfs/objects/batch', {
      operation: 'upload',
      objects: [],
    }),
    'of a worker': await worker('GET', '/readyz'),
    'absent at a worker': await worker('GET', '/v1/repositories'),
  };
  const statuses = Object.values(answers).map(({ status }) => status);
  expect(statuses).toEqual([201, 201, 200, 200, 200, 404, 400, 404, 200, 200, 404]);
  for (const [name, { bytes, headers }] of Object.entries(answers)) {
    const type = headers.get('content-type');
    expect(type, name).toMatch(/^application\/(?:problem\+|vnd\.git-lfs\+)?json(?:; charset=utf-8)?$/);
    expect([...bytes.subarray(-2)], name).toEqual(['}'.charCodeAt(0), '\n'.charCodeAt(0)]);
  }
  await call('POST', '/v1/repositories/acme/lm/runs', { name: 'r', fidelity: 'exact' });
  await call('POST', '/v1/repositories/acme/lm/runs/r/checkpoints', { step: 1 });
  expect((await call('PUT', file, json)).status).toBe(201);
  expect((await call('GET', `${file}?as=uploaded`)).bytes.equals(json)).toBe(true);
});
