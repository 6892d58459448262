import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import { expectCode } from '../catalog/catalog-fixtures.test-support.ts';
import type { DeviceKind } from '../checkpoint/device-kind.ts';
import type { FirnError } from '../checkpoint/firn-error.ts';
import { loadCore } from '../native/load-core.ts';
import { deviceFailure } from '../evaluate/device/device-failure.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import type { CompressContext } from './compress-context.ts';
import { openCompressHarness, withGradients, type CompressHarness } from './harness/compress-harness.test-support.ts';
import { f32, noise, tinyGradients, tinyWeights } from './harness/tiny-model.test-support.ts';

const upload = withGradients(tinyWeights(0), tinyGradients(0));
/** With a block that a device takes, exact too. Each is another: a copy says what compressed the first. */
const large = (seed: number) =>
  withGradients({ ...tinyWeights(0), 'wide.weight': f32([200, 200], noise(40_000, seed)) }, tinyGradients(0));
let harness: CompressHarness;
/** What each request was to run on, in order. */
let asked: DeviceKind[];
/** Errors of evaluations on the GPU that a job went on after. */
let failures: FirnError[];

beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());
beforeEach(() => {
  [asked, failures] = [[], []];
});
afterEach(async () => expect(await harness.scratch()).toEqual([]));

interface Worker {
  readonly kinds: readonly DeviceKind[];
  readonly fallsBack?: boolean;
  /** Which evaluation on the GPU fails, counted from 1. */
  readonly failsAt?: number;
}

/** A worker whose evaluations for a GPU run on the processor, because there is no GPU here. */
function workerWith({ kinds, fallsBack = true, failsAt = 0 }: Worker): CompressContext {
  const { evaluator } = harness;
  let onGpu = 0;
  const note = <T extends { readonly device?: DeviceKind }>({ device, ...request }: T) => {
    asked.push(device ?? 'cpu');
    if (device === 'cuda' && ++onGpu === failsAt) throw deviceFailure('out of memory');
    return request;
  };
  const pretending: Evaluator = {
    ...evaluator,
    kinds: async () => kinds,
    fallsBack,
    evaluate: async (request, signal) => evaluator.evaluate(note(request), signal),
    evaluateParts: async (request, parts, signal) => evaluator.evaluateParts(note(request), parts, signal),
    examine: async (request, signal) => evaluator.examine(note(request), signal),
    inputGrams: async (request, signal) => evaluator.inputGrams(note(request), signal),
  };
  return harness.context({ evaluator: pretending, onDeviceFailure: (error) => failures.push(error) });
}

const both = { kinds: ['cpu', 'cuda'] } as const;
const cpu = { kinds: ['cpu'] } as const;
const measuredOn = ({ result }: Checkpoint): DeviceKind | undefined => result?.measuredOn;
const devicesOfTrials = async ({ id }: Checkpoint) =>
  (await harness.catalog.trials.list(id)).map(({ device, search }) => [search, device]);

describe('a checkpoint', () => {
  test.each([
    ['preferred', both, 'cuda'],
    ['preferred', cpu, 'cpu'],
    ['none', both, 'cpu'],
    ['required', both, 'cuda'],
  ] as const)('of a run with the wish %s, on a worker with %j, is measured on %s alone', async (device, on, kind) => {
    const run = await harness.newRun({ device });
    const ready = await harness.push(run, 0, upload, { ctx: workerWith(on) });
    expect([ready.state, measuredOn(ready)]).toEqual(['ready', kind]);
    expect(asked.length).toBeGreaterThan(2);
    expect(new Set(asked)).toEqual(new Set([kind]));
    expect(new Set((await harness.catalog.trials.list(ready.id)).map((trial) => trial.device))).toEqual(
      new Set([kind]),
    );
  });

  test('that requires a GPU is not measured without one', async () => {
    const run = await harness.newRun({ device: 'required' });
    await harness.queue(run, 0, upload);
    await expectCode(harness.work(workerWith(cpu)), 'eval-device');
    expect(asked).toEqual([]);
    await harness.work(workerWith(both));
  });

  test('without anything to measure says nothing of devices, and needs none', async () => {
    const run = await harness.newRun({ fidelity: 'exact', device: 'required' });
    const ready = await harness.push(run, 0, upload, { ctx: workerWith(cpu) });
    expect([ready.state, measuredOn(ready), asked]).toEqual(['ready', undefined, []]);
  });
});

describe('the device that a worker encodes on', () => {
  const core = loadCore({ device: { kind: 'emulated' }, threads: 2 });

  test.each([
    ['preferred', 'lossy', 'emulated', 1],
    ['none', 'lossy', 'cpu', 2],
    ['preferred', 'exact', 'emulated', 3],
    ['required', 'exact', 'emulated', 4],
    ['none', 'exact', 'cpu', 5],
  ] as const)('of a run with `%s` (%s) it is %s', async (device, fidelity, expected, seed) => {
    const before = core.deviceFigures()!.works;
    const run =
      fidelity === 'exact'
        ? await harness.newRun({ device, fidelity })
        : await harness.newFixedRun({ method: 'residual', step: -64 }, { device });
    const checkpoint = await harness.push(run, 0, large(seed), { ctx: harness.context({ core }) });
    expect(checkpoint).toMatchObject({ state: 'ready', result: { encodedOn: expected } });
    expect(core.deviceFigures()!.works > before).toBe(expected === 'emulated');
  });
});

describe('an evaluation that fails on the GPU', () => {
  test.each([1, 2, 4])('as number %i has the checkpoint begun again on the processor, once', async (failsAt) => {
    const run = await harness.newRun({ device: 'preferred' });
    const ready = await harness.push(run, 0, upload, { ctx: workerWith({ ...both, failsAt }) });
    expect([ready.state, measuredOn(ready)]).toEqual(['ready', 'cpu']);
    expect(failures).toMatchObject([{ code: 'eval-device', detail: 'out of memory' }]);
    const switched = asked.indexOf('cpu');
    expect(switched).toBe(failsAt);
    expect(new Set(asked.slice(switched))).toEqual(new Set(['cpu']));

    const undisturbed = await harness.push(await harness.newRun(), 0, upload, { ctx: workerWith(cpu) });
    expect(await sameFigures(ready)).toEqual(await sameFigures(undisturbed));
  });

  test.each([
    ['that requires it', 'required', true],
    ['on a worker that is to use nothing else', 'preferred', false],
  ] as const)('fails the try of a checkpoint %s', async (_, device, fallsBack) => {
    const run = await harness.newRun({ device });
    const queued = await harness.queue(run, 0, upload);
    await expectCode(harness.work(workerWith({ ...both, failsAt: 2, fallsBack })), 'eval-device');
    expect([failures, new Set(asked)]).toEqual([[], new Set(['cuda'])]);
    await harness.work(workerWith(both));
    expect(measuredOn(await harness.checkpoint(queued.id))).toBe('cuda');
  });
});

describe('a search that a worker takes over', () => {
  /** Lets a worker die in the middle of a search, after it recorded trials. */
  async function interrupted(worker: Worker, trials: number): Promise<Checkpoint> {
    const queued = await harness.queue(await harness.newRun(), 0, upload);
    const stop = new AbortController();
    const ctx: CompressContext = {
      ...workerWith(worker),
      publish: (_, { type }) => {
        if (type !== 'changed') return;
        void harness.catalog.trials.list(queued.id).then((recorded) => {
          if (recorded.length >= trials) stop.abort(new Error('killed'));
        });
      },
    };
    await expect(harness.work(ctx, stop.signal)).rejects.toThrow();
    expect((await devicesOfTrials(queued)).length).toBeGreaterThanOrEqual(trials);
    return queued;
  }

  test.each([
    ['a GPU', 'one without', both, cpu],
    ['no GPU', 'one with it', cpu, both],
  ] as const)('from one with %s is begun anew by %s: no figure is used twice', async (_, __, first, second) => {
    const queued = await interrupted(first, 2);
    const before = await devicesOfTrials(queued);
    const kind: DeviceKind = second === both ? 'cuda' : 'cpu';
    asked = [];
    await harness.work(workerWith(second));
    const ready = await harness.checkpoint(queued.id);
    expect([ready.state, measuredOn(ready), new Set(asked)]).toEqual(['ready', kind, new Set([kind])]);
    const after = await devicesOfTrials(queued);
    // The upload, then every trial: as many as a search from the beginning has.
    const anew = after.filter(([search]) => search === 2);
    expect(after).toEqual([...before, ...anew]);
    expect(anew.every(([, device]) => device === kind)).toBe(true);
    expect(asked).toHaveLength(anew.length + 1);
    const fresh = await harness.push(await harness.newRun(), 0, upload, { ctx: workerWith(second) });
    expect(anew).toHaveLength((await devicesOfTrials(fresh)).length);
  });

  test('from one of the same kind goes on: what was tried is not tried again', async () => {
    const queued = await interrupted(both, 2);
    const before = await devicesOfTrials(queued);
    asked = [];
    await harness.work(workerWith(both));
    const after = await devicesOfTrials(queued);
    expect(after.every(([search, device]) => search === 1 && device === 'cuda')).toBe(true);
    // The upload, and the trials that are left: the config that is stored is one of them.
    expect(asked).toHaveLength(after.length - before.length + 1);
  });
});

/** What two encodes of the same upload agree in. */
async function sameFigures({ id, result }: Checkpoint) {
  const { baseline, measured, config, storedBytes, trialCount } = result!;
  return { baseline, measured, config, storedBytes, trialCount, package: await sizeOfPackage(id) };
}

async function sizeOfPackage(checkpointId: string): Promise<number> {
  return (await harness.packageBytes(await harness.checkpoint(checkpointId))).length;
}
