import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createApp } from '../../app.ts';
import { openTestGateway, type TestGateway } from '../../gateway.test-support.ts';
import { caller, type Call } from '../../http-client.test-support.ts';
import { ramp, safetensors } from '../../safetensors.test-support.ts';

/** A folder as a Trainer leaves it: small files, and weights. */
const weights = safetensors({ w: { shape: [64], values: ramp(64, 1) } });
const small = {
  'config.json': Buffer.from('{"hidden":8}'),
  'tokenizer/vocab.txt': Buffer.from('a\nb\n'),
  'empty.txt': Buffer.alloc(0),
};
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const withContent = Object.entries(small).map(([path, bytes]) => ({ path, content: bytes.toString('base64') }));
const model = { path: 'model.safetensors', sizeBytes: weights.length, sha256: sha256(weights) };

let gateway: TestGateway;
let call: Call;
let runs = 0;
let run: string;
beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
});
beforeEach(async () => {
  await call('POST', '/v1/repositories/acme/lm/runs', { name: `r${(runs += 1)}` });
  run = `/v1/repositories/acme/lm/runs/r${runs}`;
});
afterAll(() => gateway.close());

const put = (path: string, bytes: Uint8Array) =>
  call('PUT', path, bytes, { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) });

it('takes a folder in two calls: small files with the list, and the last large one with the commit', async () => {
  const listed = await call('POST', `${run}/checkpoints`, { step: 5, files: [...withContent, model] });
  const href = `${run}/checkpoints/5/files/model.safetensors`;
  expect([listed.status, listed.json.state, listed.json.missing]).toEqual([
    201,
    'open',
    [{ path: 'model.safetensors', href }],
  ]);
  const last = await put(`${href}?commit=true`, weights);
  expect([last.status, last.json.checkpoint.state]).toEqual([201, 'queued']);
  expect(last.json.checkpoint.revision).toMatch(/^[0-9a-f]{40}$/);
  const again = await put(`${href}?commit=true`, weights);
  expect([again.status, again.json.checkpoint]).toEqual([200, last.json.checkpoint]);
  await gateway.encode();
  for (const [path, bytes] of Object.entries({ ...small, 'model.safetensors': weights }))
    expect((await call('GET', `${run}/checkpoints/5/files/${path}`)).bytes).toEqual(Buffer.from(bytes));
});

it('takes a small folder in one call, which may be sent again', async () => {
  const folder = {
    step: 1,
    commit: true,
    files: [...withContent, { path: 'model.safetensors', content: Buffer.from(weights).toString('base64') }],
  };
  const first = await call('POST', `${run}/checkpoints`, folder);
  expect([first.status, first.json.state, first.json.missing]).toEqual([202, 'queued', []]);
  const again = await call('POST', `${run}/checkpoints`, folder);
  expect([again.status, again.json]).toEqual([200, first.json]);
  await gateway.encode();
  expect((await call('POST', `${run}/checkpoints`, folder)).json.state).toBe('ready');
  const other = { ...folder, files: folder.files.slice(1) };
  expect((await call('POST', `${run}/checkpoints`, other)).json.code).toBe('step-exists');
  expect((await call('POST', `${run}/checkpoints`, { ...folder, commit: false })).json.code).toBe('step-exists');
});

it('keeps the reservation if the commit is refused, and says what is missing', async () => {
  const refused = await call('POST', `${run}/checkpoints`, { step: 2, commit: true, files: [...withContent, model] });
  expect([refused.status, refused.json.code]).toEqual([409, 'upload-incomplete']);
  const again = await call('POST', `${run}/checkpoints`, { step: 2, files: [...withContent, model] });
  expect(again.json.missing.map(({ path }: { path: string }) => path)).toEqual(['model.safetensors']);
  const early = await put(`${run}/checkpoints/2/files/config.json?commit=true`, small['config.json']);
  expect(early.json.code).toBe('upload-incomplete');
  const last = await put(`${run}/checkpoints/2/files/model.safetensors?commit=true`, weights);
  expect(last.json.checkpoint.state).toBe('queued');
});

it.each([
  [{ content: 'not base64' }, 'invalid-request'],
  [{ content: 'YQ==', sizeBytes: 2 }, 'length-mismatch'],
  [{ content: 'YQ==', sha256: 'a'.repeat(64) }, 'digest-mismatch'],
])('refuses a file with %j before anything is reserved', async (file, code) => {
  const refused = await call('POST', `${run}/checkpoints`, { step: 3, files: [{ path: 'a.txt', ...file }] });
  expect(refused.json.code).toBe(code);
  expect((await call('GET', `${run}/checkpoints/3`)).status).toBe(404);
});

it('checks content as it checks an upload', async () => {
  const broken = { path: 'model.safetensors', content: Buffer.from('no header').toString('base64') };
  const refused = await call('POST', `${run}/checkpoints`, { step: 4, files: [broken] });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect((await call('GET', `${run}/checkpoints/4`)).json.files).toMatchObject([{ received: false }]);
});
