import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { createApp } from '../app.ts';
import { formatDigest } from '../answer/digest-fields.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';

let gateway: TestGateway;
let call: Call;
beforeAll(async () => {
  gateway = await openTestGateway({ limits: { graphBytesMax: 1000 } });
  call = caller(createApp(gateway));
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.judgeEvalSet = async () => undefined;
});

const sets = '/v1/repositories/acme/lm/eval-sets';
const metric = { name: 'accuracy', kind: 'accuracy', output: 'logits', labels: 'y' };
const spec = { inputs: { x: 'x' }, metrics: [metric] };
const batches = safetensors({ x: { shape: [2, 2], values: ramp(4, 1) } });

async function upload(name: string): Promise<void> {
  await call('POST', sets, { name, spec });
  expect((await call('PUT', `${sets}/${name}/graph`, Buffer.from('onnx'))).status).toBe(200);
  expect((await call('PUT', `${sets}/${name}/batches`, batches)).status).toBe(200);
}

describe('eval sets', () => {
  it('takes graph and batches, checks them at the commit, and stays as it is', async () => {
    const created = await call('POST', sets, { name: 'held-out', spec });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`${sets}/held-out`);
    expect(created.json).toMatchObject({ state: 'open', spec });
    expect((await call('POST', `${sets}/held-out/commit`)).json.code).toBe('upload-incomplete');
    await upload('held-out');
    const before = (await call('GET', `${sets}/held-out`)).headers.get('etag')!;
    const other = { 'if-match': '"0123456789abcdef0123456789abcdef"' };
    expect((await call('POST', `${sets}/held-out/commit`, undefined, other)).status).toBe(412);
    expect((await call('GET', `${sets}/held-out`)).json.state).toBe('open');
    const committed = await call('POST', `${sets}/held-out/commit`, undefined, { 'if-match': before });
    expect(committed.status).toBe(200);
    expect(committed.json).toMatchObject({
      state: 'ready',
      graph: { sizeBytes: 4 },
      batches: { sizeBytes: batches.length },
    });
    expect((await call('POST', `${sets}/held-out/commit`)).status).toBe(200);
    expect((await call('PUT', `${sets}/held-out/graph`, Buffer.from('other'))).json.code).toBe('conflict');
    expect((await call('GET', sets)).json.items.map((item: { name: string }) => item.name)).toContain('held-out');
  });

  it('measures a checkpoint on request, at the commit or apart, and says what it found', async () => {
    await upload('measured');
    await call('POST', '/v1/repositories/acme/lm/runs', { name: 'train', fidelity: 'exact' });
    await call('PUT', '/v1/repositories/acme/lm/runs/train/checkpoints/7', batches);
    const report = {
      values: { accuracy: 0.5 },
      understood: ['"accuracy": ...'],
      warnings: [],
      secondsPerEvaluation: 0.25,
    };
    const asked: unknown[] = [];
    gateway.examine = async (evalSet, checkpoint) => {
      asked.push([evalSet.name, checkpoint.step]);
      return report;
    };
    const checked = await call('POST', `${sets}/measured/check?checkpoint=train@7`);
    expect([checked.status, checked.json]).toEqual([200, report]);
    expect((await call('GET', `${sets}/measured`)).json.state).toBe('open');
    const committed = await call('POST', `${sets}/measured/commit?check=train@7`);
    expect(committed.json).toMatchObject({ state: 'ready', check: report });
    expect(asked).toEqual([
      ['measured', 7],
      ['measured', 7],
    ]);
    expect((await call('POST', `${sets}/measured/check?checkpoint=train@8`)).json.code).toBe('not-found');
    const malformed = await call('POST', `${sets}/measured/check?checkpoint=train`);
    expect([malformed.status, malformed.json.code]).toEqual([400, 'invalid-request']);
  });

  it('leaves a set open whose check with a checkpoint fails', async () => {
    await upload('to-mend');
    gateway.examine = async () => {
      throw new FirnError('eval-label-mismatch', 'Labels look odd.');
    };
    const refused = await call('POST', `${sets}/to-mend/commit?check=train@7`);
    expect([refused.status, refused.json.code]).toEqual([422, 'eval-label-mismatch']);
    expect((await call('GET', `${sets}/to-mend`)).json.state).toBe('open');
  });

  it.each([
    ['overloaded', 503],
    ['storage-full', 507],
    ['eval-memory', 422],
  ] as const)(
    'says of a check that is refused as %s when to come back, if that helps, and commits nothing',
    async (code, status) => {
      await call('POST', sets, { name: `busy-${code}`, spec });
      gateway.examine = async () => {
        throw new FirnError(code, 'Too many checks.');
      };
      for (const way of ['check?checkpoint=train@7', 'commit?check=train@7']) {
        const refused = await call('POST', `${sets}/busy-${code}/${way}`);
        expect([refused.status, refused.json.detail, refused.headers.has('retry-after')]).toEqual([
          status,
          'Too many checks.',
          status > 500,
        ]);
      }
      expect((await call('GET', `${sets}/busy-${code}`)).json.state).toBe('open');
    },
  );

  it('answers the reason of a failed check, and keeps it', async () => {
    await upload('bad');
    gateway.judgeEvalSet = async () => {
      throw new FirnError('graph-missing-weights', 'The graph has weights that nothing provides.');
    };
    const failed = await call('POST', `${sets}/bad/commit`);
    expect(failed.status).toBe(422);
    expect(failed.json.code).toBe('graph-missing-weights');
    expect((await call('GET', `${sets}/bad`)).json).toMatchObject({
      state: 'failed',
      error: { code: 'graph-missing-weights' },
    });
    expect((await call('DELETE', `${sets}/bad`)).status).toBe(204);
    expect((await call('GET', `${sets}/bad`)).status).toBe(404);
  });

  it('refuses batches that are not safetensors, too large a graph and a wrong digest', async () => {
    await call('POST', sets, { name: 'parts', spec });
    expect((await call('PUT', `${sets}/parts/batches`, Buffer.from('garbage garbage'))).status).toBe(422);
    expect((await call('PUT', `${sets}/parts/graph`, Buffer.alloc(1001))).json.code).toBe('payload-too-large');
    expect(
      (await call('PUT', `${sets}/parts/graph`, Buffer.from('x'), { 'repr-digest': formatDigest('0'.repeat(64)) })).json
        .code,
    ).toBe('digest-mismatch');
    expect((await call('GET', `${sets}/parts`)).json.graph).toBeUndefined();
  });

  it('is kept while a run uses it', async () => {
    await upload('used');
    await call('POST', `${sets}/used/commit`);
    await call('POST', '/v1/repositories/acme/lm/runs', { name: 'user', evalSet: 'used' });
    expect((await call('DELETE', `${sets}/used`)).json.code).toBe('conflict');
  });

  it('takes what labels and outputs mean, kinds without labels, and constants', async () => {
    const metrics = [
      { name: 'kl', kind: 'kl-divergence', output: 'logits' },
      { name: 'same', kind: 'agreement', output: 'logits', classAxis: 'second' },
      { name: 'top', kind: 'top-k-accuracy', output: 'logits', labels: 'y', k: 3 },
    ];
    const full = { inputs: { x: 'x' }, metrics, labels: 'probabilities', constants: ['*.mask'], unused: ['ema.*'] };
    const created = await call('POST', sets, { name: 'full', spec: full });
    expect([created.status, created.json.spec]).toEqual([201, full]);
  });

  it.each([
    [{ ...spec, metrics: [] }],
    [{ ...spec, metrics: [{ ...metric, kind: 'accuracy', k: 3 }] }],
    [{ ...spec, metrics: [{ ...metric, kind: 'top-k-accuracy', k: 0 }] }],
    [{ ...spec, metrics: [{ ...metric, kind: 'top-k-accuracy', k: 1001 }] }],
    [{ ...spec, metrics: [{ ...metric, classAxis: 'first' }] }],
    [{ ...spec, labels: 'one-hot' }],
    [{ ...spec, constants: [''] }],
    [{ ...spec, unused: ['*'] }],
    [{ ...spec, metrics: [metric, metric] }],
    [{ ...spec, metrics: [{ ...metric, kind: 'bleu' }] }],
    [{ ...spec, metrics: [{ ...metric, labels: undefined }] }],
    [{ ...spec, batchRows: 0 }],
    [{ metrics: [metric] }],
    [{ ...spec, tensorMap: { a: {} } }],
    [{ ...spec, unknown: true }],
  ])('refuses the spec %j', async (bad) => {
    expect((await call('POST', sets, { name: 'spec', spec: bad })).status).toBe(400);
  });
});
