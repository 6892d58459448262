import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { liveScript } from './live-script.ts';

/** Texts of the list of trials, after the script got these events about a checkpoint with these shares. */
function listed(shares: readonly string[], trials: readonly object[]): string[] {
  const items: { textContent: string }[] = [];
  const handlers = new Map<string, (event: { data: string }) => void>();
  class EventSource {
    addEventListener(type: string, handle: (event: { data: string }) => void): void {
      handlers.set(type, handle);
    }
  }
  const place = { dataset: { events: '/events', shares: JSON.stringify(shares) }, textContent: '' };
  const list = { children: items, append: (item: { textContent: string }) => items.push(item) };
  runInNewContext(liveScript, {
    EventSource,
    document: {
      querySelectorAll: () => [place],
      getElementById: () => list,
      createElement: () => ({ textContent: '' }),
    },
  });
  for (const trial of trials) handlers.get('trial')!({ data: JSON.stringify(trial) });
  return items.map(({ textContent }) => textContent);
}

test('a live trial says shares as per cent and other losses in the unit of their metric', () => {
  const degradation = { loss: 0.125, accuracy: 0.0123456, gap: null };
  expect(listed(['loss'], [{ number: 1, passed: false, estimatedBytes: 2048, degradation }])).toEqual([
    'trial 1 did not pass, about 2 KiB, loss lost 12.5 %, accuracy lost 0.01235, gap lost more than can be counted',
  ]);
});
