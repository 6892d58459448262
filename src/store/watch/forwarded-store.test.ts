import { expect, it } from 'vitest';
import { forwardedStore } from './forwarded-store.ts';
import type { ObjectStore } from '../object-store.ts';

const calls = [
  'put',
  'stat',
  'open',
  'delete',
  'deleteMany',
  'list',
  'sweepUnfinished',
  'probe',
  'close',
] as const satisfies readonly (keyof ObjectStore)[];
type Unlisted = Exclude<keyof ObjectStore, (typeof calls)[number]>;

/** A store that records its calls. */
function notingStore(asked: unknown[]): ObjectStore {
  const entries = calls.map((call) => [
    call,
    (...given: unknown[]) => void asked.push([call, ...given.filter((each) => each !== undefined)]),
  ]);
  return Object.fromEntries(entries) as ObjectStore;
}

it('forwards every call as it is, but for what is changed', () => {
  const none: Unlisted[] = [];
  expect(none).toEqual([]);
  const asked: unknown[] = [];
  const plain = forwardedStore(notingStore(asked), {}) as unknown as Record<string, (...given: unknown[]) => unknown>;
  for (const call of calls) plain[call]!('a');
  expect(asked).toEqual(calls.map((call) => (call === 'probe' || call === 'close' ? [call] : [call, 'a'])));
  const changed = forwardedStore(notingStore(asked), {
    stat: async () => ({ key: 'x', sizeBytes: 1, storedBytes: 2 }),
  });
  void changed.stat('a');
  void changed.delete('b');
  expect(asked.slice(calls.length)).toEqual([['delete', 'b']]);
});
