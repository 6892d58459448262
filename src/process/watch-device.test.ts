import { Registry } from 'prom-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import type { DeviceFigures } from '../native/core.ts';
import { deviceMetrics } from '../upkeep/process-metrics.ts';
import { deviceFailuresToLog, openCore } from './watch-device.ts';

let lines: { readonly level: string; readonly fields: object; readonly text: string }[];
beforeEach(() => {
  lines = [];
});
const log = {
  info: (fields: object, text: string) => void lines.push({ level: 'info', fields, text }),
  warn: (fields: object, text: string) => void lines.push({ level: 'warn', fields, text }),
  error: (fields: object, text: string) => void lines.push({ level: 'error', fields, text }),
};
const figures = (changes: Partial<DeviceFigures>): DeviceFigures => ({
  name: 'emulated',
  totalBytes: 0,
  budgetBytes: 1000,
  usedBytes: 10,
  peakBytes: 4,
  uploadedBytes: 5,
  downloadedBytes: 6,
  works: 7,
  declined: 1,
  failures: 0,
  busySeconds: 2,
  lost: false,
  lastFailure: '',
  ...changes,
});

describe('the core of a process', () => {
  test('of a worker has the device of the configuration, within its budget, and says so', () => {
    const config = readConfig({ FIRN_DEVICE: 'emulated', FIRN_DEVICE_MEMORY_MIB: '3' });
    const core = openCore(config, log, { isWorker: true });
    expect(core.deviceFigures()).toMatchObject({ name: 'emulated', budgetBytes: 3 * 2 ** 20 });
    expect(lines).toEqual([expect.objectContaining({ level: 'info', text: 'opened a device' })]);
  });

  test.each([
    ['of a gateway has none', { FIRN_DEVICE: 'emulated' }, false],
    ['has none by default', {}, true],
    ['has none with cpu', { FIRN_DEVICE: 'cpu' }, true],
  ])('%s', (_, environment, isWorker) => {
    const core = openCore(readConfig(environment), log, { isWorker });
    expect(core.deviceFigures()).toBeUndefined();
    expect(lines).toEqual([]);
  });

  // The CUDA part is not built beside the addon here.
  test.each([
    ['cuda:1', 'warn'],
    ['auto', 'info'],
  ])('with %s says in one sentence that there is no device', (FIRN_DEVICE, level) => {
    const core = openCore(readConfig({ FIRN_DEVICE }), log, { isWorker: true });
    expect(core.deviceFigures()).toBeUndefined();
    expect(lines).toEqual([expect.objectContaining({ level, text: expect.stringContaining('there is no device') })]);
  });
});

test.each(['gpu', 'cuda:', 'cuda:x', 'CUDA'])('FIRN_DEVICE=%s is refused with what it may be', (FIRN_DEVICE) => {
  expect(() => readConfig({ FIRN_DEVICE })).toThrow('must be auto, cpu, cuda, cuda:<number> or emulated');
});

test('failures are in the log once, and that the device is not used any more', () => {
  let now: DeviceFigures | undefined;
  const look = deviceFailuresToLog({ deviceFigures: () => now }, log);
  look();
  now = figures({});
  look();
  expect(lines).toEqual([]);
  now = figures({ failures: 2, lastFailure: 'it had no room' });
  look();
  look();
  now = figures({ failures: 3, lost: true, lastFailure: 'it failed' });
  look();
  look();
  expect(lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['warn', { device: 'emulated', reason: 'it had no room', failures: 2 }],
    ['warn', { device: 'emulated', reason: 'it failed', failures: 1 }],
    ['error', { device: 'emulated', reason: 'it failed' }],
  ]);
});

test('metrics are of the device, and none without one', async () => {
  const registry = new Registry();
  let now = undefined as DeviceFigures | undefined;
  deviceMetrics(registry, { deviceFigures: () => now });
  expect(await registry.metrics()).not.toContain('device=');
  now = figures({ failures: 4 });
  const text = await registry.metrics();
  expect(text).toContain('firn_device_failures_total{device="emulated"} 4');
  expect(text).toContain('firn_device_memory_used_bytes{device="emulated"} 10');
  expect(text).toContain('firn_device_busy_seconds_total{device="emulated"} 2');
});
