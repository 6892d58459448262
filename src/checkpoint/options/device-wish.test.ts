import { expect, test } from 'vitest';
import type { DeviceKind } from '../device-kind.ts';
import { deviceFor, wishOfJobs, type DeviceWish } from './device-wish.ts';

test.each<[DeviceWish, readonly DeviceKind[], DeviceKind | undefined]>([
  ['preferred', ['cpu'], 'cpu'],
  ['preferred', ['cpu', 'cuda'], 'cuda'],
  ['required', ['cpu'], undefined],
  ['required', ['cpu', 'cuda'], 'cuda'],
  ['none', ['cpu', 'cuda'], 'cpu'],
  ['none', [], undefined],
  ['preferred', [], undefined],
])('%s on a worker with %j is measured on %s', (wish, kinds, kind) => {
  expect(deviceFor(wish, kinds)).toBe(kind);
});

test('jobs wish for what their run does, where there is something to measure', () => {
  const run = { fidelity: 'lossy', evalSetId: 'set', device: 'required' } as const;
  expect(wishOfJobs(run)).toBe('required');
  expect(wishOfJobs({ ...run, fidelity: 'exact' })).toBe('none');
  expect(wishOfJobs({ ...run, evalSetId: undefined })).toBe('none');
});
