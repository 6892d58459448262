import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { anonymous } from './principal.ts';
import { RequestLimits } from './request-limits.ts';

const token = (id: string) => ({ id, name: id, grants: [] });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('RequestLimits', () => {
  it('admits a number of requests a minute, reports how many are left, and admits again after the minute', async () => {
    const limits = new RequestLimits({ tokenPerMinute: 3, anonymousPerMinute: 1, concurrent: 10 });
    const remaining = [];
    for (let i = 0; i < 3; i++) remaining.push((await limits.admit(token('a'), '10.0.0.1')).standing.remaining);
    expect(remaining).toEqual([2, 1, 0]);
    vi.advanceTimersByTime(20_000);
    expect(await limits.admit(token('a'), '10.0.0.1')).toMatchObject({
      admitted: false,
      retryAfterSeconds: 40,
      standing: { limit: 3, remaining: 0, resetSeconds: 40 },
    });
    expect((await limits.admit(token('b'), '10.0.0.1')).admitted).toBe(true);
    vi.advanceTimersByTime(40_001);
    expect((await limits.admit(token('a'), '10.0.0.1')).admitted).toBe(true);
  });

  it('counts requests without a token by address, a /64 of IPv6 as one', async () => {
    const limits = new RequestLimits({ tokenPerMinute: 9, anonymousPerMinute: 1, concurrent: 10 });
    const admitted = [];
    for (const address of [
      '10.0.0.1',
      '::ffff:10.0.0.1',
      '10.0.0.2',
      '2001:db8::1',
      '2001:db8:0:0:ffff::2',
      '2001:db8:0:1::1',
      'fe80::1%eth0',
    ])
      admitted.push((await limits.admit(anonymous, address)).admitted);
    expect(admitted).toEqual([true, false, true, true, false, true, true]);
  });

  it('admits so many at once, and another when one has left, however often it says so', async () => {
    const limits = new RequestLimits({ tokenPerMinute: 99, anonymousPerMinute: 9, concurrent: 2 });
    const first = await limits.admit(token('a'), 'x');
    await limits.admit(token('a'), 'x');
    expect(await limits.admit(token('a'), 'x')).toMatchObject({ admitted: false, retryAfterSeconds: 1 });
    expect((await limits.admit(token('b'), 'x')).admitted).toBe(true);
    if (!first.admitted) throw new Error('the first was not admitted');
    first.leave();
    first.leave();
    expect((await limits.admit(token('a'), 'x')).admitted).toBe(true);
    expect((await limits.admit(token('a'), 'x')).admitted).toBe(false);
  });

  it('stops listening to an address that tries tokens', async () => {
    const limits = new RequestLimits({ tokenPerMinute: 99, anonymousPerMinute: 9, concurrent: 2 });
    for (let i = 0; i < 59; i++) await limits.countRefused('10.0.0.1');
    expect(await limits.blockedSeconds('10.0.0.1')).toBeUndefined();
    await limits.countRefused('10.0.0.1');
    expect(await limits.blockedSeconds('10.0.0.1')).toBe(60);
    expect(await limits.blockedSeconds('10.0.0.2')).toBeUndefined();
  });
});
