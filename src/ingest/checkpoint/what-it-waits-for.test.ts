import { expect, test } from 'vitest';
import { describeBlocking } from './what-it-waits-for.ts';

const now = new Date('2026-01-02T03:00:00Z');
const ago = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);
const told = { now, reservationTtlMs: 3_600_000 };

test('an open reservation is named with its age, and with when its last sign of life is too old', () => {
  const open = { step: 10, state: 'open', createdAt: ago(30), touchedAt: ago(12) } as const;
  expect(describeBlocking(open, told)).toEqual({
    step: 10,
    state: 'open',
    reservedAt: ago(30),
    expiresAt: new Date(now.getTime() + 48 * 60_000),
    inWords: 'waits for step 10, reserved 30 minutes ago, expires in 48 minutes unless files arrive',
  });
});

test.each([
  ['working', 'waits for step 10, which is being compressed'],
  ['queued', 'waits for step 10, which is compressed before it'],
] as const)('a step that is %s is named', (state, inWords) => {
  expect(describeBlocking({ step: 10, state, createdAt: now, touchedAt: now }, told)).toEqual({
    step: 10,
    state,
    inWords,
  });
});
