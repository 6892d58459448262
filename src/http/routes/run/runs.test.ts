import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultSearchOptions } from '../../../checkpoint/options/search-options.ts';
import { createApp } from '../../app.ts';
import { openTestGateway, type TestGateway } from '../../gateway.test-support.ts';
import { caller, type Call } from '../../http-client.test-support.ts';
import { ramp, safetensors } from '../../safetensors.test-support.ts';

let gateway: TestGateway;
let call: Call;
const repository = '/v1/repositories/acme/lm';
const runs = `${repository}/runs`;
const model = safetensors({ w: { shape: [4], values: ramp(4, 1) } });

const steps = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 2);
const shares = (count: number): number[] => Array.from({ length: count }, (_, i) => i / 100);

beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
  const metrics = [
    { name: 'loss', kind: 'loss', output: 'loss' },
    { name: 'accuracy', kind: 'accuracy', output: 'logits', labels: 'y' },
  ];
  for (const name of ['ready', 'open']) {
    await call('POST', `${repository}/eval-sets`, { name, spec: { inputs: { x: 'x' }, metrics } });
    await call('PUT', `${repository}/eval-sets/${name}/graph`, Buffer.from('onnx'));
    await call('PUT', `${repository}/eval-sets/${name}/batches`, model);
  }
  await call('POST', `${repository}/eval-sets/ready/commit`);
});
afterAll(() => gateway.close());

describe('runs', () => {
  it('is exact without an eval set, with every search option in place', async () => {
    const created = await call('POST', runs, { name: 'plain' });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`${runs}/plain`);
    expect(created.json).toMatchObject({
      name: 'plain',
      fidelity: 'exact',
      thresholds: {},
      search: defaultSearchOptions,
      layerTypes: {},
      seed: '42',
    });
    expect((await call('GET', `${runs}/plain`)).json).toEqual(created.json);
    expect((await call('POST', runs, { name: 'plain' })).json.code).toBe('conflict');
  });

  it('keeps an older spelling of a search option in its present one', async () => {
    const created = await call('POST', runs, { name: 'older', search: { rounding: 'dead-zone' } });
    expect(created.json).toMatchObject({ name: 'older', search: { rounding: 'archive' } });
  });

  it('is lossy with an eval set, half a percent on its first metric', async () => {
    expect((await call('POST', runs, { name: 'lossy', evalSet: 'ready' })).json).toMatchObject({
      fidelity: 'lossy',
      evalSet: 'ready',
      thresholds: { loss: 0.005 },
    });
  });

  it('says in words what its thresholds allow, when created, read, listed and changed', async () => {
    const words = [
      "accuracy may fall by at most 2 % of the uploaded checkpoint's",
      "loss may grow by at most 0.5 % of the uploaded checkpoint's",
    ];
    const created = await call('POST', runs, {
      name: 'worded',
      evalSet: 'ready',
      thresholds: { accuracy: 0.02, loss: 0.005 },
    });
    expect([...created.json.thresholdsInWords].sort()).toEqual(words);
    expect((await call('GET', `${runs}/worded`)).json).toEqual(created.json);
    expect((await call('GET', runs)).json.items).toContainEqual(created.json);
    const changed = await call('PATCH', `${runs}/worded`, { thresholds: { loss: 0.25 } });
    expect([changed.status, changed.json]).toEqual([
      200,
      {
        ...created.json,
        thresholds: { loss: 0.25 },
        thresholdsInWords: ["loss may grow by at most 25 % of the uploaded checkpoint's"],
      },
    ]);
    expect((await call('PATCH', `${runs}/worded`, { allowLarge: true })).json.code).toBe('invalid-request');
    expect((await call('PATCH', `${runs}/worded`, { evalSet: 'open' })).json.code).toBe('eval-set-not-ready');
    expect((await call('PATCH', `${runs}/none`, { evalSet: 'ready' })).status).toBe(404);
  });

  it('takes a large threshold only if that is said, and its forks inherit it', async () => {
    const large = { name: 'large', evalSet: 'ready', thresholds: { loss: 3 } };
    const refused = await call('POST', runs, large);
    expect([refused.status, refused.json.code]).toEqual([400, 'invalid-request']);
    expect(refused.json.detail).toMatch(/3 of "loss" .*loss may grow by at most 300 %.*"allowLarge": true/);
    expect((await call('POST', runs, { ...large, allowLarge: true })).status).toBe(201);
    await call('PUT', `${runs}/large/checkpoints/1`, model);
    expect(
      (await call('POST', runs, { name: 'large-fork', forkFrom: { run: 'large', step: 1 } })).json.thresholds,
    ).toEqual({ loss: 3 });
  });

  it('is lossy with a fixed config', async () => {
    const fixedConfig = { bins: 8, embeddingBins: 16, pruneFraction: 0, protectFraction: 0.005 };
    const created = await call('POST', runs, { name: 'fixed', search: { fixedConfig } });
    expect(created.json).toMatchObject({
      fidelity: 'lossy',
      search: { fixedConfig: { ...fixedConfig, method: 'inshrinkerator', pruneMetric: 'magnitude' } },
    });
  });

  it('stores optimizer state exact by default, role by role', async () => {
    const exact = { firstMoment: 'exact', secondMoment: 'exact', momentum: 'exact' };
    expect((await call('POST', runs, { name: 'state-plain' })).json).toMatchObject({ state: exact });
    const state = { secondMoment: 'bounded', names: { secondMoment: ['nu'] } };
    const created = await call('POST', runs, { name: 'state-bounded', state });
    expect(created.json).toMatchObject({ fidelity: 'exact', state: { ...exact, ...state } });
    expect((await call('GET', `${runs}/state-bounded`)).json).toEqual(created.json);
    const patterns = { firstMoment: ['m_*', 'exp_avg/*', 'opt.first.layer1.weight'], secondMoment: ['*'.repeat(256)] };
    expect((await call('POST', runs, { name: 'state-patterns', state: { names: patterns } })).json).toMatchObject({
      state: { ...exact, names: patterns },
    });
    const masters = await call('POST', runs, {
      name: 'state-masters',
      state: { master: 'weights', names: { master: ['wide'] } },
    });
    expect(masters.json).toMatchObject({ state: { ...exact, master: 'weights', names: { master: ['wide'] } } });
  });

  it('lists in pages by name', async () => {
    for (const name of ['zz-1', 'zz-2']) await call('POST', runs, { name });
    const page = await call('GET', `${runs}?after=zz&limit=1`);
    expect(page.json).toMatchObject({ items: [{ name: 'zz-1' }], next: 'zz-1' });
  });

  it.each([
    [{ name: 'main' }, 'invalid-request'],
    [{ name: 'step-1' }, 'invalid-request'],
    [{ name: 'a', evalSet: 'none' }, 'not-found'],
    [{ name: 'a', evalSet: 'open' }, 'eval-set-not-ready'],
    [{ name: 'a', evalSet: 'ready', thresholds: { f1: 0.1 } }, 'metric-unknown'],
    [{ name: 'a', evalSet: 'ready', thresholds: {} }, 'invalid-request'],
    [{ name: 'a', evalSet: 'ready', thresholds: { loss: -1 } }, 'invalid-request'],
    [{ name: 'a', thresholds: { loss: 0.1 } }, 'invalid-request'],
    [{ name: 'a', fidelity: 'lossy' }, 'invalid-request'],
    [{ name: 'a', search: { bins: [1] } }, 'invalid-request'],
    [{ name: 'a', state: { firstMoment: 'lossy' } }, 'invalid-request'],
    [{ name: 'a', state: { master: 'bounded' } }, 'invalid-request'],
    [{ name: 'a', state: { names: { momentum: [''] } } }, 'invalid-request'],
    [{ name: 'a', state: { names: { momentum: ['*'.repeat(257)] } } }, 'invalid-request'],
    [{ name: 'a', state: { names: { momentum: Array(65).fill('a*') } } }, 'invalid-request'],
    [{ name: 'a', search: { bins: [] } }, 'invalid-request'],
    [{ name: 'a', search: { bins: [4, 4] } }, 'invalid-request'],
    [{ name: 'a', search: { bins: [256] } }, 'invalid-request'],
    [{ name: 'a', search: { bins: [255], pruneFractions: [0.5] } }, 'invalid-request'],
    [{ name: 'a', search: { embeddingBins: [256] } }, 'invalid-request'],
    [{ name: 'a', search: { pruneFractions: [1] } }, 'invalid-request'],
    [{ name: 'a', search: { protectFractions: [-0.1] } }, 'invalid-request'],
    [{ name: 'a', search: { trialsMax: 0 } }, 'invalid-request'],
    [{ name: 'a', search: { evalBatches: 'thirds' } }, 'invalid-request'],
    [{ name: 'a', search: { binz: [4] } }, 'invalid-request'],
    [{ name: 'a', search: { bins: steps(64), embeddingBins: steps(64) } }, 'invalid-request'],
    [
      {
        name: 'a',
        search: { bins: steps(5), embeddingBins: steps(20), pruneFractions: shares(10), protectFractions: shares(5) },
      },
      'invalid-request',
    ],
    [{ name: 'a', layerTypes: { w: 'softmax' } }, 'invalid-request'],
    [{ name: 'a', forkFrom: { run: 'none', step: 1 } }, 'not-found'],
    [{ name: 'a', forkFrom: { run: 'plain', step: 99 } }, 'not-found'],
  ])('refuses %j as %s', async (body, code) => {
    expect((await call('POST', runs, body)).json.code).toBe(code);
  });

  it.each([
    { bins: [256], pruneFractions: [0], protectFractions: [0], embeddingBins: [256] },
    { bins: [254], embeddingBins: [255] },
    { bins: [2] },
  ])('accepts levels that fit one byte: %j', async (search) => {
    expect((await call('POST', runs, { name: `levels-${search.bins[0]}`, search })).status).toBe(201);
  });

  it('bounds the configs that a search may span, and says the bound', async () => {
    const search = { bins: steps(4), embeddingBins: steps(16), pruneFractions: shares(8), protectFractions: shares(8) };
    expect((await call('POST', runs, { name: 'wide', search })).status).toBe(201);
    const refused = await call('POST', runs, { name: 'wider', search: { ...search, bins: steps(5) } });
    expect([refused.status, refused.json.detail]).toEqual([400, expect.stringContaining('10240 configs')]);
    expect(refused.json.detail).toContain('at most 8192');
    const priced = { ...search, clustering: 'entropy', bitPrices: [1, 2] };
    expect((await call('POST', runs, { name: 'priced', search: priced })).json.detail).toContain('16384 configs');
    // The parent's search options and the fork's count together.
    await call('PUT', `${runs}/wide/checkpoints/1`, model);
    expect(
      (await call('POST', runs, { name: 'wider', forkFrom: { run: 'wide', step: 1 }, search: { bins: steps(5) } })).json
        .code,
    ).toBe('invalid-request');
  });

  it('takes prices of bits, for the search or as a given config, and returns them', async () => {
    const search = { method: 'inshrinkerator', clustering: 'entropy', bitPrices: [3, 0.25] };
    expect((await call('POST', runs, { name: 'entropy', search })).json.search).toMatchObject(search);
    const fixedConfig = { bins: 8, embeddingBins: 16, pruneFraction: 0, protectFraction: 0.005, bitPrice: 1.5 };
    expect(
      (await call('POST', runs, { name: 'entropy-given', search: { fixedConfig } })).json.search.fixedConfig,
    ).toMatchObject(fixedConfig);
    for (const bitPrices of [[], [-1], [1025], [1, 1]]) {
      expect((await call('POST', runs, { name: 'refused', search: { bitPrices } })).json.code).toBe('invalid-request');
    }
  });

  it('takes the hysteresis of a search, fixed by default, and returns it', async () => {
    expect(
      (await call('POST', runs, { name: 'hysteresis', search: { hysteresis: 'priced' } })).json.search.hysteresis,
    ).toBe('priced');
    expect((await call('POST', runs, { name: 'no-hysteresis' })).json.search.hysteresis).toBe('fixed');
    expect((await call('POST', runs, { name: 'refused', search: { hysteresis: 'cheap' } })).json.code).toBe(
      'invalid-request',
    );
  });

  it('inherits options that a fork does not set, and always the seed', async () => {
    const given = {
      name: 'parent',
      evalSet: 'ready',
      thresholds: { accuracy: 0.03 },
      search: { trialsMax: 7, evalBatches: 'halves' },
      layerTypes: { w: 'linear' },
    };
    const parent = (await call('POST', runs, given)).json;
    expect(parent.search.evalBatches).toBe('halves');
    expect((await call('PUT', `${runs}/parent/checkpoints/100`, model)).status).toBe(202);
    const fork = (await call('POST', runs, { name: 'fork', forkFrom: { run: 'parent', step: 100 } })).json;
    expect(fork).toEqual({
      ...parent,
      name: 'fork',
      createdAt: fork.createdAt,
      forkedFrom: { run: 'parent', step: 100 },
    });
    const changed = (
      await call('POST', runs, {
        name: 'fork-2',
        forkFrom: { run: 'parent', step: 100 },
        thresholds: { loss: 0.2 },
        search: { clustering: 'optimal' },
      })
    ).json;
    expect(changed).toMatchObject({
      thresholds: { loss: 0.2 },
      search: { trialsMax: 7, evalBatches: 'halves', clustering: 'optimal' },
      seed: parent.seed,
    });
    const exact = (
      await call('POST', runs, { name: 'fork-3', forkFrom: { run: 'parent', step: 100 }, fidelity: 'exact' })
    ).json;
    expect(exact.fidelity).toBe('exact');
  });

  it('does not fork from a checkpoint that is open', async () => {
    await call('POST', `${runs}/parent/checkpoints`, { step: 200 });
    const answer = await call('POST', runs, { name: 'early', forkFrom: { run: 'parent', step: 200 } });
    expect(answer.json.code).toBe('checkpoint-not-ready');
  });
});

describe('what a run would like to be measured on', () => {
  const jobOf = async (step: number) => {
    const run = await gateway.catalog.runs.find((await repositoryOf()).id, 'wishing');
    const { id } = (await gateway.catalog.checkpoints.find(run!.id, step))!;
    return gateway.catalog.jobs.find('encode', id);
  };
  const repositoryOf = async () => (await gateway.catalog.repositories.find('acme', 'lm'))!;

  it('is a GPU if one is free in time, unless it is said, and is inherited by a fork', async () => {
    expect((await call('POST', runs, { name: 'usual', evalSet: 'ready' })).json.device).toBe('preferred');
    const created = await call('POST', runs, { name: 'wishing', evalSet: 'ready', device: 'required' });
    expect(created.json.device).toBe('required');
    expect((await call('POST', runs, { name: 'other', device: 'gpu' })).json.code).toBe('invalid-request');
    await call('PUT', `${runs}/wishing/checkpoints/1`, model);
    const fork = await call('POST', runs, { name: 'wishing-too', forkFrom: { run: 'wishing', step: 1 } });
    expect(fork.json.device).toBe('required');
  });

  it('is what its jobs wish for, those that wait too once it is changed, and said of what waits', async () => {
    await call('POST', `${runs}/wishing/checkpoints`, { step: 2 });
    expect([(await jobOf(1))?.device, (await jobOf(2))?.device]).toEqual(['required', 'required']);
    const waiting = async () => (await call('GET', `${runs}/wishing/checkpoints/1`)).json.waitsFor.inWords;
    expect(await waiting()).toBe('waits for a worker with a GPU, which its run requires; none is running');
    const listed = (await call('GET', `${runs}/wishing/checkpoints`)).json.items;
    expect(listed[0].waitsFor.inWords).toBe(await waiting());
    const changed = await call('PATCH', `${runs}/wishing`, { device: 'none' });
    expect([changed.status, changed.json.device]).toEqual([200, 'none']);
    expect([(await jobOf(1))?.device, (await jobOf(2))?.device]).toEqual(['none', 'none']);
    expect(await waiting()).toBe('waits for a worker');
    await call('POST', `${runs}/wishing/checkpoints/1/cancel`);
  });

  it('is of no matter where nothing is measured: exact checkpoints wait for no GPU', async () => {
    await call('POST', runs, { name: 'exact-one', device: 'required' });
    await call('PUT', `${runs}/exact-one/checkpoints/1`, model);
    const run = await gateway.catalog.runs.find((await repositoryOf()).id, 'exact-one');
    const { id } = (await gateway.catalog.checkpoints.find(run!.id, 1))!;
    expect((await gateway.catalog.jobs.find('encode', id))?.device).toBe('none');
  });
});

describe('a run that is closed', () => {
  const step = (run: string, at: number, query = '') => `${runs}/${run}/checkpoints/${at}${query}`;

  it('refuses new steps with a plain problem, answers for old ones, and is opened again', async () => {
    await call('POST', runs, { name: 'closing' });
    expect((await call('GET', `${runs}/closing`)).json).toMatchObject({ final: false });
    await call('PUT', step('closing', 1), model);
    const closed = await call('PATCH', `${runs}/closing`, { final: true });
    expect([closed.status, closed.json]).toEqual([
      200,
      expect.objectContaining({ final: true, closedAt: expect.stringMatching(/^\d{4}-/) as string }),
    ]);
    const refusals = [
      await call('PUT', step('closing', 2), model),
      await call('POST', `${runs}/closing/checkpoints`, { step: 2 }),
    ];
    for (const { status, json } of refusals) {
      expect([status, json.code]).toEqual([409, 'run-closed']);
      expect(json.detail).toContain('PATCH the run with {"final": false}');
    }
    expect((await call('GET', step('closing', 2))).status).toBe(404);
    expect((await call('PUT', step('closing', 1), model)).status).toBe(200);
    const other = safetensors({ w: { shape: [4], values: ramp(4, 2) } });
    expect((await call('PUT', step('closing', 1), other)).json.code).toBe('step-exists');
    const opened = await call('PATCH', `${runs}/closing`, { final: false });
    expect(opened.json).toMatchObject({ final: false });
    expect(opened.json).not.toHaveProperty('closedAt');
    expect((await call('PUT', step('closing', 2), model)).status).toBe(202);
  });

  it('is closed by the commit of its last checkpoint, not by the reservation, and may be forked', async () => {
    await call('POST', runs, { name: 'ending' });
    const reserved = await call('POST', `${runs}/ending/checkpoints`, { step: 1, final: true });
    expect(reserved.json).toMatchObject({ state: 'open', final: {} });
    expect((await call('GET', `${runs}/ending`)).json.final).toBe(false);
    expect((await call('PUT', step('ending', 0), model)).status).toBe(202);
    await call('PUT', `${step('ending', 1)}/files/model.safetensors`, model);
    expect((await call('POST', `${step('ending', 1)}/commit`)).status).toBe(202);
    expect((await call('GET', `${runs}/ending`)).json.final).toBe(true);
    const fork = await call('POST', runs, { name: 'ending-2', forkFrom: { run: 'ending', step: 1 } });
    expect(fork.json).toMatchObject({ final: false });
  });

  it('is closed by a push in one request, whose own thresholds are fixed with it', async () => {
    await call('POST', runs, { name: 'pushed', evalSet: 'ready' });
    const final = { thresholds: { loss: { relative: 0.001, progress: 0.1 } } };
    const query = `?final=${encodeURIComponent(JSON.stringify(final))}`;
    expect((await call('PUT', step('pushed', 1, query), model)).json).toMatchObject({ final, ...final });
    expect((await call('PUT', step('pushed', 1, query), model)).status).toBe(200);
    expect((await call('PUT', step('pushed', 1, '?final=true'), model)).json.code).toBe('step-exists');
    expect((await call('GET', `${runs}/pushed`)).json).toMatchObject({ final: true, thresholds: { loss: 0.005 } });
  });

  it('may ask more of its last checkpoint while that waits', async () => {
    await call('POST', runs, { name: 'asking', evalSet: 'ready' });
    const none = await call('PATCH', `${runs}/asking`, { final: { exact: true } });
    expect([none.status, none.json.code, none.json.detail]).toEqual([
      409,
      'conflict',
      'The run has no checkpoint that could be its last.',
    ]);
    await call('PUT', step('asking', 1), model);
    await call('PUT', step('asking', 2), model);
    expect((await call('PATCH', `${runs}/asking`, { final: { exact: true } })).status).toBe(200);
    expect((await call('GET', step('asking', 2))).json.final).toEqual({ exact: true });
    expect((await call('GET', step('asking', 1))).json).not.toHaveProperty('final');
  });

  it.each<[string, object, number, string]>([
    ['thresholds of a metric that the set lacks', { final: { thresholds: { gone: 0.1 } } }, 422, 'metric-unknown'],
    ['large thresholds', { final: { thresholds: { loss: 5 } } }, 400, 'invalid-request'],
    ['an unknown wish', { final: { precise: true } }, 400, 'invalid-request'],
    ['nothing', {}, 400, 'invalid-request'],
  ])('is not closed with %s', async (_, change, status, code) => {
    await call('POST', runs, { name: 'stays-open', evalSet: 'ready' });
    const answer = await call('PATCH', `${runs}/stays-open`, change);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect((await call('GET', `${runs}/stays-open`)).json.final).toBe(false);
  });
});

describe('thresholds with several bounds', () => {
  it('are kept as they were given, and said in words', async () => {
    const thresholds = { loss: { relative: 0.005, progress: 0.5 }, accuracy: { absolute: 0.01 } };
    const created = await call('POST', runs, { name: 'progress', evalSet: 'ready', thresholds });
    expect([created.status, created.json]).toEqual([201, expect.objectContaining({ thresholds })]);
    expect(created.json.thresholdsInWords).toContain(
      "loss may grow by at most 0.5 % of the uploaded checkpoint's, and by at most 50 % of what it gained " +
        'since the checkpoint before',
    );
    expect((await call('PUT', `${runs}/progress/checkpoints/1`, model)).json.thresholds).toEqual(thresholds);
    const fork = await call('POST', runs, { name: 'progress-2', forkFrom: { run: 'progress', step: 1 } });
    expect(fork.json.thresholds).toEqual(thresholds);
  });

  it.each([
    [{ loss: {} }],
    [{ loss: { progress: 0 } }],
    [{ loss: { progress: 1.1 } }],
    [{ loss: { relative: 11 } }],
    [{ loss: { relative: -0.1 } }],
    [{ loss: { absolute: -1 } }],
    [{ loss: { share: 0.1 } }],
  ])('%j are refused', async (thresholds) => {
    const answer = await call('POST', runs, { name: 'refused', evalSet: 'ready', thresholds });
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid-request']);
  });
});
