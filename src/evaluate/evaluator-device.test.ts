import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { DeviceKind } from '../checkpoint/device-kind.ts';
import { buildModel, floats, node, value } from '../graph/onnx/build-model.ts';
import { childCommand } from './child/child-command.ts';
import { EvaluationChild } from './child/evaluation-child.ts';
import { createEvaluator } from './create-evaluator.ts';
import { missingCudaProvider } from './device/cuda-provider.ts';
import type { DeviceReport } from './device/device-report.ts';
import { EvalFiles, f32 } from './eval-files.test-support.ts';
import type { EvaluationRequest } from './evaluation-request.ts';
import type { ProbedEvaluator } from './evaluator.ts';

const limits = { deadlineMs: 30_000, memoryMaxBytes: 2 ** 30 };
let folder: string;
let files: EvalFiles;
let evaluator: ProbedEvaluator;
let reports: DeviceReport[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-device-'));
  files = new EvalFiles(folder);
});
afterEach(() => evaluator.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** y = x + w, whose mean squared difference from t is 1 with w = 1. */
function request(device?: DeviceKind): EvaluationRequest {
  const graph = buildModel({
    inputs: [value('x', ['N'])],
    outputs: [value('y', ['N'])],
    initializers: [floats('w', [1], [0])],
    nodes: [node('Add', ['x', 'w'], ['y'])],
  });
  return {
    evalSet: {
      graphPath: files.write(graph),
      batchesPath: files.writeTensors({ x: f32([2], 1, 2), t: f32([2], 1, 2) }),
      spec: { inputs: { x: 'x' }, metrics: [{ name: 'mse', kind: 'mse', output: 'y', labels: 't' }] },
    },
    binding: { w: { tensor: 'w', transpose: false } },
    weightPaths: [files.writeTensors({ w: f32([1], 1) })],
    ...(device !== undefined && { device }),
  };
}

/** Children with CUDA that run `source`; others are real. */
function withCudaChildren(source: string, on: 'auto' | 'cuda' = 'auto'): ProbedEvaluator {
  const modulePath = join(folder, `child-${Math.random()}.mjs`);
  writeFileSync(modulePath, source);
  reports = [];
  return createEvaluator({
    ...limits,
    on,
    parallel: 1,
    onDevice: (report) => reports.push(report),
    seam: {
      startChild: (device) =>
        new EvaluationChild(
          device === 'cpu'
            ? childCommand({ memoryMaxBytes: limits.memoryMaxBytes })
            : { modulePath, execPath: process.execPath, execArgv: [] },
        ),
      missingCuda: () => undefined,
    },
  });
}

const says = (report: DeviceReport) => `process.send({ kind: 'ready', device: ${JSON.stringify(report)} });`;
/** Answers pings, and evaluations by `reply`. */
const answers = (reply: string) =>
  `process.on('message', ({ kind }) => { if (kind === 'ping') process.send({ kind: 'alive' }); else ${reply}; });`;
const evaluated = `process.send({ kind: 'evaluated', values: { mse: 7 } })`;

describe('an evaluator', { timeout: 60_000 }, () => {
  test('with a GPU sends it the requests for it, and no others', async () => {
    evaluator = withCudaChildren(`${answers(evaluated)} ${says({ kind: 'cuda' })}`);
    expect(await evaluator.kinds()).toEqual(['cpu', 'cuda']);
    expect(await evaluator.evaluate(request('cuda'))).toEqual({ mse: 7 });
    expect(await evaluator.evaluate(request('cpu'))).toEqual({ mse: 1 });
    expect(await evaluator.evaluate(request())).toEqual({ mse: 1 });
    await evaluator.requireDevice();
    expect(reports).toEqual([{ kind: 'cuda' }]);
  });

  test.each([
    ['dies', `process.kill(process.pid, 'SIGSEGV')`, /^eval-crashed: .*SIGSEGV/s],
    [
      'has too little memory',
      `process.send({ kind: 'failed', code: 'eval-memory', message: 'too much' })`,
      /^eval-memory: too much$/,
    ],
    [
      'says that the device failed',
      `process.send({ kind: 'failed', code: 'eval-device', message: 'It failed.', detail: 'x' })`,
      /^x$/,
    ],
  ])('whose child on the GPU %s says so, and asks again whether there is one', async (_, reply, detail) => {
    evaluator = withCudaChildren(`${answers(reply)} ${says({ kind: 'cuda' })}`);
    await evaluator.kinds();
    await expect(evaluator.evaluate(request('cuda'))).rejects.toMatchObject({
      code: 'eval-device',
      detail: expect.stringMatching(detail),
    });
    expect(await evaluator.kinds()).toEqual(['cpu', 'cuda']);
    expect(await evaluator.evaluate(request('cpu'))).toEqual({ mse: 1 });
  });

  test('leaves errors that no GPU is to blame for as they are', async () => {
    const reply = `process.send({ kind: 'failed', code: 'eval-label-mismatch', message: 'no such labels' })`;
    evaluator = withCudaChildren(`${answers(reply)} ${says({ kind: 'cuda' })}`);
    await expect(evaluator.evaluate(request('cuda'))).rejects.toMatchObject({ code: 'eval-label-mismatch' });
  });

  test('never takes the figures of a child that says it has no GPU for those of one', async () => {
    evaluator = withCudaChildren(`${answers(evaluated)} ${says({ kind: 'cpu', reason: 'No driver.' })}`);
    await expect(evaluator.evaluate(request('cuda'))).rejects.toMatchObject({
      code: 'eval-device',
      detail: 'No driver.',
    });
  });

  test('says what a child wrote to stderr before it reported that there is no GPU', async () => {
    const source = `${answers(evaluated)} process.stderr.write('libcudnn.so.9: cannot open', () => {
      ${says({ kind: 'cpu', reason: 'It cannot be loaded.', detail: 'Failed to load' })} });`;
    evaluator = withCudaChildren(source, 'cuda');
    expect(await evaluator.kinds()).toEqual([]);
    const refused = { code: 'eval-device', message: 'FIRN_EVALUATE_ON=cuda: It cannot be loaded.' };
    await expect(evaluator.requireDevice()).rejects.toMatchObject(refused);
    await expect(evaluator.probe()).rejects.toMatchObject(refused);
    expect(reports).toEqual([
      {
        kind: 'cpu',
        reason: 'It cannot be loaded.',
        detail: expect.stringMatching(/^Failed to load\nlibcudnn\.so\.9/),
      },
    ]);
  });

  // The real child and the real runtime, which say what is the case wherever the provider is not installed.
  test.runIf(missingCudaProvider() !== undefined)('without a provider reports it, from a child too', async () => {
    const start = (device: DeviceKind) =>
      new EvaluationChild(childCommand({ memoryMaxBytes: limits.memoryMaxBytes, device }));
    reports = [];
    const onDevice = (report: DeviceReport): void => void reports.push(report);
    evaluator = createEvaluator({ ...limits, on: 'auto', onDevice });
    expect(await evaluator.kinds()).toEqual(['cpu']);
    await evaluator.close();
    const seam = { startChild: start, missingCuda: () => undefined };
    evaluator = createEvaluator({ ...limits, on: 'auto', onDevice, seam });
    expect(await evaluator.kinds()).toEqual(['cpu']);
    expect(reports.map(({ kind }) => kind)).toEqual(['cpu', 'cpu']);
    expect(reports[0]!.reason).toMatch(/ is not installed; /);
    expect(reports[1]!.reason).toMatch(/^onnxruntime cannot load its CUDA provider/);
    // A request for the GPU reaches the runtime, which refuses the session.
    const refused = { code: 'eval-device', detail: expect.stringContaining('Failed to load shared library') };
    await expect(evaluator.evaluate(request('cuda'))).rejects.toMatchObject(refused);
    expect(await evaluator.evaluate(request('cpu'))).toEqual({ mse: 1 });
  });

  test('runs one evaluation at once on a GPU unless told otherwise', () => {
    evaluator = createEvaluator({ ...limits, on: 'auto' });
    expect(evaluator.parallelOn('cuda')).toBe(1);
    const given = createEvaluator({ ...limits, parallel: 3, on: 'auto' });
    expect([given.parallelOn('cpu'), given.parallelOn('cuda')]).toEqual([3, 3]);
  });
});
