import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classifierBatches, classifierGraph, classifierRows, classifierSpec, classifierWeights } from './classifier.ts';
import { expectProblem } from './expect-problem.ts';
import {
  commitEvalSet,
  createEvalSet,
  createRepository,
  createRun,
  givenConfig,
  pushOne,
  type EvalSetParts,
} from './hub-fixtures.ts';
import { HubApi, readJson, sha256 } from './hub-api.ts';
import { f32Tensor, i64Tensor, safetensorsFile } from './safetensors-file.ts';
import { startHub, type Hub } from './start-hub.ts';
import { expectKept, keptBytes } from './stored-objects.ts';
import {
  brokenGraph,
  linearBatches,
  linearFile,
  linearGraph,
  linearSpec,
  outsideConstantGraph,
  strayGraph,
  trapGraph,
  unknownOperatorGraph,
} from './trap-graph.ts';

/** Short enough for a test, long enough for a normal evaluation on a busy machine. */
const deadlineS = 3;

let hub: Hub;
let api: HubApi;
let repository: string;
let sets = 0;

beforeAll(async () => {
  hub = await startHub({ environment: { FIRN_EVAL_DEADLINE_S: String(deadlineS), FIRN_EVAL_MEMORY_MIB: '256' } });
  api = new HubApi(hub.url);
  repository = await createRepository(api, 'evaluations');
});

afterAll(() => hub?.stop());

const rows = classifierRows(classifierWeights(0));
const rowCount = rows.labels.length;
const sound = { spec: classifierSpec, graph: classifierGraph(), batches: classifierBatches(rows) };
const ids = i64Tensor([rowCount, 4], rows.ids);
const labels = i64Tensor([rowCount], rows.labels);
const metric = classifierSpec.metrics[0];
/** Every index of the rows, or every label, moved by `by`. */
const moved = (values: readonly number[], by: number): number[] => values.map((value) => value + by);

/** The mistake, the parts that differ from a valid set, the code. */
const badSets: readonly [string, Partial<EvalSetParts>, string, RegExp][] = [
  ['a graph that is none', { graph: Buffer.from('this is no protobuf at all') }, 'graph-invalid', /ONNX/],
  ['a graph cut short', { graph: sound.graph.subarray(0, sound.graph.length - 3) }, 'graph-invalid', /ONNX/],
  [
    'a graph with an operator that nobody knows',
    { spec: linearSpec, batches: linearBatches(), graph: unknownOperatorGraph() },
    'graph-invalid',
    /./,
  ],
  [
    'a graph with a constant in a file',
    { spec: linearSpec, batches: linearBatches(), graph: outsideConstantGraph() },
    'graph-external-data',
    /"c"/,
  ],
  [
    'inputs of another shape than the graph takes',
    { batches: safetensorsFile({ ids: i64Tensor([rowCount, 5], new Array<number>(rowCount * 5).fill(1)), labels }) },
    'eval-input-mismatch',
    /"ids".*\[rows, 4\].*\[192, 5\]/,
  ],
  [
    'inputs of another rank',
    { batches: safetensorsFile({ ids: i64Tensor([rowCount], rows.labels), labels }) },
    'eval-input-mismatch',
    /"ids"/,
  ],
  [
    'inputs of another type',
    { batches: safetensorsFile({ ids: f32Tensor([rowCount, 4], rows.ids), labels }) },
    'eval-input-mismatch',
    /I64.*F32/,
  ],
  [
    'inputs beyond the vocabulary',
    { batches: safetensorsFile({ ids: i64Tensor([rowCount, 4], moved(rows.ids, 1000)), labels }) },
    'eval-input-mismatch',
    /Gather.*10\d\d/,
  ],
  [
    'an input that the batches lack',
    { batches: safetensorsFile({ other: ids, labels }) },
    'eval-input-mismatch',
    /"ids"/,
  ],
  [
    'an input that the graph lacks',
    { spec: { ...classifierSpec, inputs: { ids: 'ids', mask: 'ids' } } },
    'eval-input-mismatch',
    /"mask"/,
  ],
  ['an input that nothing feeds', { spec: { ...classifierSpec, inputs: {} } }, 'eval-input-mismatch', /"ids"/],
  [
    'no rows',
    { batches: safetensorsFile({ ids: i64Tensor([0, 4], []), labels: i64Tensor([0], []) }) },
    'eval-input-mismatch',
    /rows/,
  ],
  [
    'fewer labels than rows',
    { batches: safetensorsFile({ ids, labels: i64Tensor([rowCount - 1], rows.labels.slice(1)) }) },
    'eval-label-mismatch',
    /"labels"/,
  ],
  [
    'labels of another shape than the logits',
    { batches: safetensorsFile({ ids, labels: i64Tensor([rowCount, 3], new Array<number>(rowCount * 3).fill(0)) }) },
    'eval-label-mismatch',
    /Labels "labels" \(I64 \[192, 3\]\) do not fit an output of shape \[192, 16\]/,
  ],
  [
    'labels beyond the classes',
    { batches: safetensorsFile({ ids, labels: i64Tensor([rowCount], moved(rows.labels, 16)) }) },
    'eval-label-mismatch',
    /at row 0 .* of "labels" \(I64 \[192\]\) is not one of the 16 classes/,
  ],
  [
    'a label beyond the classes in the last row alone',
    { batches: safetensorsFile({ ids, labels: i64Tensor([rowCount], [...rows.labels.slice(0, -1), 16]) }) },
    'eval-label-mismatch',
    /Label 16 at row 191 .* is not one of the 16 classes/,
  ],
  [
    'an input beyond the vocabulary in the last row alone',
    { batches: safetensorsFile({ ids: i64Tensor([rowCount, 4], [...rows.ids.slice(0, -1), 1000]), labels }) },
    'eval-input-mismatch',
    /Gather.*1000/,
  ],
  ['labels that the batches lack', { batches: safetensorsFile({ ids }) }, 'eval-label-mismatch', /"labels"/],
  [
    'a metric of an output that the graph lacks',
    { spec: { ...classifierSpec, metrics: [{ ...metric, output: 'guesses' }] } },
    'metric-unknown',
    /"guesses"/,
  ],
  [
    'a graph that never ends',
    { spec: linearSpec, batches: linearBatches(), graph: brokenGraph('endless') },
    'eval-timeout',
    /./,
  ],
  [
    'a graph that eats memory',
    { spec: linearSpec, batches: linearBatches(), graph: brokenGraph('hungry') },
    'eval-memory',
    /./,
  ],
];

describe('an eval set with', () => {
  test.each(badSets)(
    '%s is refused with the reason, serves no run, and can be deleted and made anew',
    async (_, wrong, code, sentence) => {
      const kept = await keptBytes(api);
      const name = `set-${++sets}`;
      const path = `${repository}/eval-sets/${name}`;
      expect(
        expectProblem(await commitEvalSet(api, repository, { ...sound, name, ...wrong }), 422, code).detail,
      ).toMatch(sentence);
      expect(await api.read(path)).toMatchObject({ state: 'failed', error: { code } });
      expectProblem(await api.post(`${path}/commit`), 422, code);
      expectProblem(await api.post(`${repository}/runs`, { name: 'none', evalSet: name }), 409, 'eval-set-not-ready');
      expectProblem(await api.get(`${repository}/runs/none`), 404, 'not-found');
      expect((await api.ask('DELETE', path)).status).toBe(204);
      expectProblem(await api.get(path), 404, 'not-found');
      await expectKept(hub, api, kept);
      await createEvalSet(api, repository, { ...sound, name });
      expect((await api.ask('DELETE', path)).status).toBe(204);
      await expectKept(hub, api, kept);
    },
  );

  test('parts that are missing or no files of their kind is refused', async () => {
    const kept = await keptBytes(api);
    const path = `${repository}/eval-sets/parts`;
    readJson(await api.post(`${repository}/eval-sets`, { name: 'parts', spec: classifierSpec }), 201);
    expectProblem(await api.post(`${path}/commit`), 409, 'upload-incomplete');
    expectProblem(await api.put(`${path}/graph`, Buffer.alloc(0)), 400, 'empty-body');
    expectProblem(await api.put(`${path}/batches`, Buffer.from('PK\x03\x04 a zip of pickles')), 422, 'not-safetensors');
    expectProblem(await api.put(`${path}/batches`, sound.batches.subarray(0, -1)), 400, 'length-mismatch');
    readJson(await api.put(`${path}/graph`, sound.graph), 200);
    expectProblem(await api.post(`${path}/commit`), 409, 'upload-incomplete');
    expectProblem(await api.post(`${repository}/runs`, { name: 'none', evalSet: 'parts' }), 409, 'eval-set-not-ready');
    expect((await api.ask('DELETE', path)).status).toBe(204);
    await expectKept(hub, api, kept);
  });

  test('a ready check is closed: its parts cannot be replaced', async () => {
    await createEvalSet(api, repository, { ...sound, name: 'closed' });
    expectProblem(
      await api.put(`${repository}/eval-sets/closed/graph`, classifierGraph().subarray(1)),
      409,
      'conflict',
    );
    expectProblem(await api.post(`${repository}/eval-sets`, { name: 'closed', spec: classifierSpec }), 409, 'conflict');
    expectProblem(
      await api.post(`${repository}/runs`, { name: 'r', evalSet: 'closed', thresholds: { speed: 1 } }),
      422,
      'metric-unknown',
    );
  });
});

describe('a checkpoint whose evaluation', () => {
  /**
   * The checkpoint fails with the reason, its bytes stay, the steps around it are ready, and it can be pushed again.
   */
  async function expectFailure(run: string, code: string, sentence = /\S/): Promise<void> {
    const [before, bad, after] = [linearFile(1, 0), linearFile(2, 1), linearFile(3, 0)];
    await pushOne(api, run, 1, before);
    const failed = await pushOne(api, run, 2, bad);
    await pushOne(api, run, 3, after);
    expect(await api.settled(failed)).toMatchObject({
      state: 'failed',
      error: { code, message: expect.stringMatching(sentence) },
    });
    expect(await api.ready(`${run}/checkpoints/3`)).toMatchObject({ result: { kind: 'delta', ancestorStep: 1 } });
    const problem = expectProblem(await api.get(`${failed}/files/model.safetensors`), 409, 'checkpoint-failed');
    expect(problem.detail).toContain('?as=uploaded');
    expectProblem(await api.get(`${failed}/package`), 409, 'checkpoint-failed');
    const uploaded = await api.get(`${failed}/files/model.safetensors?as=uploaded`);
    expect(sha256(uploaded.bytes)).toBe(sha256(bad));
    expect((await api.ask('DELETE', failed)).status).toBe(204);
    expectProblem(await api.get(failed), 404, 'not-found');
    await api.ready(await pushOne(api, run, 2, linearFile(2, 0)));
  }

  test.each([
    ['never ends', 'endless', 'eval-timeout'],
    ['eats memory', 'hungry', 'eval-memory'],
  ] as const)('%s fails with the reason, its bytes stay, and its run goes on', async (_, kind, code) => {
    await createEvalSet(api, repository, {
      name: kind,
      spec: linearSpec,
      graph: trapGraph(kind),
      batches: linearBatches(),
    });
    const run = await createRun(api, repository, {
      name: kind,
      evalSet: kind,
      thresholds: { error: 10 },
      allowLarge: true,
      search: { fixedConfig: givenConfig },
    });
    await expectFailure(run, code);
  });

  test('fails in the runtime names node and operator, and repeats what the runtime says', async () => {
    await createEvalSet(api, repository, {
      name: 'stray',
      spec: linearSpec,
      graph: strayGraph(),
      batches: linearBatches(),
    });
    const run = await createRun(api, repository, {
      name: 'stray',
      evalSet: 'stray',
      search: { fixedConfig: givenConfig },
    });
    await expectFailure(
      run,
      'eval-input-mismatch',
      // The pattern is one sentence.
      // eslint-disable-next-line max-len
      /^The runtime fails at node "\/lookup\/Gather" \(Gather\): indices element out of data bounds, idx=1 must be within/,
    );
  });

  test('would miss weights that the graph needs is refused at its upload, with their names', async () => {
    await createEvalSet(api, repository, {
      name: 'needy',
      spec: linearSpec,
      graph: linearGraph(['missing.bias']),
      batches: linearBatches(),
    });
    const run = await createRun(api, repository, { name: 'needy', evalSet: 'needy' });
    const refused = await api.put(`${run}/checkpoints/1`, linearFile(1, 0));
    expect(expectProblem(refused, 422, 'graph-missing-weights').detail).toContain('missing.bias');
    expectProblem(await api.get(`${run}/checkpoints/1`), 404, 'not-found');
    const whole = safetensorsFile({
      'w.weight': f32Tensor(
        [16, 32],
        new Float32Array(512).map((_, at) => Math.sin(at)),
      ),
      'missing.bias': f32Tensor([32], new Float32Array(32)),
    });
    await api.ready(await pushOne(api, run, 1, whole));
  });

  test('has other shapes than the graph is refused at its upload, and its reservation stays', async () => {
    await createEvalSet(api, repository, {
      name: 'narrow',
      spec: linearSpec,
      graph: linearGraph(),
      batches: linearBatches(),
    });
    const run = await createRun(api, repository, { name: 'narrow', evalSet: 'narrow' });
    const checkpoint = `${run}/checkpoints/1`;
    readJson(await api.post(`${run}/checkpoints`, { step: 1 }), 201);
    readJson(
      await api.put(
        `${checkpoint}/files/model.safetensors`,
        safetensorsFile({ 'w.weight': f32Tensor([16, 31], new Float32Array(16 * 31).fill(1)) }),
      ),
      201,
    );
    expectProblem(await api.post(`${checkpoint}/commit`), 422, 'eval-input-mismatch');
    expect(await api.read(checkpoint)).toMatchObject({
      state: 'open',
      files: [{ path: 'model.safetensors', received: true }],
    });
    readJson(await api.put(`${checkpoint}/files/model.safetensors`, linearFile(1, 0)), 201);
    readJson(await api.post(`${checkpoint}/commit`), 202);
    await api.ready(checkpoint);
  });

  test('the hub is well after all this, and has no evaluation left over', async () => {
    expect(readJson(await api.get('/readyz'), 200).status).toBe('ready');
    await createEvalSet(api, repository, { ...sound, name: 'last' });
  });
});
