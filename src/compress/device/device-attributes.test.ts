import { expect, test } from 'vitest';
import type { DeviceFigures } from '../../native/core.ts';
import { deviceAttributes } from './device-attributes.ts';

const figures: DeviceFigures = {
  name: 'NVIDIA H100',
  totalBytes: 80e9,
  budgetBytes: 40e9,
  usedBytes: 100,
  peakBytes: 100,
  uploadedBytes: 1000,
  downloadedBytes: 50,
  works: 3,
  declined: 0,
  failures: 1,
  busySeconds: 2,
  lost: false,
  lastFailure: '',
};

test('a span says which device did its work, how busy that was, and what memory it has in use', () => {
  const later = { uploadedBytes: 3000, downloadedBytes: 60, works: 13, failures: 1, busySeconds: 4.5, usedBytes: 700 };
  const [said, seconds] = [
    [figures, { ...figures, ...later }],
    [10, 20],
  ];
  const attributes = deviceAttributes({ deviceFigures: () => said.shift() }, () => seconds.shift()!);
  expect(attributes()).toEqual({
    'device.name': 'NVIDIA H100',
    'device.calls': 10,
    'device.failures': 0,
    'device.sent_bytes': 2000,
    'device.received_bytes': 10,
    'device.busy_share': 0.25,
    'device.memory_used_bytes': 700,
  });
});

test('in no time at all no share is busy', () => {
  expect(deviceAttributes({ deviceFigures: () => figures }, () => 5)()).toMatchObject({ 'device.busy_share': 0 });
});

test('a span says nothing of devices where there is none', () => {
  expect(deviceAttributes({ deviceFigures: () => undefined }, () => 5)()).toEqual({});
});
