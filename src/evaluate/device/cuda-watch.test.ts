import { expect, test } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { CudaWatch, type CudaWatchOptions } from './cuda-watch.ts';
import type { DeviceReport } from './device-report.ts';

const broken: DeviceReport = { kind: 'cpu', reason: 'No driver.', detail: 'CUDA failure 35' };
const minuteMs = 60_000;

/** A watch whose children answer in turn, the last answer again and again. */
function watchOf(on: CudaWatchOptions['on'], ...answers: (DeviceReport | Error)[]) {
  const reports: DeviceReport[] = [];
  const clock = { nowMs: 0 };
  let asked = 0;
  const watch = new CudaWatch({
    on,
    missing: () => undefined,
    ask: async () => {
      const answer = answers[Math.min(asked++, answers.length - 1)]!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onReport: (report) => reports.push(report),
    nowMs: () => clock.nowMs,
  });
  return { watch, reports, clock, asked: () => asked };
}

test('with cpu nobody is asked', async () => {
  const { watch, asked, reports } = watchOf('cpu', { kind: 'cuda' });
  expect(await watch.kinds()).toEqual(['cpu']);
  await watch.require();
  expect([asked(), reports]).toEqual([0, []]);
});

test('with auto a device that does not start means the processor, which is said once', async () => {
  const { watch, asked, reports } = watchOf('auto', broken);
  expect(await Promise.all([watch.kinds(), watch.kinds()])).toEqual([['cpu'], ['cpu']]);
  expect(await watch.kinds()).toEqual(['cpu']);
  await watch.require();
  expect([asked(), reports]).toEqual([1, [broken]]);
});

test('with cuda it means that nothing can be done, and one sentence', async () => {
  const { watch } = watchOf('cuda', broken);
  expect(await watch.kinds()).toEqual([]);
  await expect(watch.require()).rejects.toMatchObject({
    code: 'eval-device',
    message: 'FIRN_EVALUATE_ON=cuda: No driver.',
    detail: 'CUDA failure 35',
  });
});

test('a device that starts is used, and asked again only after a failure', async () => {
  const { watch, asked, reports, clock } = watchOf('auto', { kind: 'cuda' }, broken, { kind: 'cuda' });
  expect(await watch.kinds()).toEqual(['cpu', 'cuda']);
  clock.nowMs = 1000 * minuteMs;
  expect(await watch.kinds()).toEqual(['cpu', 'cuda']);
  expect(asked()).toBe(1);
  watch.failed();
  expect(await watch.kinds()).toEqual(['cpu']);
  clock.nowMs += 9 * minuteMs;
  expect(await watch.kinds()).toEqual(['cpu']);
  expect(asked()).toBe(2);
  clock.nowMs += minuteMs;
  expect(await watch.kinds()).toEqual(['cpu', 'cuda']);
  expect([asked(), reports]).toEqual([3, [{ kind: 'cuda' }, broken, { kind: 'cuda' }]]);
});

test('a child that ends while it starts is a device that does not start', async () => {
  const { watch, reports } = watchOf(
    'auto',
    new FirnError('eval-crashed', 'The evaluation process ended unexpectedly.', { detail: 'SIGSEGV' }),
  );
  expect(await watch.kinds()).toEqual(['cpu']);
  expect(reports).toEqual([
    {
      kind: 'cpu',
      reason: 'A process that evaluates with CUDA does not start: The evaluation process ended unexpectedly.',
      detail: 'SIGSEGV',
    },
  ]);
});

test('a provider that is not installed starts no child', async () => {
  const reports: DeviceReport[] = [];
  const watch = new CudaWatch({
    on: 'auto',
    missing: () => 'It is not installed.',
    ask: () => Promise.reject(new Error('asked')),
    onReport: (report) => reports.push(report),
  });
  expect(await watch.kinds()).toEqual(['cpu']);
  expect(reports).toEqual([{ kind: 'cpu', reason: 'It is not installed.' }]);
});
